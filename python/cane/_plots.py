"""Pictures of comparisons and searches, with matplotlib."""

import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas


def _is_notebook() -> bool:
    """Whether results are shown on a page; a terminal with IPython is none."""
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    return shell is not None and hasattr(shell, "kernel")


def _is_wanted(plot: bool | None) -> bool:
    if plot is not None:
        return plot
    if not _is_notebook():
        return False
    try:
        import matplotlib  # noqa: F401
    except ImportError:
        return False
    return True


def _show(figure: Any) -> None:
    """Shows a figure on the page of a notebook, once; elsewhere the user calls `show`."""
    if _is_notebook():
        from IPython.display import display
        from matplotlib import pyplot

        display(figure)
        pyplot.close(figure)


def draw_comparison(frame: "pandas.DataFrame", plot: bool | None) -> None:
    """Accuracy against seconds of training, a point for each method."""
    done = frame[frame["error"] == ""]
    if not _is_wanted(plot) or done.empty:
        return
    from matplotlib import pyplot

    figure, axes = pyplot.subplots()
    for row in done.itertuples():
        axes.scatter(row.train_seconds, row.accuracy)
        axes.annotate(
            row.method,
            (row.train_seconds, row.accuracy),
            xytext=(5, 3),
            textcoords="offset points",
        )
    axes.set_xscale("log")
    axes.set_xlabel("seconds of training")
    axes.set_ylabel("accuracy")
    axes.margins(x=0.15, y=0.15)
    _show(figure)


def draw_trials(frame: "pandas.DataFrame", plot: bool | None) -> None:
    """Accuracy of the trials in their order, coloured by how much they trained."""
    done = frame[frame["error"] == ""]
    if not _is_wanted(plot) or done.empty:
        return
    from matplotlib import pyplot

    figure, axes = pyplot.subplots()
    points = axes.scatter(done.index + 1, done["accuracy"], c=done["epochs"])
    axes.plot(done.index + 1, done["accuracy"].cummax(), color="gray", linewidth=1)
    figure.colorbar(points, label="epochs")
    axes.set_xlabel("trial")
    axes.set_ylabel("accuracy on held-out examples")
    _show(figure)
