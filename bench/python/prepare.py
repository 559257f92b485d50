"""The data as every contender gets it: files in a folder, made once for a run.

Numbers become dense rows of float32, X_train.npy and X_test.npy, with labels in y_train.npy and
y_test.npy. They are as they stand in the data, without scaling. Texts go into train.json and
test.json.
"""

import json

import numpy
from peers import source
from sklearn.datasets import load_svmlight_file

PARTS = ("train", "test")


def numbers(data, folder):
    """Writes the rows; `data` has train.svm and test.svm, or both as .gz."""
    folder.mkdir(parents=True)
    columns = None
    for part in PARTS:
        rows, labels = load_svmlight_file(str(source.find(data, part)), n_features=columns,
                                          dtype=numpy.float32)
        columns = rows.shape[1]
        numpy.save(folder / f"X_{part}.npy", rows.toarray())
        numpy.save(folder / f"y_{part}.npy", labels.astype(numpy.int64))
    return folder


def texts(data, folder):
    """Writes the texts; `data` has train.ft and test.ft, or both as .gz."""
    folder.mkdir(parents=True)
    for part in PARTS:
        labels, lines = zip(*source.examples(source.find(data, part)))
        (folder / f"{part}.json").write_text(json.dumps({"texts": lines, "labels": labels}),
                                             encoding="utf-8")
    return folder


def load(folder, part):
    """Features and labels of a part, as a user has them."""
    rows = folder / f"X_{part}.npy"
    if rows.exists():
        return numpy.load(rows), numpy.load(folder / f"y_{part}.npy")
    record = json.loads((folder / f"{part}.json").read_text(encoding="utf-8"))
    return record["texts"], numpy.array(record["labels"])
