"""The estimator."""

import os
import textwrap
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from cane import _core
from cane._errors import library_errors
from cane._explain import Explaining
from cane._fitting import Fitting
from cane._options import documentation, signature
from cane._prediction import Prediction

_SIGNATURE = signature()


class Classifier(Fitting, Prediction, Explaining, ClassifierMixin, BaseEstimator):
    __doc__ = f"""A classifier for thousands to millions of classes.

    A training step does not touch all classes: it compares the label with a few candidates that a
    search finds and with sampled noises (CANE), or does what `method` says. The defaults measure
    what suits the data.

    X may be a matrix of NumPy (float32 in the order of C is not copied) or SciPy, a memory-mapped
    array, a table of pandas, Polars or Arrow, with columns of numbers or one column of text, texts
    as a list or series of str, or the path of a file that the program `cane` reads. A table that
    has columns of both kinds is refused: choose some.

    Parameters
    ----------
    {textwrap.indent(documentation(), "    ").lstrip()}

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The classes, in order.
    n_features_in_ : int
        Number of features seen in training; not there for texts.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names; only where X was a table whose columns have names of type str.
    class_vectors_ : ndarray of shape (n_classes, dimensions)
        A weight vector for each class, over the features or what the encoder makes of them. Made
        when it is asked for; not there for methods without such vectors.
    class_biases_ : ndarray of shape (n_classes,)
        What is added to the scores of the classes.
    coverage_ : float
        Share of the training examples whose label was among the candidates, in the last epoch.
    history_ : list of dict
        For each epoch of the last training its `loss`, `coverage`, `seconds`, `validation` ...
    n_iter_ : int
        Number of epochs of the last training.

    Examples
    --------
    >>> from cane import Classifier
    >>> X = ["a cat purrs", "the cat sleeps", "a dog barks", "the dog runs"] * 5
    >>> y = ["cat", "cat", "dog", "dog"] * 5
    >>> print(*Classifier(random_state=0).fit(X, y).predict(["my cat", "your dog"]))
    cat dog
    """

    def __init__(self, *args: Any, **parameters: Any) -> None:
        bound = _SIGNATURE.bind(self, *args, **parameters)
        bound.apply_defaults()
        for name, value in list(bound.arguments.items())[1:]:
            setattr(self, name, value)

    # scikit-learn and `help` read the parameters from here.
    __init__.__signature__ = _SIGNATURE  # type: ignore[attr-defined]

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags

    def __sklearn_is_fitted__(self) -> bool:
        return self._model is not None

    def __getattr__(self, name: str) -> Any:
        # No properties: scikit-learn's HTML box reads every property, and these may be gigabytes.
        if name not in ("class_vectors_", "class_biases_"):
            return super().__getattribute__(name)  # raises what it raised before
        check_is_fitted(self)
        try:
            with library_errors():
                vectors, biases = self._model.class_vectors()
        except ValueError as error:
            raise AttributeError(str(error)) from None
        ids_by_column = np.argsort(self._columns_by_id)
        return (vectors if name == "class_vectors_" else biases)[ids_by_column]

    def __getstate__(self) -> dict[str, Any]:
        state = dict(super().__getstate__())
        state.pop("_predictors", None)
        if self._model is not None:
            state["_model"] = self._model.to_bytes()
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)
        if self._model is not None:
            with library_errors():
                self._model = _core.Model.from_bytes(self._model)
            self._predictors = {}

    def fit(
        self, X: Any, y: Any = None, sample_weight: Any = None, *, validation: Any = None
    ) -> Self:
        """Train.

        Ctrl-C ends the training early, with a warning; the estimator can be used then.

        Parameters
        ----------
        X : {array-like, sparse matrix, table, texts, path}
            Examples.
        y : array-like of shape (n_samples,), path or None, default=None
            Labels: numbers or str. None if X is a file that has them; the path of a file of labels
            if X is a file of NumPy.
        sample_weight : array-like of shape (n_samples,) or None, default=None
            How much each example counts. Whole weights are the same as repeated examples.
        validation : tuple (X, y), path or None, default=None
            Data to measure every epoch on: the training ends after `patience` epochs without a
            better accuracy, the best model is kept, and probabilities are calibrated on it.

        Returns
        -------
        self : Classifier
        """
        model = self._model if self.warm_start else None
        return self._fit(X, y, sample_weight, model=model, validation=validation)

    def partial_fit(
        self, X: Any, y: Any = None, classes: Any = None, sample_weight: Any = None
    ) -> Self:
        """Train for one epoch, going on from the model that is there.

        The first call chooses method and features by rules, without measuring. Words that it does
        not see are unknown later; with `hash_bits` there is a place for them.

        Parameters
        ----------
        X : {array-like, sparse matrix, table, texts, path}
            Examples.
        y : array-like of shape (n_samples,), path or None, default=None
            Labels. Labels that are new become classes.
        classes : array-like or None, default=None
            Classes that shall be there even if these examples have none of them.
        sample_weight : array-like of shape (n_samples,) or None, default=None
            How much each example counts.

        Returns
        -------
        self : Classifier
        """
        if isinstance(self.class_weight, str):
            raise ValueError(  # noqa: TRY004, as scikit-learn's classifiers do
                f"class_weight={self.class_weight!r} is not supported for partial_fit, which sees "
                "only some of the examples. Give a dict, or sample_weight."
            )
        return self._fit(X, y, sample_weight, model=self._model, classes=classes, is_part=True)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the model to a safetensors file, which the program `cane` reads, too.

        Parameters
        ----------
        path : str or PathLike
            The file; `cane.load` makes an estimator of it.
        """
        check_is_fitted(self)
        with library_errors():
            self._model.save(os.fspath(path))

    def export_onnx(self, path: str | os.PathLike[str]) -> None:
        """Write the model as ONNX, from a matrix of features to scores and probabilities.

        Parameters
        ----------
        path : str or PathLike
            The file. How texts become features is not in it; methods without a vector for each
            class cannot be written.
        """
        check_is_fitted(self)
        with library_errors():
            self._model.export_onnx(os.fspath(path))
