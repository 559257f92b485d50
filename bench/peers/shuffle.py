"""The lines of the training data in random order, for learners that take them as they come and
learn little from one class after the other. Lines are dealt into buckets first, each of which fits
into memory.
"""

import contextlib
import pathlib
import random
import tempfile

from . import source

LINES_OF_BUCKET = 500_000
SEED = 1


def shuffle(path, count, out):
    """`count`: about how many lines there are."""
    generator = random.Random(SEED)
    with tempfile.TemporaryDirectory(dir=pathlib.Path(out).parent) as folder:
        names = [pathlib.Path(folder) / str(i) for i in range(count // LINES_OF_BUCKET + 1)]
        with contextlib.ExitStack() as stack:
            buckets = [stack.enter_context(open(name, "w", encoding="utf-8", newline="\n"))
                       for name in names]
            for line in source.lines(path):
                generator.choice(buckets).write(line + "\n")
        with open(out, "w", encoding="utf-8", newline="\n") as file:
            for name in names:
                with open(name, encoding="utf-8", newline="\n") as bucket:
                    dealt = bucket.readlines()
                generator.shuffle(dealt)
                file.writelines(dealt)
