"""The errors of the library in the words and classes of Python, in one place."""

import contextlib
import re
from collections.abc import Iterator
from typing import Any

from cane import _core
from cane._options import field_names, name_in_python


class Error(ValueError):
    """What is wrong with a file, a model or the data, and how to mend it."""

    __module__ = "cane"


class DeviceError(Error, RuntimeError):
    """The device that was asked for cannot be used here, and what to do about it."""

    __module__ = "cane"


# A field of the library, with a value if one is meant: `swap_resistance`, `select tree`.
_QUOTED = re.compile(r"`([a-z0-9_]+)(?: ([^`]+))?`")
_IS_NUMBER = re.compile(r"-?\d+(\.\d+)?")


def in_python(message: str) -> str:
    """A message of the library with the names and the spelling of Python's parameters."""

    def spelled(match: re.Match[str]) -> str:
        field, value = match.groups()
        if field not in field_names():
            return match.group()
        if value is None:
            return f"`{name_in_python(field)}`"
        written = value if _IS_NUMBER.fullmatch(value) else repr(value)
        return f"`{name_in_python(field)}={written}`"

    # What the library chooses by itself is None here, except among the values of a choice.
    return _QUOTED.sub(spelled, message).replace(", or auto", ", or None")


def _not_finite(values: tuple[Any, ...]) -> ValueError:
    """Says in scikit-learn's own words what is not finite, where scikit-learn finds it."""
    from sklearn.utils import assert_all_finite

    for array in values:
        try:
            assert_all_finite(array, estimator_name="Classifier", input_name="X")
        except ValueError as found:
            return found
    return ValueError("Input X contains values whose squares are too large for dtype('float32').")


def translated(error: Exception, values: tuple[Any, ...] = ()) -> Exception:
    """The exception of Python for one of the library.

    Parameters
    ----------
    error : _core.Error
        What the library raised.
    values : tuple of arrays, default=()
        Where to look for NaN and infinity if the library found some: X as it was given, and as it
        was converted.
    """
    if isinstance(error, _core.NonFiniteError):
        return _not_finite(values)
    message = in_python(str(error))
    if isinstance(error, _core.DeviceError):
        return DeviceError(message)
    is_option = isinstance(error, _core.OptionError)  # type: ignore[attr-defined]
    return ValueError(message) if is_option else Error(message)


@contextlib.contextmanager
def library_errors(values: tuple[Any, ...] = ()) -> Iterator[None]:
    """Raises what the library raises within the block as `translated` says."""
    try:
        yield
    except _core.Error as error:
        raise translated(error, values) from None
