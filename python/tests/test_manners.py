"""Behaviour of the estimator other than its answers: interruption, progress, threads, processes."""

import concurrent.futures
import inspect
import logging
import multiprocessing
import os
import pathlib
import signal
import subprocess
import sys
import threading
import time

import joblib
import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning, NotFittedError

import cane
from cane import Classifier


@pytest.fixture(scope="module")
def much():
    """Data that trains for minutes."""
    random = np.random.RandomState(0)
    y = random.randint(1000, size=20_000)
    X = random.normal(size=(1000, 64))[y] + random.normal(size=(20_000, 64))
    return X.astype(np.float32), y


def test_ctrl_c_leaves_a_usable_estimator(much):
    X, y = much
    estimator = Classifier("softmax", epochs=10_000, random_state=0, pilot="off", start="means")
    sent = []

    def press():
        time.sleep(2)
        sent.append(time.monotonic())
        os.kill(os.getpid(), signal.SIGINT)

    thread = threading.Thread(target=press)
    thread.start()
    with pytest.warns(ConvergenceWarning, match="interrupted.*only partly trained"):
        assert estimator.fit(X, y) is estimator
    taken = time.monotonic() - sent[0]
    thread.join()
    # A second is meant; a busy machine may take a while longer, and a whole training minutes.
    assert taken < 20
    assert len(estimator.classes_) == 1000
    assert estimator.score(X[:500], y[:500]) > 0.5


def test_ctrl_c_before_there_is_a_model():
    """While features are chosen there is nothing to keep yet."""
    y = [str(i % 20) for i in range(20_000)]
    X = [f"a{i * 7 % 997} b{i % 20} c{i * 3 % 1009} d{i % 20} e{i % 7}" for i in range(20_000)]

    class Presses(logging.Handler):
        def emit(self, record):
            logger.removeHandler(self)
            os.kill(os.getpid(), signal.SIGINT)

    logger, handler = logging.getLogger("cane"), Presses()
    logger.addHandler(handler)
    logger.setLevel(logging.DEBUG)
    estimator = Classifier(epochs=1000, random_state=0)
    try:
        with pytest.raises(KeyboardInterrupt):
            estimator.fit(X, y)
    finally:
        logger.removeHandler(handler)
        logger.setLevel(logging.NOTSET)
    with pytest.raises(NotFittedError):
        estimator.predict(X)


def test_ctrl_c_in_a_callback(blobs, quick):
    class Presses(cane.Callback):
        def on_epoch_end(self, estimator, report):
            raise KeyboardInterrupt

    def fit():
        try:
            quick.set_params(callbacks=[Presses()], epochs=500).fit(*blobs)
        except KeyboardInterrupt:
            pytest.fail("it was raised")  # or it would end all tests

    with pytest.warns(ConvergenceWarning, match="interrupted"):
        fit()
    assert quick.n_iter_ < 500


def test_errors_of_callbacks_are_raised(blobs, quick):
    class Fails(cane.Callback):
        def on_epoch_end(self, estimator, report):
            raise RuntimeError("on purpose")

    with pytest.raises(RuntimeError, match="on purpose"):
        quick.set_params(callbacks=[Fails()]).fit(*blobs)


def test_callbacks(blobs, quick):
    class Notes(cane.Callback):
        def __init__(self):
            self.calls = []

        def on_train_begin(self, estimator):
            self.calls.append("begin")

        def on_epoch_end(self, estimator, report):
            self.calls.append(report["epoch"])
            return report["epoch"] == 3

        def on_train_end(self, estimator):
            self.calls.append("end")
            assert len(estimator.classes_) == 4

    notes = Notes()
    quick.set_params(callbacks=[notes], epochs=50).fit(*blobs)
    assert notes.calls[:4] == ["begin", 1, 2, 3]
    assert notes.calls[-1] == "end"
    assert len(quick.history_) < 50
    assert set(quick.history_[0]) >= {"epoch", "loss", "coverage", "seconds", "validation"}


def test_early_stopping(blobs, quick):
    X, y = blobs
    stop = cane.EarlyStopping("accuracy", patience=2)
    quick.set_params(callbacks=[stop], epochs=200, patience=0)
    quick.fit(X[100:], y[100:], validation=(X[:100], y[:100]))
    assert len(quick.history_) <= 200 - 1
    assert stop.best_ > 0.9
    assert quick.history_[stop.best_epoch_ - 1]["validation"]["accuracy"] == stop.best_
    by_loss = cane.EarlyStopping(patience=1, min_delta=100.0)
    quick.set_params(callbacks=[by_loss]).fit(X, y)
    assert by_loss.best_epoch_ == 1
    with pytest.raises(ValueError, match="no 'f1' to monitor"):
        quick.set_params(callbacks=[cane.EarlyStopping("f1")]).fit(X, y)


def test_silence_and_the_bar(blobs, quick, capfd):
    quick.set_params(verbose=0).fit(*blobs).predict(blobs[0])
    out, err = capfd.readouterr()
    assert out == err == ""
    quick.set_params(verbose=1, epochs=30).fit(*blobs)
    out, err = capfd.readouterr()
    assert out == ""
    assert "loss=" in err
    assert "coverage=" in err


def test_messages_go_to_the_log(blobs, quick, caplog, capfd):
    with caplog.at_level(logging.INFO, logger="cane"):
        quick.set_params(verbose=0).fit(*blobs)
        assert not caplog.records
        quick.set_params(verbose=2).fit(*blobs)
    assert all(record.name == "cane" for record in caplog.records)


def test_prediction_from_threads(blobs, quick):
    X, y = blobs
    quick.fit(X, y)
    expected = quick.predict_proba(X)
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        for found in pool.map(lambda _: quick.predict_proba(X), range(50)):
            np.testing.assert_array_equal(found, expected)
        rows = pool.map(lambda i: quick.predict(X[i : i + 1])[0], range(200))
        np.testing.assert_array_equal(list(rows), quick.predict(X))


def test_training_from_threads(blobs):
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        made = list(pool.map(lambda _: Classifier(epochs=3, random_state=0).fit(*blobs), range(8)))
    for other in made[1:]:
        np.testing.assert_array_equal(
            other.decision_function(blobs[0]), made[0].decision_function(blobs[0])
        )


def test_other_threads_run_meanwhile(much):
    """A training must not hold the lock of the interpreter."""
    ticks = []
    done = threading.Event()

    def tick():
        while not done.is_set():
            ticks.append(time.monotonic())
            time.sleep(0.005)

    thread = threading.Thread(target=tick)
    thread.start()
    started = time.monotonic()
    Classifier("softmax", epochs=1, random_state=0, pilot="off").fit(*much)
    taken = time.monotonic() - started
    done.set()
    thread.join()
    assert max(np.diff([started, *ticks])) < 0.5 * taken + 0.2


def _fit_and_predict(task):
    estimator, X, y = task
    return estimator.fit(X, y).predict(X)


def test_after_a_fork(much):
    """Threads of the parent are not there in a child: it must not wait for them."""
    X, y = much[0][:3000], much[1][:3000] % 10
    estimator = Classifier("softmax", epochs=1, random_state=0, pilot="off").fit(X, y)
    estimator.predict(X)
    context = multiprocessing.get_context("fork")
    with context.Pool(2) as pool:
        answers = pool.map_async(estimator.predict, [X, X]).get(timeout=60)
        pool.map_async(_fit_and_predict, [(estimator, X, y)] * 2).get(timeout=60)
    np.testing.assert_array_equal(answers[0], estimator.predict(X))


@pytest.mark.parametrize("backend", ["loky", "multiprocessing", "threading"])
def test_in_workers_of_joblib(blobs, quick, backend):
    quick.fit(*blobs)
    with joblib.parallel_config(backend=backend, n_jobs=2):
        answers = joblib.Parallel()(joblib.delayed(quick.predict)(blobs[0]) for _ in range(4))
        joblib.Parallel()(joblib.delayed(_fit_and_predict)((quick, *blobs)) for _ in range(4))
    for answer in answers:
        np.testing.assert_array_equal(answer, quick.predict(blobs[0]))


def test_n_jobs(blobs, quick):
    from cane._training import threads_of

    assert threads_of(None, 100) == 1
    assert threads_of(3, 5000) == 3
    cores = len(os.sched_getaffinity(0))
    assert threads_of(None) == min(cores, joblib.effective_n_jobs(-1))
    assert threads_of(-1) == joblib.effective_n_jobs(-1)


def test_public_things_are_documented():
    for name in cane.__all__:
        thing = getattr(cane, name)
        assert thing.__doc__, name
        if inspect.isclass(thing):
            for member, value in inspect.getmembers(thing, inspect.isfunction):
                if not member.startswith("_"):
                    assert value.__doc__, f"{name}.{member}"
    assert set(cane.__all__) <= set(dir(cane))
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        cane.nothing  # noqa: B018


def test_stubs_are_up_to_date():
    """Run tools/make_stubs.py if this fails."""
    tools = pathlib.Path(__file__).parent.parent / "tools"
    stub = pathlib.Path(__file__).parent.parent / "cane" / "_classifier.pyi"
    code = "import make_stubs, sys; sys.stdout.buffer.write(make_stubs.stub().encode())"
    made = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        check=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(tools), *sys.path])},
    )
    assert made.stdout.decode() == stub.read_text(encoding="utf-8")
