"""The report's pictures, drawn by matplotlib, as SVG. Where matplotlib is missing there are none."""

import io

COLOURS = ("#222222", "#e69f00", "#56b4e9", "#cc79a7", "#009e73", "#0072b2", "#d55e00", "#999999")
MARKS = "osv^D<>Ph*XdH"
SHOWN = 30.0  # points of accuracy below the best end


def _plot(count, title):
    try:
        import matplotlib
    except ImportError:
        return None
    matplotlib.use("Agg")
    # The same figures give the same file.
    matplotlib.rcParams.update({"svg.hashsalt": title, "font.size": 9, "axes.spines.top": False,
                                "axes.spines.right": False, "legend.frameon": False})
    from matplotlib import pyplot
    figure, axes = pyplot.subplots(1, count, figsize=(1.0 + 4.2 * count, 3.6), layout="constrained", squeeze=False)
    figure.suptitle(title)
    return figure, list(axes[0])


def _svg(figure, names, axes):
    from matplotlib import pyplot
    handles, labels = axes[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside right center" if names else "outside lower center")
    text = io.StringIO()
    figure.savefig(text, format="svg", metadata={"Date": None})
    pyplot.close(figure)
    return "\n".join(line.rstrip() for line in text.getvalue().split("\n"))


def _line(axis, number, name, xs, ys, **style):
    axis.plot(xs, ys, label=name, color=COLOURS[number % len(COLOURS)], marker=MARKS[number % len(MARKS)],
              markevery=max(len(xs) // 8, 1), markersize=4, linewidth=1.3, **style)


def curves(title, lines, what="accuracy, %", scale=100.0, log_seconds=True):
    """`lines`: name -> [(epoch, seconds, value)]. One panel by epoch, one by seconds of training."""
    lines = {name: points for name, points in lines.items() if points}
    made = _plot(2, title) if lines else None
    if not made:
        return ""
    figure, axes = made
    ends = {name: scale * points[-1][2] for name, points in lines.items()}
    low = max(min(end for end in ends.values() if end > max(ends.values()) - SHOWN) - 5.0, 0.0)
    is_accuracy = what.startswith("accuracy")
    for number, (name, points) in enumerate(lines.items()):
        label = f"{name} (ends at {ends[name]:.0f}%)" if is_accuracy and ends[name] < low else name
        for axis, place in zip(axes, (0, 1)):
            _line(axis, number, label, [point[place] for point in points], [scale * point[2] for point in points])
    if is_accuracy:
        # The first epochs, and a method far below the others, would flatten all that is of interest.
        for axis in axes:
            axis.set_ylim(low, min(max(scale * point[2] for points in lines.values() for point in points) + 2.0, 100.0))
    axes[0].set_xlabel("epoch")
    axes[1].set_xlabel("seconds of training")
    axes[0].set_ylabel(what)
    if log_seconds:
        axes[1].set_xscale("log")
    return _svg(figure, True, axes)


def against(title, panels, x_label, y_label, logarithmic=False):
    """`panels`: heading -> {name -> [(x, y)]}."""
    made = _plot(len(panels), title) if any(any(lines.values()) for lines in panels.values()) else None
    if not made:
        return ""
    figure, axes = made
    for axis, (heading, lines) in zip(axes, panels.items()):
        for number, (name, points) in enumerate(lines.items()):
            if points:
                _line(axis, number, name, *zip(*points), linestyle="--" if "predicted" in name else "-")
        axis.set_title(heading, fontsize=9)
        axis.set_xlabel(x_label)
        if logarithmic:
            axis.set_xscale("log")
            axis.set_yscale("log")
    axes[0].set_ylabel(y_label)
    return _svg(figure, True, axes)
