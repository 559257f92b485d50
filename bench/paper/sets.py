"""The data of the experiments: which sets there are, how each is recognised in the user's folder by
the names of its files and by its shape, and what stands in for a set that is absent."""

import ast
import bz2
import dataclasses
import gzip
import lzma
import pathlib
import random

LIBSVM = "the LIBSVM data sets (multi-class), https://www.csie.ntu.edu.tw/~cjlin/libsvmtools/datasets/"
IMAGES = ("images from https://image-net.org; features of a VGG-16 net up to its layer FC15, as "
          "X_train.npy, y_train.npy, X_test.npy and y_test.npy")
OPENERS = {".gz": gzip.open, ".xz": lzma.open, ".bz2": bz2.open}
LOOKED_AT = 2000  # examples, for the largest value of a feature
ENDINGS = (*OPENERS, ".zst", ".svm", ".libsvm", ".ft", ".txt", ".npy")


class DataError(Exception):
    """Something about the call or the data that its owner can put right."""


@dataclasses.dataclass(frozen=True)
class Row:
    """A set of the paper, or one that stands in for it. Names of files are without endings."""
    key: str
    title: str
    where: str  # it is published
    paper: str = ""  # key of the set of the paper that it stands in for; empty: it is that set
    folders: tuple = ()  # names of its folder, besides the key
    train: tuple = ("train",)
    test: tuple = ("test",)
    single: tuple = ()  # one file, which is split 90% to 10%
    shape: tuple = (0, 0)  # features and classes by which a NumPy matrix is recognised
    shortlist: int = 10  # candidates and noises together
    epochs: int = 50
    words: int = 0  # of the vocabulary of a text; 0: a classification
    tokens: int = 0  # of its training text, about
    least_count: int = 1

    @property
    def paper_key(self):
        return self.paper or self.key


MATRICES = {"train": ("x_train",), "test": ("x_test",), "shortlist": 20}
ROWS = (
    Row("sector", "Sector", LIBSVM, train=("train", "sector.train", "sector.scale", "sector"),
        test=("test", "sector.test", "sector.t.scale", "sector.t"), single=("sector.all",)),
    Row("clinc150", "CLINC150", "the repository clinc/oos-eval, as lines of `__label__INTENT request`",
        paper="sector", folders=("clinc",)),
    Row("aloi", "ALOI", LIBSVM, train=("train", "aloi.train"), test=("test", "aloi.test"),
        single=("aloi", "aloi.scale")),
    Row("imagenet-2010", "ImageNet-2010", IMAGES, folders=("imagenet2010", "imgnet-2010"),
        shape=(4096, 1000), **MATRICES),
    Row("imagenet-10k", "ImageNet-10K", IMAGES, folders=("imagenet10k", "imgnet-10k"),
        shape=(4096, 10184), epochs=20, **MATRICES),
    Row("hangul", "Hangul", "12 x 12 grey means of the 11,172 Hangul syllables in the fonts of Debian",
        paper="imagenet-10k", shape=(144, 11172), epochs=20, **MATRICES),
    Row("ptb", "Penn Treebank", "Mikolov's preparation: ptb.train.txt, ptb.valid.txt, ptb.test.txt",
        folders=("penn", "penn-treebank"), train=("train", "ptb.train"), test=("test", "ptb.test"),
        words=12000, tokens=929589, least_count=5),
    Row("gutenberg", "Gutenberg", "books of https://www.gutenberg.org, a paragraph a line, words with "
        "blanks between them, as train, valid and test", train=("train", "gutenberg.train"),
        test=("test", "gutenberg.test"), words=116000, tokens=24000000),
)
BY_KEY = {row.key: row for row in ROWS}


@dataclasses.dataclass
class Found:
    """A set that is there. Its shape is known after `measure`."""
    row: Row
    train: str = ""
    test: str = ""
    valid: str = ""  # of a text
    single: str = ""
    examples: int = 0
    tests: int = 0
    classes: int = 0
    features: int = 0
    filled: float = 0.0  # features of an example that are not zero, on average
    largest: float = 0.0  # value of a feature

    @property
    def key(self):
        return self.row.key

    @property
    def heading(self):
        title = BY_KEY[self.row.paper].title if self.row.paper else ""
        return f"{self.row.title} (stands in for {title})" if title else self.row.title


def stem(path):
    name = path.name.lower()
    while name.endswith(ENDINGS):
        name = name.rpartition(".")[0]
    return name


def opened(path):
    return OPENERS.get(pathlib.Path(path).suffix, open)(path, "rt", encoding="utf-8", errors="replace")


def named(folder, names):
    """The first file of the folder with one of these names, or an empty text."""
    files = sorted(path for path in folder.iterdir() if path.is_file())
    return next((str(path) for name in names for path in files if stem(path) == name), "")


def npy_shape(path):
    """The shape in the head of a NumPy file."""
    with open(path, "rb") as file:
        start = file.read(8)
        if start[:6] != b"\x93NUMPY":
            raise DataError(f"{path}: it is no NumPy matrix")
        size = int.from_bytes(file.read(2 if start[6] == 1 else 4), "little")
        return ast.literal_eval(file.read(size).decode("latin-1"))["shape"]


def labels_beside(matrix):
    path = pathlib.Path(matrix)
    return path.with_name("y" + path.name[1:])


def count_labels(matrix):
    import numpy
    return len(numpy.unique(numpy.load(labels_beside(matrix))))


def has_shape(matrix, row):
    return (matrix.endswith(".npy") and row.shape[0] > 0 and npy_shape(matrix)[1] == row.shape[0]
            and labels_beside(matrix).exists() and count_labels(matrix) == row.shape[1])


def find_in(folder, is_own, row):
    found = Found(row, named(folder, row.train), named(folder, row.test))
    if not is_own and not has_shape(found.train, row):
        # In a folder of many sets only names that say which set it is count.
        found.train = named(folder, (f"{row.key}.train", f"{row.key}_train"))
        found.test = named(folder, (f"{row.key}.test", f"{row.key}_test"))
    if not (found.train and found.test):
        found = Found(row, single=named(folder, row.single))
        if not found.single:
            return None
    if row.words:
        found.valid = named(folder, ("valid", "ptb.valid", "gutenberg.valid"))
        return found if found.valid else None
    return found


def find(folder):
    """The sets in the folder and the folders in it, and the rows of the paper that are absent."""
    top = pathlib.Path(folder)
    if not top.is_dir():
        raise DataError(f"{folder}: there is no such folder; give the one that holds the data, "
                        "docs/paper.md says how")
    folders = [top, *sorted(path for path in top.iterdir() if path.is_dir())]
    found = {}
    for row in ROWS:
        if row.paper_key in found:
            continue
        own = [path for path in folders if path.name.lower() in (row.key, *row.folders)]
        looked = [find_in(path, True, row) for path in own] + [find_in(path, False, row) for path in folders]
        there = [one for one in looked if one]
        if there:
            found[row.paper_key] = there[0]
    if not found:
        raise DataError(f"{folder}: none of the paper's sets is there; docs/paper.md says what is looked for")
    return list(found.values()), [row for row in ROWS if not row.paper and row.key not in found]


def measure(found):
    """Fills in the shape of a classification, by reading it once."""
    if found.row.words:
        return
    if found.train.endswith(".npy"):
        found.examples, found.features = npy_shape(found.train)
        found.tests = npy_shape(found.test)[0]
        found.classes, found.filled = count_labels(found.train), found.features
        return
    labels, names, entries = set(), set(), 0
    with opened(found.train) as file:
        for line in file:
            label, *features = line.split()
            labels.add(label)
            names.update(feature.partition(":")[0] for feature in features)
            entries += len(features)
            if not label.startswith("__label__") and found.examples < LOOKED_AT:
                found.largest = max([found.largest, *(float(one.partition(":")[2]) for one in features)])
            found.examples += 1
    with opened(found.test) as file:
        found.tests = sum(1 for line in file if line.strip())
    found.classes, found.features, found.filled = len(labels), len(names), entries / max(found.examples, 1)


def split(found, folder):
    """Splits a set that is one file, as the paper does. What an earlier call has made is used again."""
    if not found.single:
        return
    paths = [pathlib.Path(folder) / f"{found.key}.{part}.svm" for part in ("train", "test")]
    if not all(path.exists() for path in paths):
        with opened(found.single) as file:
            lines = [line for line in file if line.strip()]
        random.Random(1).shuffle(lines)
        tests = len(lines) // 10
        for path, part in zip(paths, (lines[tests:], lines[:tests])):
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text("".join(part), encoding="utf-8")
    found.train, found.test, found.single = str(paths[0]), str(paths[1]), ""


def scaled_by(source, largest, out):
    """Writes svmlight data with every value divided: the form in which LIBSVM offers ALOI, too."""
    with opened(source) as file, open(out, "w", encoding="utf-8") as made:
        for line in file:
            label, *features = line.split()
            pairs = (one.partition(":") for one in features)
            made.write(label + "".join(f" {name}:{float(value) / largest:.6g}" for name, _, value in pairs) + "\n")
