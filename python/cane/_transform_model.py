"""New estimators from a trained one: calibrated, or smaller."""

from typing import Any

from sklearn.utils.validation import check_is_fitted

from cane import _core
from cane._classifier import Classifier
from cane._errors import library_errors
from cane._fitting import labelled_dataset
from cane._options import checked_options
from cane._training import threads_of


def _with_model(estimator: Classifier, model: Any) -> Classifier:
    changed = estimator.__class__.__new__(estimator.__class__)
    changed.__dict__.update(estimator.__dict__)
    changed._adopt(model, estimator.classes_.dtype)
    return changed


def calibrate(estimator: Classifier, X: Any, y: Any = None, **options: Any) -> Classifier:
    """Make probabilities that are right as often as they say.

    Parameters
    ----------
    estimator : Classifier
        A trained estimator; it stays as it is.
    X : {array-like, sparse matrix, table, texts, path}
        At least 50 examples that were not trained on; some thousands are better.
    y : array-like of shape (n_samples,) or None, default=None
        Their labels; None if X is a file that has them.
    **options
        `beam`, `probability` and `noises` of the program's `cane calibrate`.

    Returns
    -------
    calibrated : Classifier
        With the same order of classes for every example. Its `calibration_` is a dict: the
        calibration errors on X, `error_before` and `error_after`, the number of `examples` and the
        temperatures of the `groups`.
    """
    check_is_fitted(estimator)
    options = {"threads": threads_of(estimator.n_jobs)} | options
    dataset = labelled_dataset(estimator, X, y, estimator._model, estimator.classes_.dtype)
    with library_errors():
        result = _core.calibrate(estimator._model, dataset, checked_options("calibrate", options))
    changed = _with_model(estimator, result.pop("model"))
    changed.calibration_ = result
    return changed


def quantize(estimator: Classifier, **options: Any) -> Classifier:
    """Make a smaller estimator that can do everything except train.

    Parameters
    ----------
    estimator : Classifier
        A trained estimator; it stays as it is.
    **options
        `bits`, 8 or 16, of a weight (default 8).

    Returns
    -------
    quantized : Classifier
        An estimator with weights of 8 or 16 bits instead of 32.
    """
    check_is_fitted(estimator)
    with library_errors():
        result = _core.quantize(estimator._model, checked_options("quantize", options))
    return _with_model(estimator, result["model"])
