"""The options of the library as parameters of the estimator.

Names, defaults, ranges and texts come from the field list of the library. What Python does in its
own way is in one table here; nothing else repeats an option.
"""

import functools
import inspect
import numbers
import operator
import os
import textwrap
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from cane import _core

_GIVEN = "by the user, as a parameter"
_OURS = "by a parameter that Python explains and converts itself"
_SET = "by this package, for each call"


class _Handling(NamedTuple):
    name: str  # in Python: in the signature and in messages
    value: str  # who gives its value


# Fields that are not simply a parameter of the same name. A field without a group in the list is
# not meant for users: it needs a row here to become a parameter.
_HANDLED = {
    "seed": _Handling("random_state", _OURS),
    "threads": _Handling("n_jobs", _OURS),
    "class_weight": _Handling("class_weight", _OURS),
    "weights": _Handling("feature_weights", _GIVEN),
    "keep_best": _Handling("keep_best", _GIVEN),
    "labels_path": _Handling("y", _SET),
    "resume": _Handling("warm_start", _SET),
    "parallel": _Handling("parallel", _SET),  # one process is all there is
    "checkpoint_every": _Handling("checkpoint_every", _SET),
    "checkpoint_path": _Handling("checkpoint_path", _SET),
    "require_labels": _Handling("require_labels", _SET),
    "add_labels": _Handling("add_labels", _SET),
    "write_cache": _Handling("write_cache", _SET),
}


class Parameter(NamedTuple):
    """A parameter of the estimator, as its signature and its documentation show it."""

    name: str
    default: Any
    kind: str  # in the words of numpydoc
    text: str


_OWN_PARAMETERS = (
    Parameter(
        "random_state",
        None,
        "int, RandomState instance or None",
        "Seed of all random numbers; an int is the program's `--seed`. None draws one from NumPy's "
        "global random state.",
    ),
    Parameter(
        "n_jobs",
        None,
        "int or None",
        "Number of threads. None means one for each core, and one within a worker of joblib; -1 "
        "means all cores. Fewer than 2,000 examples are trained on by one thread.",
    ),
    Parameter(
        "verbose",
        0,
        "int",
        "0: silent; 1: a progress bar; 2: the messages of the training go to the logger 'cane' at "
        "level INFO, too.",
    ),
    Parameter(
        "class_weight",
        None,
        "dict, 'balanced' or None",
        "How much the examples of a class count, as {class: weight}; 'balanced': all classes count "
        "the same.",
    ),
    Parameter(
        "warm_start",
        False,
        "bool",
        "Whether `fit` goes on from the model that is there; new classes are added to it.",
    ),
    Parameter(
        "callbacks",
        None,
        "list of Callback or None",
        "Called after every epoch; they can stop the training. See `EarlyStopping`.",
    ),
    Parameter(
        "memory_limit",
        2 * 2**30,
        "int",
        "Bytes that a result of `predict_proba`, `predict_log_proba` or `decision_function` over "
        "all classes may take. Beyond them `predict_top_k` is the way.",
    ),
)

_FIRST = (
    "method",
    "select",
    "candidates",
    "encoder",
    "epochs",
    "random_state",
    "n_jobs",
    "verbose",
)


def name_in_python(field: str) -> str:
    """The name that a field of the library has for the users of Python."""
    return _HANDLED[field].name if field in _HANDLED else field


@functools.cache
def field_names() -> frozenset[str]:
    """The names of all fields that messages of the library may mention."""
    kinds = ("train", "data", "predict", "evaluate", "tune", "calibrate", "quantize")
    return frozenset(field["name"] for kind in kinds for field in _core.fields(kind))


@functools.cache
def _given_fields(kind: str) -> tuple[dict[str, Any], ...]:
    """The fields whose value is a parameter of the estimator."""

    def is_given(field: dict[str, Any]) -> bool:
        if field["name"] in _HANDLED:
            return _HANDLED[field["name"]].value == _GIVEN
        return field["group"] != ""

    return tuple(field for field in _core.fields(kind) if is_given(field))


def _described(field: Mapping[str, Any]) -> str:
    """The type of a field in the words of numpydoc."""
    if field["type"] == "choice":
        return "{" + ", ".join(repr(name) for name, _ in field["values"]) + "}"
    words = {"pair": "tuple of two ints", "ints": "list of ints"}.get(field["type"], field["type"])
    least, most = field["least"], field["most"]
    if least is not None and most is not None:
        words += f", {'above' if field['without_least'] else 'from'} {least:g}"
        words += f" {'and below' if field['without_most'] else 'to'} {most:g}"
    elif least is not None:
        words += f" {'above' if field['without_least'] else 'of at least'} {least:g}"
    elif most is not None:
        words += f" {'below' if field['without_most'] else 'of at most'} {most:g}"
    return words + (" or None" if field["has_auto"] else "")


def _explained(field: Mapping[str, Any]) -> str:
    """The text of a field; in the list it is that of the program's option."""
    text = str(field["help"])
    # An option of the program that turns something off has a text that says what then happens.
    if field["type"] == "bool" and field["default"] and field["group"]:
        text = f"False: {text}"
    text = text[0].upper() + text[1:] + "."
    if field["has_auto"]:
        text += " None: chosen to fit the data."
    summaries = [(name, summary) for name, summary in field["values"] or () if summary]
    if summaries:
        text += "\n\n" + "\n".join(f"- {name!r}: {summary}" for name, summary in summaries)
    return text


@functools.cache
def parameters() -> dict[str, Parameter]:
    """All parameters of the estimator by name, in the order of the signature."""
    found = {parameter.name: parameter for parameter in _OWN_PARAMETERS}
    for kind in ("train", "data"):
        for field in _given_fields(kind):
            name = name_in_python(field["name"])
            found[name] = Parameter(name, field["default"], _described(field), _explained(field))
    rest = [name for name in found if name not in _FIRST]
    # What the field list has comes first, as its groups order it; Python's own follow.
    own = {parameter.name for parameter in _OWN_PARAMETERS}
    rest.sort(key=lambda name: name in own)
    return {name: found[name] for name in (*_FIRST, *rest)}


def signature() -> inspect.Signature:
    """The signature of the estimator's `__init__`."""
    first = inspect.Parameter.POSITIONAL_OR_KEYWORD
    members = [inspect.Parameter("self", first)]
    for name, parameter in parameters().items():
        kind = first if name in _FIRST else inspect.Parameter.KEYWORD_ONLY
        members.append(inspect.Parameter(name, kind, default=parameter.default))
    return inspect.Signature(members)


def documentation() -> str:
    """The section "Parameters" of the estimator's documentation, in the format of numpydoc."""
    lines = []
    for parameter in parameters().values():
        lines.append(f"{parameter.name} : {parameter.kind}, default={parameter.default!r}")
        for paragraph in parameter.text.split("\n"):
            wrapped = textwrap.wrap(
                paragraph, 92, subsequent_indent="  " if paragraph.startswith("- ") else ""
            )
            lines += [f"    {line}" for line in wrapped] or [""]
    return "\n".join(lines)


def _whole_number(value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, numbers.Integral):
        raise TypeError
    return operator.index(value)


def _number(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, numbers.Real):
        raise TypeError
    return float(value)


def _truth(value: Any) -> bool:
    # NumPy's truth values are no subclass of bool, and NumPy need not be loaded for this.
    if type(value).__name__ not in ("bool", "bool_"):
        raise TypeError
    return bool(value)


def _text(value: Any) -> str:
    return str(os.fspath(value))


def _pair(value: Any) -> tuple[int, int]:
    least, most = (_whole_number(number) for number in value)
    return least, most


_CONVERSIONS = {
    "choice": (_text, "a str"),
    "str": (_text, "a str"),
    "int": (_whole_number, "an int"),
    "float": (_number, "a number"),
    "bool": (_truth, "a bool"),
    "pair": (_pair, "a pair of ints"),
    "ints": (lambda value: [_whole_number(number) for number in value], "a list of ints"),
}


def _converted(field: Mapping[str, Any], value: Any) -> Any:
    """The value as the library takes it. Its range is the library's business."""
    if value is None and field["has_auto"]:
        return None
    convert, expected = _CONVERSIONS[field["type"]]
    name = name_in_python(field["name"])
    try:
        return convert(value)
    except (TypeError, ValueError):
        allowed = f"{expected} or None" if field["has_auto"] else expected
        raise TypeError(
            f"The {name!r} parameter must be {allowed}. Got {value!r} instead."
        ) from None


def _options(kind: str, given: Mapping[str, Any], groups: Iterable[str] | None) -> dict[str, Any]:
    return {
        field["name"]: _converted(field, given[name_in_python(field["name"])])
        for field in _given_fields(kind)
        if groups is None or field["group"] in groups
    }


def train_options(given: Mapping[str, Any]) -> dict[str, Any]:
    """The options of a training that the parameters ask for, without seed and threads."""
    return _options("train", given, None)


def data_options(given: Mapping[str, Any]) -> dict[str, Any]:
    """The options of reading training data that the parameters ask for."""
    return _options("data", given, None)


def reading_options(given: Mapping[str, Any]) -> dict[str, Any]:
    """The same for data that is read through a model, which keeps how features are made."""
    return _options("data", given, ("Reading",))


def checked_options(kind: str, given: Mapping[str, Any]) -> dict[str, Any]:
    """Keyword arguments that are fields of another list of the library, "calibrate" say."""
    fields = {field["name"]: field for field in _core.fields(kind)}
    for name in given:
        if name not in fields:
            raise TypeError(f"{name!r} is no option; there are {', '.join(fields)}")
    return {name: _converted(fields[name], value) for name, value in given.items()}


def parameters_of(kind: str, options: Mapping[str, Any]) -> dict[str, Any]:
    """Options of the library as parameters of the estimator, those at their defaults left out."""
    return {
        name_in_python(field["name"]): options[field["name"]]
        for field in _given_fields(kind)
        if options.get(field["name"], field["default"]) != field["default"]
    }
