"""Why a model answers as it does."""

import dataclasses
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from cane import _core
from cane._errors import library_errors
from cane._inputs import Dense, File, Input, Sparse, Texts

if TYPE_CHECKING:
    import pandas


class Contribution(NamedTuple):
    """What a feature adds to the scores of the first and of the second answer."""

    feature: str
    value: float
    first: float
    second: float

    @property
    def difference(self) -> float:
        """Above 0: it speaks for the first answer and against the second."""
        return self.first - self.second


@dataclasses.dataclass(frozen=True)
class Explanation:
    """The first and the second answer to an example, and what speaks for which.

    Parameters
    ----------
    first_class, second_class : label
        The two best classes.
    first_score, second_score : float
        Their scores, the sums of what all features add.
    contributions : list of Contribution
        Sorted by absolute difference, the largest first.
    """

    first_class: Any
    second_class: Any
    first_score: float
    second_score: float
    contributions: list[Contribution]

    def to_frame(self) -> "pandas.DataFrame":
        """The contributions as a table of pandas."""
        import pandas

        rows = [(*row, row.difference) for row in self.contributions]
        return pandas.DataFrame(rows, columns=[*Contribution._fields, "difference"])

    def __str__(self) -> str:
        first = f"{self.first_class} ({self.first_score:.4g})"
        lines = [f"{first} before {self.second_class} ({self.second_score:.4g})"]
        width = max((len(row.feature) for row in self.contributions), default=0)
        lines += [
            f"  {row.feature:<{width}}  {row.value:>9.4g}  {row.first:>+9.4g}  {row.second:>+9.4g}"
            f"  {row.difference:>+9.4g}"
            for row in self.contributions
        ]
        return "\n".join(lines)


class Explaining:
    """The part of the estimator that explains its answers."""

    if TYPE_CHECKING:
        _model: Any
        _labels_by_id: np.ndarray

        def _read(self, X: Any) -> Input: ...

    def explain(self, X: Any, n_features: int = 10) -> list[Explanation]:
        """Which features speak for the first and against the second answer.

        Parameters
        ----------
        X : {array-like, sparse matrix, table, texts}
            Examples.
        n_features : int, default=10
            How many features of each example to name.

        Returns
        -------
        explanations : list of Explanation
            One for each example. Not there for methods whose scores are no sums over the features:
            online trees, `method='hsm'` and `encoder='mlp'`.
        """
        examples = self._read(X)
        if isinstance(examples, File):
            raise TypeError("Files are not explained: give examples, or use `cane explain`.")
        with library_errors():
            explainer = _core.Explainer(self._model)
            found = [self._explained(explainer, examples, row) for row in range(examples.size)]
        return [self._in_python(explanation, n_features) for explanation in found]

    @staticmethod
    def _explained(explainer: Any, examples: Any, row: int) -> dict[str, Any]:
        if isinstance(examples, Texts):
            return explainer.explain_text(examples.texts[row])
        if isinstance(examples, Dense):
            return explainer.explain_dense(examples.values[row])
        assert isinstance(examples, Sparse)
        one = examples.rows(row, row + 1)
        return explainer.explain_sparse(one.indices, one.values)

    def _in_python(self, found: dict[str, Any], n_features: int) -> Explanation:
        labels = self._labels_by_id
        rows = [
            Contribution(self._name_of(feature), value, first, second)
            for feature, value, first, second in found["contributions"][:n_features]
        ]
        return Explanation(
            labels[found["first_class"]],
            labels[found["second_class"]],
            found["first_score"],
            found["second_score"],
            rows,
        )

    def _name_of(self, feature: str) -> str:
        """The name of a column, which the library knows by number; others are names already."""
        if self._model.takes_text or not feature.isdecimal():
            return feature
        names = getattr(self, "feature_names_in_", None)
        return f"x{feature}" if names is None else str(names[int(feature)])
