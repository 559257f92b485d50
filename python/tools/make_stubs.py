"""Writes python/cane/_classifier.pyi from the field list of the library.

Tools that read code without running it do not see a signature that is built from the field list.
A test compares the file with what this script makes. Usage: make_stubs.py [FILE]
"""

import pathlib
import sys

from cane._options import Parameter, parameters, signature

_HEAD = """\
# Made by tools/make_stubs.py; do not edit.
import os
from typing import Any, Literal, Self

import numpy as np
import scipy.sparse
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator, ClassifierMixin

from cane._explain import Explanation

class Classifier(ClassifierMixin, BaseEstimator):
    classes_: np.ndarray
    n_features_in_: int
    feature_names_in_: np.ndarray
    class_vectors_: np.ndarray
    class_biases_: np.ndarray
    coverage_: float
    history_: list[dict[str, Any]]
    n_iter_: int
    calibration_: dict[str, Any]
"""

_TAIL = """\
    def fit(
        self,
        X: Any,
        y: Any = None,
        sample_weight: ArrayLike | None = None,
        *,
        validation: Any = None,
    ) -> Self: ...
    def partial_fit(
        self,
        X: Any,
        y: Any = None,
        classes: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
    ) -> Self: ...
    def predict(self, X: Any) -> np.ndarray: ...
    def predict_top_k(
        self,
        X: Any,
        k: int = 5,
        *,
        beam: int = 0,
        noises: int = 64,
        probability: Literal["none", "estimate", "exact", "auto"] = "auto",
        reject: float = 0.0,
    ) -> tuple[np.ndarray, np.ndarray]: ...
    def predict_proba(
        self, X: Any, top_k: int | None = None
    ) -> np.ndarray | scipy.sparse.csr_array: ...
    def predict_log_proba(self, X: Any) -> np.ndarray: ...
    def decision_function(self, X: Any) -> np.ndarray: ...
    def score(self, X: Any, y: Any = None, sample_weight: ArrayLike | None = None) -> float: ...
    def explain(self, X: Any, n_features: int = 10) -> list[Explanation]: ...
    def save(self, path: str | os.PathLike[str]) -> None: ...
    def export_onnx(self, path: str | os.PathLike[str]) -> None: ...
"""

_OWN_TYPES = {
    "random_state": "int | np.random.RandomState | None",
    "n_jobs": "int | None",
    "class_weight": "dict[Any, float] | Literal['balanced'] | None",
    "callbacks": "list[Any] | None",
}


def _annotation(parameter: Parameter) -> str:
    if parameter.name in _OWN_TYPES:
        return _OWN_TYPES[parameter.name]
    if parameter.kind.startswith("{"):
        return f"Literal[{parameter.kind[1:-1]}]"
    words = parameter.kind.split()
    if words[0] == "tuple":
        return "tuple[int, int] | None"
    kind = words[0].rstrip(",")
    return f"{kind} | None" if words[-1] == "None" else kind


def stub() -> str:
    """The text of the file."""
    lines = ["    def __init__(", "        self,"]
    is_keyword_only = False
    for name, member in list(signature().parameters.items())[1:]:
        if member.kind is member.KEYWORD_ONLY and not is_keyword_only:
            is_keyword_only = True
            lines.append("        *,")
        parameter = parameters()[name]
        lines.append(f"        {name}: {_annotation(parameter)} = {parameter.default!r},")
    lines.append("    ) -> None: ...")
    return _HEAD + "\n".join(lines) + "\n" + _TAIL


if __name__ == "__main__":
    default = pathlib.Path(__file__).parent.parent / "cane" / "_classifier.pyi"
    pathlib.Path(*sys.argv[1:] or [default]).write_text(stub(), encoding="utf-8")
