"""From what the user gives as X, arrays, matrices, tables, texts and paths, to one of `_inputs`."""

import logging
import os
import sys
from typing import Any

import numpy as np
from sklearn.utils import check_array

from cane._inputs import Dense, File, Input, Sparse, Texts

_log = logging.getLogger("cane")


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
