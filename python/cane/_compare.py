"""Methods side by side on the same data."""

import time
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from cane import _core
from cane._classifier import Classifier
from cane._errors import library_errors
from cane._fitting import labelled_dataset
from cane._options import parameters_of
from cane._plots import draw_comparison
from cane._training import Observer, run, seed_of

if TYPE_CHECKING:
    import pandas

_COLUMNS = (
    "method",
    "accuracy",
    "train_seconds",
    "predict_microseconds",
    "model_bytes",
    "log_loss",
    "error",
)


def _estimators(
    methods: Iterable[str | Mapping[str, Any]], common: Mapping[str, Any]
) -> dict[str, Classifier]:
    """An estimator for each method, by its name in the table."""
    found: dict[str, Classifier] = {}
    for method in methods:
        own = {"method": method} if isinstance(method, str) else dict(method)
        words = [
            str(value) if name == "method" else f"{name}={value}"
            for name, value in own.items()
            if name != "name"
        ]
        name = str(own.pop("name", " ".join(words)))
        if name in found:
            raise ValueError(f"Two methods have the name {name!r}; give one of them another name.")
        found[name] = Classifier(**{**common, **own})
    return found


def _measured(
    estimator: Classifier, X: Any, y: Any, X_test: Any, y_test: Any, test_size: float
) -> tuple[Any, ...]:
    """Trains and measures: a row of the table, without the name."""
    observer = Observer(estimator)
    ready = estimator._prepared(X, y, None, observer)
    training = ready.dataset
    with library_errors():
        if X_test is None:
            training, test = training.split(test_size, ready.config["seed"])
        else:
            test = labelled_dataset(estimator, X_test, y_test, training, ready.type_of_labels())
        started = time.perf_counter()
        model = run(observer, training, ready.config)["model"]
        seconds = time.perf_counter() - started
        measures = _core.evaluate(model, test, {"threads": ready.config["threads"]})
    per_example = 1e6 * measures["seconds"] / measures["examples"]
    log_loss = float("nan") if measures["log_loss"] is None else measures["log_loss"]
    return measures["accuracy"], seconds, per_example, model.weight_bytes, log_loss, ""


def compare(
    X: Any,
    y: Any = None,
    methods: Iterable[str | Mapping[str, Any]] = ("cane", "softmax", "hsm"),
    X_test: Any = None,
    y_test: Any = None,
    test_size: float = 0.2,
    plot: bool | None = None,
    **params: Any,
) -> "pandas.DataFrame":
    """Train several methods on the same examples and measure them on the same others.

    Parameters
    ----------
    X : {array-like, sparse matrix, table, texts, path}
        Examples.
    y : array-like of shape (n_samples,), path or None, default=None
        Their labels, as for `Classifier.fit`.
    methods : iterable of str or dict, default=("cane", "softmax", "hsm")
        A str is a method's name; a dict has parameters of `Classifier` and may have a "name".
    X_test, y_test : default=None
        What to measure on. Without, a part of X is held out; the features of texts are then chosen
        on all of X.
    test_size : float, default=0.2
        The share of X that is held out.
    plot : bool or None, default=None
        Whether to draw accuracy against time. None: in a notebook, if there is matplotlib.
    **params
        Parameters of `Classifier` for all methods.

    Returns
    -------
    table : pandas.DataFrame
        A row for each method: `method`, `accuracy`, `train_seconds`, `predict_microseconds` for an
        example on all threads, `model_bytes`, `log_loss` (NaN without probabilities), and `error`:
        why there are no numbers, or "".
    """
    import pandas

    # One seed for all, so that they hold out the same examples and begin alike.
    params = {**params, "random_state": seed_of(params.get("random_state"))}
    # The features are chosen once, for all: errors of the data come here.
    first = Classifier(**params)
    chosen = parameters_of("data", first._prepared(X, y, None, Observer(first)).options)
    rows = []
    for name, estimator in _estimators(methods, {**chosen, **params}).items():
        try:
            measures = _measured(estimator, X, y, X_test, y_test, test_size)
        except ValueError as error:
            # A method that does not go together with the data does not end the others.
            measures = (*(float("nan"),) * (len(_COLUMNS) - 2), str(error))
        rows.append((name, *measures))
    frame = pandas.DataFrame(rows, columns=list(_COLUMNS))
    draw_comparison(frame, plot)
    return frame
