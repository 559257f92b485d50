"""Running a training: threads, progress, callbacks, interruption."""

import logging
import numbers
import os
import time
import warnings
from typing import Any

import joblib
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state

from cane import _core
from cane._errors import in_python, library_errors

_log = logging.getLogger("cane")

# Threads would wait for one another longer than they work. Besides, one thread makes a training
# repeatable to the bit, which tests of estimators expect.
_LEAST_FOR_THREADS = 2000


def threads_of(n_jobs: int | None, examples: int | None = None) -> int:
    """The number of threads for this number of examples; None: any number."""
    # joblib says 1 within its workers, which share the cores already.
    most = int(joblib.effective_n_jobs(-1 if n_jobs is None else n_jobs))
    if examples is not None and examples < _LEAST_FOR_THREADS:
        return 1
    return most if n_jobs is not None else min(most, len(os.sched_getaffinity(0)))


def seed_of(random_state: Any) -> int:
    """The seed for the library: an int itself, otherwise one that is drawn."""
    if isinstance(random_state, numbers.Integral) and int(random_state) >= 0:
        return int(random_state)
    return int(check_random_state(random_state).randint(2**31 - 1))


def progress_bar() -> Any:
    """tqdm's class for where this runs; without ipywidgets a notebook gets the bar of terminals."""
    from tqdm import TqdmWarning

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", TqdmWarning)
        from tqdm.auto import tqdm
    return tqdm


class Observer:
    """Stands between the library and a progress bar and the callbacks.

    Ctrl-C needs no care here: whenever it comes, the library ends the training and says so.
    """

    def __init__(self, estimator: Any) -> None:
        self.estimator = estimator
        self.history: list[dict[str, Any]] = []
        self._callbacks = estimator.callbacks or ()
        self._verbose = estimator.verbose
        self._stop = False
        self._bar: Any = None
        self._examples = 0
        self._measures: dict[str, str] = {}

    def on_message(self, text: str) -> None:
        """Writes a message of the training to the log."""
        _log.log(logging.INFO if self._verbose >= 2 else logging.DEBUG, "%s", in_python(text))

    def on_progress(self, progress: dict[str, Any]) -> None:
        """Moves the progress bar."""
        if self._bar is None:
            return
        self._measures["loss"] = f"{progress['loss']:.4g}"
        self._bar.total = progress["epochs"] * self._examples
        self._bar.set_description(f"epoch {progress['epoch']}/{progress['epochs']}", refresh=False)
        self._bar.set_postfix(self._measures, refresh=False)
        self._bar.update(progress["examples_done"] - self._bar.n)

    def open(self, examples: int) -> None:
        """Shows the progress bar of epochs over this number of examples."""
        self._examples = examples
        if self._verbose:
            self._bar = progress_bar()(total=None, desc="training", unit="ex", unit_scale=True)

    def on_epoch(self, report: dict[str, Any]) -> None:
        """Keeps the report of an epoch and hands it to the callbacks."""
        self.history.append(report)
        self._measures["loss"] = f"{report['loss']:.4g}"
        self._measures["coverage"] = f"{report['coverage']:.3f}"
        if report["validation"]:
            self._measures["valid"] = f"{report['validation']['accuracy']:.4f}"
        for callback in self._callbacks:
            if callback.on_epoch_end(self.estimator, report):
                self._stop = True

    def stop_requested(self) -> bool:
        """Whether a callback has ended the training."""
        return self._stop

    def begin(self) -> None:
        """Tells the callbacks that the training begins."""
        for callback in self._callbacks:
            callback.on_train_begin(self.estimator)

    def close(self, result: dict[str, Any] | None) -> None:
        """Ends the progress bar; it is full if the training went to its end."""
        if self._bar is None:
            return
        if result is not None and not result["interrupted"]:
            self._bar.update((self._bar.total or self._bar.n) - self._bar.n)
        self._bar.set_postfix(self._measures)
        self._bar.close()

    def end(self) -> None:
        """Tells the callbacks that the estimator has its model."""
        for callback in self._callbacks:
            callback.on_train_end(self.estimator)


def choose_features(
    data: dict[str, Any] | None,
    options: dict[str, Any],
    config: dict[str, Any],
    observer: Observer,
) -> tuple[dict[str, Any], dict[str, Any]]:
    """The options and the config, with what the library chooses for texts and sparse rows."""
    if data is not None:
        with library_errors():
            options = _core.choose_features(data, options, config, observer)
    return options, config


def search_features(
    data: dict[str, Any] | None,
    options: dict[str, Any],
    config: dict[str, Any],
    observer: Observer,
) -> tuple[dict[str, Any], dict[str, Any]]:
    """The same with a wider search, which may choose an encoder, too."""
    if data is not None:
        with library_errors():
            options, encoder = _core.search_features(data, options, config, observer)
        config = config | {"encoder": encoder}
    return options, config


def run(
    observer: Observer,
    dataset: Any,
    config: dict[str, Any],
    validation: Any = None,
    model: Any = None,
) -> dict[str, Any]:
    """Trains; after Ctrl-C it returns what there is, with a warning."""
    started = time.monotonic()
    result = None
    try:
        observer.open(dataset.size)
        with library_errors():
            result = _core.train(dataset, config, observer, validation, model)
    finally:
        observer.close(result)
    if result["signal"]:
        is_kept = model is not None and result["epochs"] == 0
        warnings.warn(
            f"The training was interrupted after {time.monotonic() - started:.1f} s, in epoch "
            f"{len(observer.history) + 1} of {config['epochs']}. The estimator "
            + ("is as it was." if is_kept else "can be used, but it is only partly trained."),
            ConvergenceWarning,
            stacklevel=4,
        )
    if "forgotten" in result:
        examples, before, after = result["forgotten"]
        warnings.warn(
            f"The estimator has forgotten some of what it knew: accuracy on {examples} examples "
            f"that it keeps of classes which the data lacks, or has few of, was {before:.2%}, and "
            f"is {after:.2%}. Give examples of these classes, too.",
            UserWarning,
            stacklevel=4,
        )
    return result


def report_on(dataset: Any) -> None:
    """Passes on what the library noticed while it read data."""
    report = dataset.report
    for note in report["notes"]:
        _log.info("%s", in_python(note))
    for warning in report["warnings"]:
        warnings.warn(in_python(warning), UserWarning, stacklevel=4)
    if report["skipped_lines"]:
        warnings.warn(
            f"{report['skipped_lines']} lines could not be read and were left out, first: "
            f"{report['first_skipped']}",
            UserWarning,
            stacklevel=4,
        )
