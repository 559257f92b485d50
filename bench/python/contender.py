"""A process for one contender: trains it once, predicts the test data, and says so.

contender.py NAME DATA SEED THREADS TOLD: a JSON object a line goes into the file TOLD when a stage
begins, so that one that is stopped has recorded how far it came.
"""

import importlib.metadata
import json
import pathlib
import resource
import sys
import time
import warnings

import numpy
from sklearn.exceptions import ConvergenceWarning

from . import contenders, prepare

# ru_maxrss counts kibibytes on Linux.
MEMORY_UNIT = 1024


class Stages:
    def __init__(self, path):
        self._file = open(path, "w", encoding="utf-8", buffering=1)

    def __call__(self, stage, **facts):
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * MEMORY_UNIT
        record = {"stage": stage, "at": time.monotonic(), "peak_bytes": peak, **facts}
        self._file.write(json.dumps(record) + "\n")


def timed(work):
    """What it returns, the seconds that passed, and the seconds of all processors together."""
    wall, processor = time.perf_counter(), time.process_time()
    result = work()
    return result, time.perf_counter() - wall, time.process_time() - processor


class Features:
    """From what the data has to what a contender takes."""

    def __init__(self, contender, model):
        self._convert = getattr(model, "convert", lambda rows: rows)
        self._vectorizer = None
        self._words = not contender.takes_text

    def train(self, features):
        """The features, and the seconds of making numbers of texts."""
        return self._made(features, "fit_transform")

    def test(self, features):
        return self._made(features, "transform")

    def _made(self, features, how):
        if not isinstance(features, list) or not self._words:
            return self._convert(features), 0.0, 0.0
        if self._vectorizer is None:
            from sklearn.feature_extraction.text import TfidfVectorizer

            self._vectorizer = TfidfVectorizer(ngram_range=(1, 2), dtype=numpy.float32)
        rows, wall, processor = timed(lambda: getattr(self._vectorizer, how)(features))
        return self._convert(rows), wall, processor


def main(name, data, seed, threads, record):
    enter = Stages(record)
    data = pathlib.Path(data)
    contender = contenders.named(name)
    enter("loading modules", version=importlib.metadata.version(contender.package))
    model = contender.make(int(threads), int(seed))
    enter("reading data")
    features, labels = prepare.load(data, "train")
    made = Features(contender, model)
    rows, wall, processor = made.train(features)
    if hasattr(model, "write"):
        model.write(rows, labels, pathlib.Path.cwd() / "train.xmc")
    enter("training")
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        _, fit_wall, fit_processor = timed(lambda: model.fit(rows, labels))
    enter("reading test data", seconds=wall + fit_wall, processor_seconds=processor + fit_processor,
         converged=not any(issubclass(w.category, ConvergenceWarning) for w in said))
    features, labels = prepare.load(data, "test")
    rows, wall, _ = made.test(features)
    enter("predicting")
    answers, predict_wall, _ = timed(lambda: model.predict(rows))
    enter("done", predict_seconds=wall + predict_wall,
         accuracy=float(numpy.mean(numpy.asarray(answers) == labels)))


if __name__ == "__main__":
    main(*sys.argv[1:])
