"""Labels: `y` as the numbers and names of the library, and back.

The library knows classes by name. Which type the names had in Python is kept in the model's
attributes, so that a file gives back integers for integers.
"""

import re
import warnings
from typing import Any

import numpy as np
from sklearn.utils import assert_all_finite, column_or_1d
from sklearn.utils.multiclass import check_classification_targets

TYPE_ATTRIBUTE = "python.classes"

_IS_INTEGER = re.compile(r"0|-?[1-9][0-9]{0,17}")


def checked_labels(y: Any) -> np.ndarray:
    """`y` as a vector; raises what scikit-learn raises for what cannot be labels."""
    y = column_or_1d(_without_extension(y), warn=True)
    assert_all_finite(y, input_name="y")
    if y.dtype.kind == "O":
        for place, label in enumerate(y):
            if not isinstance(label, str):
                raise ValueError(  # noqa: TRY004, as scikit-learn does
                    f"Unknown label type: labels in an array of objects must be str, but y[{place}]"
                    f" is {type(label).__name__}."
                )
    with warnings.catch_warnings():
        # Many classes with few examples each are what this package is for.
        warnings.filterwarnings("ignore", "The number of unique classes", UserWarning)
        check_classification_targets(y)
    return y


def _without_extension(y: Any) -> Any:
    """Types of pandas that allow for missing values, where none is missing, as types of NumPy."""
    numpy_type = getattr(getattr(y, "dtype", None), "numpy_dtype", None)
    if numpy_type is None or not hasattr(y, "isna") or y.isna().any():
        return y
    return y.to_numpy(dtype=numpy_type)


def encoded(y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The different labels in order, and for each example the place of its own among them."""
    classes, codes = np.unique(y, return_inverse=True)
    return classes, codes.astype(np.uint32).reshape(-1)


def names_of(classes: np.ndarray) -> list[str]:
    """The names of classes in the library and its files."""
    # `repr` of a float is the shortest text that gives the same float back.
    to_name = repr if classes.dtype.kind == "f" else str
    return [to_name(label) for label in classes.tolist()]


def _guessed(names: list[str]) -> np.ndarray:
    if all(_IS_INTEGER.fullmatch(name) for name in names):
        return np.array([int(name) for name in names], dtype=np.int64)
    return np.array(names, dtype=np.str_)


def labels_of(names: list[str], type_name: str | None) -> np.ndarray:
    """The labels that have these names.

    Parameters
    ----------
    names : list of str
        Names of the library.
    type_name : str or None
        What `TYPE_ATTRIBUTE` says. Without it, or where a program has added names that do not fit,
        names that are all whole numbers become integers, others strings.
    """
    if type_name is None:
        return _guessed(names)
    try:
        dtype = np.dtype(type_name)
        if dtype.kind == "b":
            return np.array([{"False": False, "True": True}[name] for name in names], dtype=dtype)
        if dtype.kind in "iu":
            return np.array([int(name) for name in names], dtype=dtype)
        if dtype.kind == "f":
            return np.array([float(name) for name in names], dtype=dtype)
        if dtype.kind == "O":
            return np.array(names, dtype=object)
        return np.array(names, dtype=np.str_)
    except (KeyError, OverflowError, TypeError, ValueError):
        return _guessed(names)


def joined_type(known: np.dtype, new: np.dtype) -> np.dtype:
    """The type of labels that come from two sources; raises ValueError if they do not mix."""
    texts = "OUT"
    if known.kind in texts and new.kind in texts:
        # Without a length, so that a conversion takes the longest text.
        return np.dtype(np.str_) if known.kind == "U" else known
    if known.kind in "biuf" and new.kind in "biuf":
        joined = np.promote_types(known, new)
        # The names of True, 1 and 1.0 differ, so the classes that are there must keep theirs.
        if joined.kind == known.kind or (joined.kind in "iu" and known.kind in "iu"):
            return joined
    raise ValueError(
        f"Labels of type {new} do not go together with the classes of the model, which have type "
        f"{known}."
    )
