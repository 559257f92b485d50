"""The data in the formats of the peers. Every writer streams. Where a format wants numbers for
labels, a label of the test data that training never saw becomes the first class: the accuracy is
reckoned from the names, so that it counts as wrong in any case.
"""

import gzip
import shutil

from . import source

# What Vowpal Wabbit's text keeps for itself.
RESERVED_BY_VW = str.maketrans({":": "=", "|": "!"})


def plain_text(path, out):
    """A copy that is not compressed; a plain file is linked to instead."""
    if path.suffix != source.COMPRESSED:
        out.symlink_to(path.resolve())
        return
    with gzip.open(path) as packed, open(out, "wb") as unpacked:
        shutil.copyfileobj(packed, unpacked)


def vowpal_wabbit(path, classes, out, with_labels):
    """Classes from 1. Without labels a line says nothing about its class."""
    text = source.kind_of(path) == "text"
    with open(out, "w", encoding="utf-8") as file:
        for label, features in source.examples(path):
            if text:
                features = features.translate(RESERVED_BY_VW)
            number = str(classes[label] + 1) if with_labels else ""
            file.write(f"{number} | {features}\n")


def svmlight(path, classes, features, out):
    """Classes and features from 1, features in order."""
    with open(out, "w", encoding="utf-8") as file:
        for label, text in source.examples(path):
            pairs = "".join(f" {number + 1}:{value:.6g}" for number, value in features.row(text))
            file.write(f"{classes.get(label, 0) + 1}{pairs}\n")


def extreme(path, classes, features, count, out):
    """The format of the extreme-classification repository: a line of sizes, all numbers from 0."""
    with open(out, "w", encoding="utf-8") as file:
        file.write(f"{count} {len(features)} {len(classes)}\n")
        for label, text in source.examples(path):
            pairs = "".join(f" {number}:{value:.6g}" for number, value in features.row(text))
            file.write(f"{classes.get(label, 0)}{pairs}\n")
