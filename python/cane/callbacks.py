"""What is called while an estimator trains."""

import math
from typing import Any

from cane import _core


class Callback:
    """Base of what an estimator's `callbacks` lists; every method may be left as it is."""

    def on_train_begin(self, estimator: Any) -> None:
        """Called before the first epoch.

        Parameters
        ----------
        estimator : Classifier
            The estimator that is being trained; it has no new model yet.
        """

    def on_epoch_end(self, estimator: Any, report: dict[str, Any]) -> bool | None:
        """Called after every epoch.

        Parameters
        ----------
        estimator : Classifier
            The estimator that is being trained.
        report : dict
            `epoch`, `loss`, `coverage`, `learning_rate`, `seconds`, `best`, and `validation`: a
            dict of measures (`accuracy`, `log_loss` ...) or None.

        Returns
        -------
        stop : bool or None
            True ends the training; the estimator keeps what was learned.
        """

    def on_train_end(self, estimator: Any) -> None:
        """Called when the estimator has its new model."""


class EarlyStopping(Callback):
    """Ends a training that no longer gets better.

    With validation data, `Classifier(patience=...)` does so by accuracy and keeps the best model.
    This callback watches any measure, the loss of a training without validation data, say.

    Parameters
    ----------
    monitor : str or None, default=None
        A number of the report of an epoch, 'loss' or 'coverage', or a measure of the validation,
        'accuracy' or 'log_loss' say. None: 'accuracy' with validation data, otherwise 'loss'.
    patience : int, default=3
        Epochs without a better value after which the training ends.
    min_delta : float, default=0.0
        What is better by no more than this does not count.

    Attributes
    ----------
    best_ : float
        The best value of the last training.
    best_epoch_ : int
        The epoch that had it.
    """

    def __init__(
        self, monitor: str | None = None, patience: int = 3, min_delta: float = 0.0
    ) -> None:
        self.monitor = monitor
        self.patience = patience
        self.min_delta = min_delta

    def __repr__(self) -> str:
        return (
            f"EarlyStopping(monitor={self.monitor!r}, patience={self.patience!r}, "
            f"min_delta={self.min_delta!r})"
        )

    def on_train_begin(self, estimator: Any) -> None:
        """Forgets the last training."""
        self.best_ = math.nan
        self.best_epoch_ = 0

    def on_epoch_end(self, estimator: Any, report: dict[str, Any]) -> bool:
        """Compares the epoch with the best one."""
        validation = report["validation"] or {}
        name = self.monitor or ("accuracy" if validation else "loss")
        measures = {**validation, "loss": report["loss"], "coverage": report["coverage"]}
        numbers = {key: found for key, found in measures.items() if isinstance(found, (int, float))}
        if name not in numbers:
            raise ValueError(f"There is no {name!r} to monitor; there is {', '.join(numbers)}.")
        value = numbers[name]
        gain = value - self.best_
        if name == "loss" or _core.measures().get(name, {}).get("less_is_better"):
            gain = -gain
        if self.best_epoch_ == 0 or gain > self.min_delta:
            self.best_, self.best_epoch_ = float(value), report["epoch"]
        return report["epoch"] - self.best_epoch_ >= self.patience
