"""The data to compare on: labelled lines of svmlight or fastText text, plain or compressed, read as
a stream, so that memory does not grow with them.
"""

import functools
import gzip
import pathlib

LABEL = "__label__"
KINDS = {".svm": "numeric", ".ft": "text"}
COMPRESSED = ".gz"
ENDINGS = (*KINDS, COMPRESSED)


class DataError(Exception):
    """Something about the data that its owner can put right."""


def kind_of(path):
    """Whether a file holds numbers or words, by its name."""
    suffixes = pathlib.Path(path).suffixes
    if suffixes and suffixes[-1] == COMPRESSED:
        suffixes.pop()
    if not suffixes or suffixes[-1] not in KINDS:
        raise DataError(f"{path}: cannot tell the format; call it .svm or .ft, with or without .gz")
    return KINDS[suffixes[-1]]


def find(folder, part):
    """The file train.* or test.* of a folder."""
    found = sorted(path for path in pathlib.Path(folder).glob(f"{part}.*")
                   if path.name.removesuffix(COMPRESSED) in {part + end for end in KINDS})
    if len(found) != 1:
        what = "no" if not found else "more than one"
        raise DataError(f"{folder}: there is {what} file {part}.svm or {part}.ft (or .gz) in it")
    return found[0]


def lines(path):
    """The lines that hold an example, without their ends."""
    path = pathlib.Path(path)
    opened = gzip.open if path.suffix == COMPRESSED else open
    with opened(path, "rt", encoding="utf-8", errors="replace", newline="\n") as file:
        for line in file:
            line = line.rstrip("\r\n")
            if line and not line.startswith("#"):
                yield line


def examples(path):
    """Pairs of label and features: the words, or index:value each, as one text."""
    text = kind_of(path) == "text"
    for number, line in enumerate(lines(path), 1):
        label, _, features = line.partition(" ")
        if text:
            if not label.startswith(LABEL) or LABEL in features:
                raise DataError(f"{path}: example {number} must begin with one {LABEL}NAME")
            label = label.removeprefix(LABEL)
        else:
            features = features.partition("#")[0]
        yield label, features


class Data:
    """The two files, and what is known about them; each figure is found when it is first needed."""

    def __init__(self, train, test):
        self.train = pathlib.Path(train)
        self.test = pathlib.Path(test)
        self.kind = kind_of(train)
        if kind_of(test) != self.kind:
            raise DataError(f"{test}: not in the format of {train}")

    @functools.cached_property
    def _train_facts(self):
        labels, count = {}, 0
        for label, _ in examples(self.train):
            labels.setdefault(label, len(labels))
            count += 1
        if not count:
            raise DataError(f"{self.train}: there is no example in it")
        return labels, count

    @property
    def classes(self):
        """The number of each label of the training data, from 0."""
        return self._train_facts[0]

    @property
    def train_examples(self):
        return self._train_facts[1]

    @functools.cached_property
    def names(self):
        return list(self.classes)

    @functools.cached_property
    def test_labels(self):
        return [label for label, _ in examples(self.test)]
