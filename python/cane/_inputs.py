"""X in the forms that the library reads: dense and sparse matrices, texts, and files.

Each makes a dataset of itself and has itself predicted, so that nothing else asks what kind of
input there is.
"""

import dataclasses
from typing import Any, Protocol

import numpy as np
from sklearn.utils.validation import validate_data

from cane import _core
from cane._errors import library_errors


@dataclasses.dataclass(slots=True)
class Targets:
    """What training data says about its examples, besides their features."""

    classes: np.ndarray | None = None  # uint32, places in `names`
    names: list[str] = dataclasses.field(default_factory=list)
    weights: np.ndarray | None = None  # float32

    def as_arguments(self) -> tuple[np.ndarray | None, list[str], np.ndarray | None]:
        """In the order in which the library takes them."""
        return self.classes, self.names, self.weights

    def by_name(self) -> dict[str, Any]:
        """By the names that the library has for them."""
        return {"classes": self.classes, "labels": self.names, "weights": self.weights}


class Input(Protocol):
    """Examples that the library can read."""

    @property
    def size(self) -> int:
        """Number of examples."""

    def dataset(self, targets: Targets, options: dict[str, Any], through: Any = None) -> Any:
        """The examples as a dataset of the library, read through a model or another dataset."""

    def predict(self, predictor: Any, *results: np.ndarray | None) -> None:
        """Writes classes, scores and probabilities into the arrays."""

    def rows(self, start: int, stop: int) -> "Input":
        """Some of the examples."""

    def for_choosing(self, targets: Targets) -> dict[str, Any] | None:
        """What the library chooses features from; None where it has nothing to choose."""


@dataclasses.dataclass(slots=True)
class Dense:
    """Rows of numbers."""

    values: np.ndarray  # float32, rows one after another
    given: Any  # what they were converted from, for the names of columns and for errors
    mapped: bool = False

    @property
    def size(self) -> int:
        return len(self.values)

    def dataset(self, targets: Targets, options: dict[str, Any], through: Any = None) -> Any:
        with library_errors((self.given, self.values)):
            return _core.Dataset.from_dense(
                self.values, *targets.as_arguments(), options, through, mapped=self.mapped
            )

    def predict(self, predictor: Any, *results: np.ndarray | None) -> None:
        with library_errors((self.given, self.values)):
            predictor.predict_dense(self.values, *results)

    def rows(self, start: int, stop: int) -> "Dense":
        return Dense(self.values[start:stop], self.values[start:stop], self.mapped)

    def for_choosing(self, targets: Targets) -> None:
        return None


@dataclasses.dataclass(slots=True)
class Sparse:
    """Compressed sparse rows."""

    indptr: np.ndarray  # int64
    indices: np.ndarray  # int32 or uint32, increasing within a row
    values: np.ndarray  # float32
    columns: int
    given: Any  # what they were converted from, for the names of columns

    @property
    def size(self) -> int:
        return len(self.indptr) - 1

    def _arrays(self) -> tuple[np.ndarray, np.ndarray, np.ndarray, int]:
        return self.indptr, self.indices, self.values, self.columns

    def dataset(self, targets: Targets, options: dict[str, Any], through: Any = None) -> Any:
        with library_errors((self.values,)):
            return _core.Dataset.from_sparse(
                *self._arrays(), *targets.as_arguments(), options, through
            )

    def predict(self, predictor: Any, *results: np.ndarray | None) -> None:
        with library_errors((self.values,)):
            predictor.predict_sparse(*self._arrays(), *results)

    def rows(self, start: int, stop: int) -> "Sparse":
        first, last = self.indptr[start], self.indptr[stop]
        return Sparse(
            self.indptr[start : stop + 1] - first,
            self.indices[first:last],
            self.values[first:last],
            self.columns,
            self.given,
        )

    def for_choosing(self, targets: Targets) -> dict[str, Any]:
        features = {
            "indptr": self.indptr,
            "indices": self.indices,
            "values": self.values,
            "columns": self.columns,
        }
        return features | targets.by_name()


@dataclasses.dataclass(slots=True)
class Texts:
    """A text for each example."""

    texts: list[str]

    @property
    def size(self) -> int:
        return len(self.texts)

    def dataset(self, targets: Targets, options: dict[str, Any], through: Any = None) -> Any:
        with library_errors():
            return _core.Dataset.from_texts(self.texts, *targets.as_arguments(), options, through)

    def predict(self, predictor: Any, *results: np.ndarray | None) -> None:
        with library_errors():
            predictor.predict_texts(self.texts, *results)

    def rows(self, start: int, stop: int) -> "Texts":
        return Texts(self.texts[start:stop])

    def for_choosing(self, targets: Targets) -> dict[str, Any]:
        return {"texts": self.texts} | targets.by_name()


@dataclasses.dataclass(slots=True)
class File:
    """A file of examples; it is read when its dataset is asked for."""

    path: str
    loaded: Any = None  # the dataset

    @property
    def size(self) -> int:
        return int(self.loaded.size)

    def dataset(self, targets: Targets, options: dict[str, Any], through: Any = None) -> Any:
        with library_errors():
            self.loaded = _core.Dataset.load(self.path, options, through)
        return self.loaded

    def predict(self, predictor: Any, *results: np.ndarray | None) -> None:
        with library_errors():
            predictor.predict_dataset(self.loaded, *results)

    def rows(self, start: int, stop: int) -> "File":
        with library_errors():
            part = self.loaded.subset(np.arange(start, stop, dtype=np.uint32))
        return File(self.path, part)

    def for_choosing(self, targets: Targets) -> dict[str, Any]:
        return {"path": self.path}


def check_against(estimator: Any, examples: Input, model: Any, reset: bool = True) -> None:
    """Checks kind, number and names of the features.

    Parameters
    ----------
    estimator : Classifier
        The estimator that has `n_features_in_` and `feature_names_in_`.
    examples : Input
        What was read.
    model : _core.Model or None
        The model that the examples are for; None: they train a new one.
    reset : bool, default=True
        Without a model, whether the estimator learns what these features are.
    """
    if isinstance(examples, File):
        return
    if model is not None and isinstance(examples, Texts) != model.takes_text:
        trained, given = ("texts", "numbers") if model.takes_text else ("numbers", "texts")
        raise ValueError(f"{type(estimator).__name__} was trained on {trained}, but X has {given}.")
    if isinstance(examples, (Dense, Sparse)):
        reset = reset and model is None
        validate_data(estimator, X=examples.given, reset=reset, skip_check_array=True)
