"""X in all its forms: dense and sparse matrices, tables, texts, and files.

`read` turns what the user gives into one of four small classes. Each makes a dataset of itself and
has itself predicted, so that nothing else asks what kind of input there is.
"""

import dataclasses
import logging
import os
import sys
from typing import Any, Protocol

import numpy as np
from sklearn.utils import check_array
from sklearn.utils.validation import validate_data

from cane import _core
from cane._errors import library_errors

_log = logging.getLogger("cane")


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


def _is_a(X: Any, module: str, *names: str) -> bool:
    """Whether X is an instance of such a class, without loading the module."""
    loaded = sys.modules.get(module)
    return loaded is not None and any(isinstance(X, getattr(loaded, name)) for name in names)


def is_path(X: Any) -> bool:
    """Whether X names a file."""
    return isinstance(X, (str, os.PathLike))


def existing_path(X: Any, name: str = "X") -> str:
    """The path as a str; FileNotFoundError where there is nothing."""
    path = os.fspath(X)
    if isinstance(path, bytes):
        path = os.fsdecode(path)
    if not os.path.exists(path):
        raise FileNotFoundError(
            f"{name} is the path of a file that does not exist: {path!r}. For a single text, give "
            "a list that has it."
        )
    return path


def is_table(X: Any) -> bool:
    """Whether X has named columns."""
    return (
        _is_a(X, "pandas", "DataFrame")
        or _is_a(X, "polars", "DataFrame")
        or _is_a(X, "pyarrow", "Table", "RecordBatch")
    )


def _column_kinds(table: Any) -> dict[Any, str]:
    """For each column "number", "text" or another kind's name."""
    if _is_a(table, "pandas", "DataFrame"):
        types = sys.modules["pandas"].api.types

        def kind(column: Any) -> str:
            if types.is_numeric_dtype(column.dtype):
                return "number"
            if types.is_string_dtype(column):
                return "text"
            if column.dtype != object:
                return str(column.dtype)
            # Numbers may hide in columns of objects; the conversion tells.
            return "text" if any(isinstance(cell, str) for cell in column) else "number"

        return {name: kind(table.iloc[:, i]) for i, name in enumerate(table.columns)}
    if _is_a(table, "polars", "DataFrame"):
        polars = sys.modules["polars"]
        return {
            name: "number"
            if dtype.is_numeric() or dtype == polars.Boolean
            else ("text" if dtype == polars.String else str(dtype))
            for name, dtype in table.schema.items()
        }
    types = sys.modules["pyarrow"].types
    return {
        field.name: "number"
        if types.is_integer(field.type)
        or types.is_floating(field.type)
        or types.is_boolean(field.type)
        or types.is_decimal(field.type)
        else (
            "text"
            if types.is_string(field.type) or types.is_large_string(field.type)
            else str(field.type)
        )
        for field in table.schema
    }


def _numbers(table: Any) -> Any:
    """The columns of a table of numbers as something that check_array takes."""
    if _is_a(table, "polars", "DataFrame"):
        return table.cast(sys.modules["polars"].Float32).to_numpy(order="c")
    if _is_a(table, "pyarrow", "Table", "RecordBatch"):
        values = np.empty((table.num_rows, table.num_columns), dtype=np.float32)
        for place, column in enumerate(table.columns):
            values[:, place] = column.to_numpy(zero_copy_only=False)
        return values
    return table


def _texts_or_numbers(table: Any) -> Any:
    """A column of texts, or the table with its columns of numbers."""
    kinds = _column_kinds(table)
    others = {name: kind for name, kind in kinds.items() if kind not in ("number", "text")}
    if others:
        listed = ", ".join(f"{name!r} ({kind})" for name, kind in others.items())
        raise ValueError(f"X has columns that are neither numbers nor texts: {listed}.")
    texts = [name for name, kind in kinds.items() if kind == "text"]
    if not texts:
        return _numbers(table)
    if len(kinds) == 1:
        return table[texts[0]]
    listed = ", ".join(repr(name) for name in texts)
    raise ValueError(
        f"X has columns of text ({listed}) and others. Give one column of text, "
        f"X[{texts[0]!r}], or a table of numbers alone."
    )


def _as_list(X: Any) -> list[Any] | None:
    """The elements of a one-dimensional X; None if it is something else."""
    if isinstance(X, (list, tuple)):
        return list(X)
    if isinstance(X, np.ndarray):
        return X.tolist() if X.ndim == 1 and X.dtype.kind in "OUST" else None
    if _is_a(X, "pandas", "Series", "Index") or _is_a(X, "polars", "Series"):
        return X.to_list()
    if _is_a(X, "pyarrow", "Array", "ChunkedArray"):
        return X.to_pylist()
    return None


def _is_missing(element: Any) -> bool:
    """Whether it is None, NaN, or what pandas writes for them."""
    is_nan = isinstance(element, float) and element != element
    return element is None or is_nan or type(element).__name__ == "NAType"


def _as_texts(X: Any, column: Any = None) -> list[str] | None:
    """The texts of X, a column of a table or no part of one; None if X does not begin with one."""
    elements = _as_list(X)
    first = next((one for one in elements or () if not _is_missing(one)), None)
    if not isinstance(first, (str, bytes)):
        return None
    for place, element in enumerate(elements):
        if isinstance(element, str):
            continue
        where = f"X[{place}]" if column is None else f"Row {place} of column {column!r} of X"
        if _is_missing(element):
            raise ValueError(
                f"{where} is missing ({element!r}). Give an empty str for an example without "
                "text, or leave it out."
            )
        raise TypeError(f"Texts must be str. {where} is {type(element).__name__}: {element!r}.")
    return elements


def is_mapped(array: Any) -> bool:
    """Whether an array lies in a file that is mapped and shared.

    A view has the map among its bases. Mode 'c' is a private copy on writing, whose pages the
    system cannot drop once they are changed.
    """
    while isinstance(array, np.ndarray):
        if isinstance(array, np.memmap) and getattr(array, "_mmap", None) is not None:
            return array.mode != "c"
        array = array.base
    return False


def _converted_matrix(X: Any, given: Any, estimator: Any, verbose: int) -> Dense | Sparse:
    # The library looks for NaN while it reads, and for what is infinite in float32.
    with np.errstate(over="ignore"):
        matrix = check_array(
            X,
            accept_sparse="csr",
            dtype=np.float32,
            order="C",
            ensure_all_finite=False,
            estimator=estimator,
            input_name="X",
        )
    if isinstance(matrix, np.ndarray):
        # A view into a structure or a buffer may begin in the middle of a word.
        if not matrix.flags.aligned:
            matrix = np.require(matrix, requirements="CA")
        if not (isinstance(X, np.ndarray) and np.may_share_memory(matrix, X)):
            _log.log(
                logging.INFO if verbose else logging.DEBUG,
                "X, %s, was converted to float32 in the order of C: %.1f MiB",
                getattr(given, "dtype", type(given).__name__),
                matrix.nbytes / 2**20,
            )
        return Dense(matrix, given, is_mapped(matrix))
    if not matrix.has_canonical_format:
        matrix = matrix.copy() if matrix is X else matrix
        matrix.sum_duplicates()
    # SciPy makes indices of 64 bits for large matrices; the library has columns of 32 bits.
    indices = np.require(matrix.indices, requirements="CA")
    if indices.dtype != np.int32:
        if matrix.shape[1] > 2**32:
            raise ValueError(f"X has {matrix.shape[1]} columns; 4294967296 are the most.")
        indices = indices.astype(np.uint32)
    values = np.require(matrix.data, requirements="CA")
    return Sparse(matrix.indptr.astype(np.int64), indices, values, matrix.shape[1], given)


def read(X: Any, *, estimator: Any = None, verbose: int = 0) -> Input:
    """X in the form that the library reads.

    Parameters
    ----------
    X : {array-like, sparse matrix, table, texts, path}
        What the user gives.
    estimator : object, default=None
        Whose name errors of scikit-learn mention.
    verbose : int, default=0
        Above 0, conversions are logged at level INFO.
    """
    if is_path(X):
        return File(existing_path(X))
    if _is_a(X, "polars", "LazyFrame"):
        X = X.collect()
    given = X
    column = None
    if is_table(X):
        column = next(iter(_column_kinds(X)), None)
        X = _texts_or_numbers(X)
    texts = _as_texts(X, column)
    if texts is not None:
        return Texts(texts)
    return _converted_matrix(X, given, estimator, verbose)


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
