"""Memory and references stay as they are, however often an estimator trains and answers.

CANE_LEAK_ROUNDS sets how often; under tools that make everything slow, take few.
"""

import gc
import os
import resource
import sys

import numpy as np
import scipy.sparse

from cane import Classifier

ROUNDS = int(os.environ.get("CANE_LEAK_ROUNDS", "10000"))

X = np.random.RandomState(0).normal(size=(6, 3)).astype(np.float32)
Y = np.array([0, 1, 2, 0, 1, 2])
TEXTS = ["a b", "c d", "e f", "a c", "b d", "e a"]


def _use(estimator: Classifier) -> None:
    estimator.fit(X, Y)
    estimator.predict(X)
    estimator.predict_proba(X)


def _resident() -> int:
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * resource.getpagesize()


def test_references_stay():
    objects = [X, Y, TEXTS, TEXTS[0]]
    estimator = Classifier(epochs=1, random_state=0, pilot="off")
    for _ in range(3):
        _use(estimator)
    # The estimator's dataset may keep X while there is a dataset; afterwards nothing does.
    gc.collect()
    before = [sys.getrefcount(thing) for thing in objects]
    for _ in range(20):
        _use(estimator)
        estimator.fit(TEXTS, Y).predict(TEXTS)
        rows = scipy.sparse.csr_array(X)
        estimator.fit(rows, Y).predict(rows)
    estimator.fit(X, Y)
    gc.collect()
    assert [sys.getrefcount(thing) for thing in objects] == before
    count = sys.getrefcount(rows.data)
    estimator.predict(rows)
    gc.collect()
    after = sys.getrefcount(rows.data)
    assert after == count


def test_errors_leak_nothing():
    broken = X.copy()
    broken[0, 0] = np.nan
    estimator = Classifier(epochs=1, random_state=0).fit(X, Y)
    count = sys.getrefcount(broken)
    for _ in range(20):
        for act in (estimator.predict, lambda given: estimator.fit(given, Y)):
            try:
                act(broken)
            except ValueError:
                pass
            else:
                raise AssertionError
    gc.collect()
    assert sys.getrefcount(broken) == count


def test_memory_stays():
    estimator = Classifier("softmax", epochs=1, random_state=0, pilot="off", calibrate=False)
    row = X[:1]

    def rounds(number: int) -> None:
        for _ in range(number):
            estimator.fit(X, Y)
            estimator.predict(row)
            estimator.predict_top_k(row, 2)

    # Caches of the interpreter and of the allocators fill up first.
    rounds(min(500, ROUNDS))
    gc.collect()
    blocks, resident = sys.getallocatedblocks(), _resident()
    rounds(ROUNDS)
    gc.collect()
    # One block a round would be ten times as many.
    assert sys.getallocatedblocks() - blocks < max(1000, ROUNDS // 10)
    # A few rounds say nothing, and sanitizers keep what was freed for a while.
    if ROUNDS >= 1000:
        assert _resident() - resident < 8 * 2**20
