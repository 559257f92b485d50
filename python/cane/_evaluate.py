"""Measures of a trained estimator."""

from typing import Any

from sklearn.utils.validation import check_is_fitted

from cane import _core
from cane._classifier import Classifier
from cane._errors import library_errors
from cane._fitting import labelled_dataset
from cane._options import checked_options
from cane._training import threads_of


def evaluate(estimator: Classifier, X: Any, y: Any = None, **options: Any) -> dict[str, Any]:
    """Measure an estimator as the program's `cane test` does.

    Parameters
    ----------
    estimator : Classifier
        A trained estimator.
    X : {array-like, sparse matrix, table, texts, path}
        Examples.
    y : array-like of shape (n_samples,) or None, default=None
        Their labels; None if X is a file that has them.
    **options
        `top_k` (a list), `beam`, `probability`, `noises`, `reject` and `details` of the library.

    Returns
    -------
    measures : dict
        `accuracy`, `top` (by k), `log_loss`, `calibration_error`, `macro_f1`, `coverage`, accuracy
        of frequent and rare classes (`head`, `middle`, `tail`), and more; None where there is none.
        Classes in `details` are numbered as in `estimator.classes_` right after `fit`.
    """
    check_is_fitted(estimator)
    options = {"threads": threads_of(estimator.n_jobs)} | options
    dataset = labelled_dataset(estimator, X, y, estimator._model, estimator.classes_.dtype)
    with library_errors():
        found: dict[str, Any] = _core.evaluate(
            estimator._model, dataset, checked_options("evaluate", options)
        )
    return found
