"""A process that predicts in Python in turns with the same calls in C++ (row_predict_bench), and
prints what both took, as JSON.

prediction.py PROGRAM MODEL ROWS THREADS ROUNDS FOLDER
"""

import json
import pathlib
import subprocess
import sys
import time

import cane
import numpy

from . import summary

BEST = 5
ROWS_ALONE = 10_000


class Beside:
    """The same rows, one by one and all at once, on either side."""

    def __init__(self, program, model, rows, threads, folder):
        self._command = [program, model, rows]
        self._numbers = ["--top-k", str(BEST), "--threads", threads, "--rows", str(ROWS_ALONE),
                         "--rounds", "1"]
        self._answers = pathlib.Path(folder) / "answers.txt"
        self.rows = numpy.load(rows)
        self.estimator = cane.load(model).set_params(n_jobs=int(threads))

    def library(self, *words):
        """Microseconds for a row alone, and seconds for all of them: C++ prints a line of each."""
        done = subprocess.run([*self._command, *words, *self._numbers, "--batch",
                               str(len(self.rows))], stdout=subprocess.PIPE, text=True, check=False)
        if done.returncode:
            raise ValueError(done.stdout.strip() or "row_predict_bench failed")
        return [float(line.split()[-2]) for line in done.stdout.splitlines()]

    def alone(self):
        """Microseconds for a row."""
        rows, predict = self.rows, self.estimator.predict
        start = time.perf_counter()
        for i in range(ROWS_ALONE):
            predict(rows[i:i + 1])
        return 1e6 * (time.perf_counter() - start) / ROWS_ALONE

    def together(self):
        """Seconds for all of them."""
        start = time.perf_counter()
        self.estimator.predict_top_k(self.rows, BEST)
        return time.perf_counter() - start

    def differ(self):
        """What the two sides do not agree on; empty: they do."""
        self.library(self._answers)
        lines = self._answers.read_text(encoding="utf-8").splitlines()
        wanted = numpy.array([line.split("\t") for line in lines])
        if not numpy.array_equal(self.estimator.predict_top_k(self.rows, BEST)[0].astype(str),
                                 wanted):
            return "predict_top_k gives other classes than C++: nothing is timed"
        alone = [self.estimator.predict(self.rows[i:i + 1])[0] for i in range(ROWS_ALONE)]
        if not numpy.array_equal(numpy.array(alone).astype(str), wanted[:ROWS_ALONE, 0]):
            return "predict gives other classes than C++: nothing is timed"
        return ""


def main(program, model, rows, threads, rounds, folder):
    beside = Beside(program, model, rows, threads, folder)
    problem = beside.differ()
    if problem:
        return {"problem": problem}
    library, alone, together = [], [], []
    beside.alone()
    for _ in range(int(rounds)):
        library.append(beside.library())
        alone.append(beside.alone())
        together.append(beside.together())
    library_alone, library_together = zip(*library)
    return {
        "problem": "", "rows": len(beside.rows), "rows_alone": ROWS_ALONE, "best": BEST,
        "alone_microseconds": {"python": summary.of(alone), "library": summary.of(library_alone),
                               "difference": summary.differences(alone, library_alone)},
        "together_seconds": {"python": summary.of(together),
                             "library": summary.of(library_together),
                             "ratio": summary.ratios(together, library_together)}}


if __name__ == "__main__":
    print(json.dumps(main(*sys.argv[1:])))
