"""Where the peers work: a folder with the data in every format that a peer has asked for. Programs
run inside it, so that their command lines name no other folder.
"""

import pathlib
import time

from . import convert, features, install, shuffle, source

# Rare words only cost in a large set.
LARGE = 1_000_000
LEAST_COUNT = 3


class Workshop:
    def __init__(self, data, folder, threads, environment, cane_program):
        self.data = data
        self.folder = pathlib.Path(folder).resolve()
        self.threads = threads
        self.environment = environment
        self.cane_program = cane_program
        self.conversion_seconds = {}
        self._features = None

    @property
    def least_count(self):
        """How often a word must occur to be used."""
        return LEAST_COUNT if self.data.train_examples >= LARGE else 1

    @property
    def features(self):
        if self._features is None:
            self._features = features.of(self.data, self.least_count)
        return self._features

    def _made(self, name, make):
        """The path of a file; `make` writes it unless it is there."""
        out = self.folder / name
        if not out.exists():
            start = time.monotonic()
            make(out)
            self.conversion_seconds[name] = time.monotonic() - start
        return out

    def _both(self, extension, make):
        """Train and test in a format: their names."""
        parts = (("train", self.data.train), ("test", self.data.test))
        return [self._made(part + extension, lambda out, path=path: make(path, out)).name
                for part, path in parts]

    def _shuffled(self):
        """The training data in random order."""
        ending = ".ft" if self.data.kind == "text" else ".svm"
        return self._made("train.shuffled" + ending, lambda out: shuffle.shuffle(
            self.data.train, self.data.train_examples, out))

    def _count(self, path):
        return self.data.train_examples if path == self.data.train else len(self.data.test_labels)

    def originals(self):
        """The files as they are."""
        names = []
        for part, path in (("train", self.data.train), ("test", self.data.test)):
            ending = "".join(end for end in path.suffixes[-2:] if end in source.ENDINGS)
            link = self.folder / (part + ending)
            if not link.exists():
                link.symlink_to(path.resolve())
            names.append(link.name)
        return names

    def plain_text(self):
        test = self._made("test.txt", lambda out: convert.plain_text(self.data.test, out))
        return [self._shuffled().name, test.name]

    def vowpal_wabbit(self):
        classes = self.data.classes
        train = self._made("train.vw", lambda out: convert.vowpal_wabbit(
            self._shuffled(), classes, out, with_labels=True))
        test = self._made("test.vw", lambda out: convert.vowpal_wabbit(
            self.data.test, classes, out, with_labels=False))
        return [train.name, test.name]

    def svmlight(self):
        return self._both(".libsvm", lambda path, out: convert.svmlight(
            path, self.data.classes, self.features, out))

    def extreme(self):
        return self._both(".xmc", lambda path, out: convert.extreme(
            path, self.data.classes, self.features, self._count(path), out))

    def install_python(self, package, needs=None):
        return self.environment.install(package, needs)

    def install_debian(self, package):
        return install.debian(package)
