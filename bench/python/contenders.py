"""The learners that are compared, all at their defaults, each with `fit` and `predict` as
scikit-learn has them. Modules are loaded when a contender is made, in its own process.
"""

import dataclasses
import os
import tempfile
from collections.abc import Callable

import numpy


def cane(threads, seed):
    from cane import Classifier

    return Classifier(random_state=seed, n_jobs=threads)


def logistic_regression(threads, seed):
    from sklearn.linear_model import LogisticRegression

    return LogisticRegression(random_state=seed)


def sgd(threads, seed):
    from sklearn.linear_model import SGDClassifier

    return SGDClassifier(random_state=seed, n_jobs=threads)


def linear_svc(threads, seed):
    from sklearn.svm import LinearSVC

    return LinearSVC(random_state=seed)


class LabelTree:
    """A learner that takes sparse rows and numbers for labels. What it takes to convert them is not
    in its times: `convert` runs before.
    """

    def __init__(self, threads, seed):
        self.threads, self.seed = threads, seed
        self.load()

    def load(self):
        """Loads the modules."""

    def convert(self, rows):
        import scipy.sparse

        return scipy.sparse.csr_matrix(rows, dtype=numpy.float32)

    def fit(self, rows, labels):
        self.classes, codes = numpy.unique(labels, return_inverse=True)
        self.fit_codes(rows, codes)
        return self

    def predict(self, rows):
        # For want of an answer the code is -1, and the class None, which counts as an error.
        codes = numpy.asarray(self.predict_codes(rows))
        return numpy.where(codes >= 0, self.classes[codes].astype(object), None)


class NapkinXc(LabelTree):
    def load(self):
        from napkinxc.models import PLT

        self.folder = tempfile.mkdtemp(dir=os.getcwd())
        self.model = PLT(self.folder, threads=self.threads, seed=self.seed)

    def fit_codes(self, rows, codes):
        self.model.fit(rows, codes)

    def predict_codes(self, rows):
        return [best[0] if best else -1 for best in self.model.predict(rows, top_k=1)]


class Pecos(LabelTree):
    def load(self):
        from pecos import xmc
        from pecos.xmc.xlinear import model

        self.xmc, self.linear = xmc, model.XLinearModel

    def fit_codes(self, rows, codes):
        import scipy.sparse

        ones = numpy.ones(len(codes), numpy.float32)
        labels = scipy.sparse.csr_matrix((ones, (numpy.arange(len(codes)), codes)))
        means = self.xmc.LabelEmbeddingFactory.create(labels, rows, method="pifa")
        tree = self.xmc.Indexer.gen(means, threads=self.threads)
        self.model = self.linear.train(rows, labels.tocsc(), C=tree, threads=self.threads)

    def predict_codes(self, rows):
        found = self.model.predict(rows, only_topk=1, threads=self.threads)
        has_one = numpy.diff(found.indptr) > 0
        codes = numpy.full(found.shape[0], -1)
        codes[has_one] = found.indices[found.indptr[:-1][has_one]]
        return codes


class UnitPecos(Pecos):
    """With rows of length one, which suit it better."""

    def convert(self, rows):
        from sklearn.preprocessing import normalize

        return normalize(super().convert(rows))


class Omikuji(LabelTree):
    """It trains on a file and predicts a list of pairs; both are made before."""

    def load(self):
        import omikuji

        self.trainer = omikuji.Model

    def write(self, rows, labels, path):
        """The training data as the file that it reads."""
        from sklearn.datasets import dump_svmlight_file

        self.path = str(path)
        classes, codes = numpy.unique(labels, return_inverse=True)
        with open(path, "wb") as file:
            file.write(f"{rows.shape[0]} {rows.shape[1]} {len(classes)}\n".encode("ascii"))
            dump_svmlight_file(rows, codes, file)

    def fit_codes(self, rows, codes):
        self.model = self.trainer.train_on_data(self.path, n_threads=self.threads)
        self.model.init_prediction_thread_pool(self.threads)
        self.model.densify_weights()

    def predict_codes(self, rows):
        ends = zip(rows.indptr[:-1], rows.indptr[1:])
        pairs = [list(zip(rows.indices[a:b].tolist(), rows.data[a:b].tolist())) for a, b in ends]
        found = (self.model.predict(row, top_k=1) for row in pairs)
        return [best[0][0] if best else -1 for best in found]


@dataclasses.dataclass(frozen=True)
class Contender:
    """A row of the table."""

    name: str
    call: str  # as it is made, for the reader
    package: str
    make: Callable  # of threads and a seed
    takes_text: bool = False
    only_numbers: bool = False
    is_peer: bool = False  # in the environment of the label trees


ALL = (
    Contender("cane", "Classifier()", "cane-learn", cane, takes_text=True),
    Contender("LogisticRegression", "LogisticRegression()", "scikit-learn", logistic_regression),
    Contender("SGDClassifier", "SGDClassifier(n_jobs=THREADS)", "scikit-learn", sgd),
    Contender("LinearSVC", "LinearSVC()", "scikit-learn", linear_svc),
    Contender("napkinXC", "PLT(threads=THREADS)", "napkinxc", NapkinXc, is_peer=True),
    Contender("PECOS", "XLinearModel", "libpecos", Pecos, is_peer=True),
    Contender("PECOS, rows of length 1", "XLinearModel", "libpecos", UnitPecos, is_peer=True,
              only_numbers=True),
    Contender("Omikuji", "Model.train_on_data", "omikuji", Omikuji, is_peer=True),
)


def named(name):
    return next(contender for contender in ALL if contender.name == name)
