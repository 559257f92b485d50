"""A search for options that suit the data."""

import warnings
from typing import TYPE_CHECKING, Any

from sklearn.exceptions import ConvergenceWarning

from cane import _core
from cane._classifier import Classifier
from cane._errors import in_python, library_errors
from cane._options import checked_options, parameters_of
from cane._plots import draw_trials
from cane._training import Observer, progress_bar, search_features, seed_of

if TYPE_CHECKING:
    import pandas


class _TrialObserver(Observer):
    """Shows how far a search is, a step for each trial."""

    def __init__(self, estimator: Any, trials: int) -> None:
        super().__init__(estimator)
        self._trials = trials
        self._best = 0.0

    def on_progress(self, progress: dict[str, Any]) -> None:
        """Nothing: trials are short."""

    def on_trial(self, trial: dict[str, Any]) -> None:
        """Moves the progress bar."""
        self._best = max(self._best, trial["accuracy"])
        if not self._verbose:
            return
        if self._bar is None:
            self._bar = progress_bar()(total=self._trials or None, desc="tuning", unit="trial")
        self._bar.set_postfix(best=f"{self._best:.4f}", refresh=False)
        self._bar.update()

    def close(self, result: dict[str, Any] | None) -> None:
        """Ends the progress bar."""
        if self._bar is not None:
            self._bar.close()


def _table(trials: list[dict[str, Any]]) -> "pandas.DataFrame":
    """The trials, with the options that differ between them."""
    import pandas

    configs = [parameters_of("train", trial["config"]) for trial in trials]
    names = sorted({name for config in configs for name in config} - {"epochs"})
    differ = [name for name in names if len({repr(config.get(name)) for config in configs}) > 1]
    rows = [
        [config.get(name) for name in differ]
        + [trial["rung"], trial["epochs"], trial["accuracy"], trial["seconds"]]
        + [in_python(trial["error"])]
        for config, trial in zip(configs, trials, strict=True)
    ]
    columns = [*differ, "rung", "epochs", "accuracy", "seconds", "error"]
    return pandas.DataFrame(rows, columns=columns)


def tune(
    X: Any,
    y: Any = None,
    *,
    trials: int = 0,
    seconds: float = 0.0,
    plot: bool | None = None,
    **params: Any,
) -> "pandas.DataFrame":
    """Search rate, optimiser, candidates and more for the best accuracy on held-out examples.

    Parameters
    ----------
    X : {array-like, sparse matrix, table, texts, path}
        Examples. For texts and sparse rows, features are searched first.
    y : array-like of shape (n_samples,), path or None, default=None
        Their labels, as for `Classifier.fit`.
    trials : int, default=0
        Maximum number of trials, without a time limit; the same `random_state` then finds the same.
    seconds : float, default=0.0
        Where `trials` is 0, how long the search may take; 0 means 300 seconds.
    plot : bool or None, default=None
        Whether to draw the trials. None: in a notebook, if there is matplotlib.
    **params
        Parameters of `Classifier`, which the search leaves as they are, and `protocol` and
        `held_out` of the program's `cane tune`.

    Returns
    -------
    trials : pandas.DataFrame
        A row for each trial: the options that differ between trials, `rung`, `epochs`, `accuracy`,
        `seconds` and `error`. Its `attrs["best_params"]` are for `Classifier(**best_params)`, and
        `attrs["best_trial"]` is the row of the best one, or None.
    """
    own = {field["name"] for field in _core.fields("tune")}
    search = {name: params.pop(name) for name in own & params.keys()}
    search = checked_options("tune", search | {"trials": trials, "seconds": seconds})
    params["random_state"] = seed_of(params.get("random_state"))
    estimator = Classifier(**params)
    observer = _TrialObserver(estimator, trials)
    ready = estimator._prepared(X, y, None, observer, choose=search_features)
    result = None
    try:
        with library_errors():
            # What the user gives is not searched; a field has the name of its parameter there.
            result = _core.tune(ready.dataset, ready.config, search, observer, list(params))
    finally:
        observer.close(result)
    if result["interrupted"]:
        warnings.warn(
            f"The search was interrupted after {len(result['trials'])} trials.",
            ConvergenceWarning,
            stacklevel=2,
        )
    frame = _table(result["trials"])
    found = parameters_of("data", ready.options) | parameters_of("train", result["config"])
    frame.attrs["best_params"] = {**params, **found}
    frame.attrs["best_trial"] = result["best"]
    draw_trials(frame, plot)
    return frame
