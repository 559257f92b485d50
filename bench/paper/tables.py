"""The paper's tables and figures, each with what was measured here."""

from . import language, pictures, series
from .figures import duration, percent, ratio, ratio_of
from .outcome import rate_of
from .page import Section
from .plan import cost_classes, cost_counts
from .published import COVERAGE, TIMES, TREES
from .verdicts import why_rates_differ

# As the paper states them, for training and for prediction; c candidates, n noises, b children of a
# node, J answers. Of CANE, `narrow` and `centroid` are ours.
LAWS = {"hsm": ("b log_b K", "J b log_b K"), "cane:beam:9+1": ("(2c + n) log_b K", "J log_b K"),
        "cane:narrow:9+1": ("K of low rank",) * 2, "cane:centroid:9+1": ("(2c + n) log_b K", "J log_b K"),
        "softmax": ("K", "K"), "filter-tree": ("log K",) * 2, "lomtree": ("log K",) * 2, "recall-tree": ("log K",) * 2}


def figure_2(figures, found):
    made = Section(f"figure2-{found.key}", f"Figure 2: {found.heading}")
    made.say(f"Accuracy on the {found.tests:,} test examples after every epoch over {found.examples:,} training examples "
             f"of {found.classes:,} classes; after the last one in the table, with several seeds the mean and the standard "
             "deviation. First as the paper trains: a tree of arity 10, a constant rate of its grid, weights from zero, "
             "features as they are. \"All epochs\" is the rate of the grid that ends best, one seed; it is chosen by the "
             "test data, as the most that the grid allows. Then our defaults, our own selector and what `cane train` picks.")
    for kind, every, how in (("paper", series.figure_2(found.row), "as the paper trains"),
                             ("ours", series.ours(found.row), "our defaults")):
        lines = {one.label: figures.curve(found.key, kind, one.label, "accuracy") for one in every}
        made.picture(f"figure2-{found.key}-{kind}", f"{found.heading}, {how}",
                     pictures.curves(f"{found.row.title}, {how}", lines))
    rows = []
    for one in series.ours(found.row):
        is_of_paper = any(one.label == other.label for other in series.figure_2(found.row))
        cells = best_cells(figures, found.key, "paper", one.label) if is_of_paper else [""] * 5
        used = figures.first(found.key, "ours", one.label).row().get("options", {})
        text = f"{used['method']} {used['select'] if used['method'] == 'cane' else ''} lr={float(used['lr']):.3g}" if used else ""
        rows.append([one.label, *cells, percent(figures.value(found.key, "ours", one.label, "accuracy"), "-"), text])
    made.table(f"figure2-{found.key}", ["method", "picked by half an epoch", "accuracy", "all epochs: best rate",
                                        "accuracy", "why they differ", "our defaults", "options used"], rows)
    return made


def best_cells(figures, key, kind, label):
    """What half an epoch picks and its accuracy; the rate that ends best, its accuracy, and the reason."""
    picked, grid = figures.picked_or_why(key, label), figures.grid(key, label, series.RATES)
    best = max(grid, key=grid.get) if grid else None
    return [picked, percent(figures.value(key, kind, label, "accuracy"), "-"), f"lr={best}" if best else "not run",
            percent(grid[best]) if best else "", why_rates_differ(rate_of(figures.picked(key, label)), best, grid) if best else ""]


def table_1(figures, sets):
    made = Section("table1", "Table 1: training and testing time")
    made.say("Of the runs of Figure 2 by the paper's protocol, all on the same threads; building the tree is counted, "
             "measuring after epochs is not. `~` is estimated from timed batches, as the paper does where a run would take "
             "too long. Machines differ, so that only ratios compare: how many times as long the softmax takes. Ours is a "
             "product of matrices, and so nearer to the others than the paper's.")
    rows = []
    for found in sets:
        paper, softmax = TIMES.get(found.row.paper_key, {}), [
            figures.value(found.key, "paper", "Softmax", name) for name in ("train_seconds", "test_seconds")]
        for one in series.figure_2(found.row):
            own = [figures.value(found.key, "paper", one.label, name) for name in ("train_seconds", "test_seconds")]
            printed, base = paper.get(one.label), paper.get("Softmax")
            rows.append([f"{found.heading}: {one.label}", duration(own[0]) or "not run", duration(own[1]),
                         *(ratio_of(full, value) for full, value in zip(softmax, own)),
                         *([duration(value) for value in printed] if printed else ["", ""]),
                         *([ratio(full / value) for full, value in zip(base, printed)] if printed else ["", ""])])
    made.table("table1", ["data: method", "training", "testing", "softmax / training", "softmax / testing",
                          "paper: training", "testing", "softmax / training", "softmax / testing"], rows)
    return made


def table_2(figures, sets):
    made = Section("table2", "Table 2: tree classifiers")
    made.say("Ours are tuned by the paper's protocol; next to it the best rate of the grid after all epochs, as for Figure "
             "2. Vowpal Wabbit's run untuned with `-l 1`, in as many passes on one thread, with reading and the program's "
             "start counted. Its Filter Tree has the labels in the order of their numbers, which ours takes as well "
             "(\"labels in order\") in addition to the clustered tree of CANE; HSM uses that tree and is not in Vowpal Wabbit.")
    rows = []
    for found in sets:
        for one in series.TREES:
            label = series.name_in_paper(one)
            paper, vw = TREES.get(found.row.paper_key, {}).get(label), figures.value(found.key, "vw", label, "accuracy")
            times = [duration(figures.value(found.key, "trees", one.label, name)) for name in ("train_seconds", "test_seconds")]
            rows.append([f"{found.heading}: {one.label}", *best_cells(figures, found.key, "trees", one.label),
                         " / ".join(filter(None, times)), percent(vw), percent(paper[0]) if paper else "",
                         " / ".join(map(duration, paper[1:])) if paper else ""])
    made.table("table2", ["data: tree", "picked by half an epoch", "accuracy", "all epochs: best rate", "accuracy",
                          "why they differ", "training / testing", "Vowpal Wabbit", "paper", "its times"], rows)
    return made


def table_3(figures, sets):
    made = Section("table3", "Table 3: coverage of the candidates")
    made.say("The share of test examples whose label is among the candidates that beam search finds, after the last epoch: "
             "at the rate that half an epoch picks, and at every rate of the grid (one seed; \"-\" was not measured).")
    rows, scaled = [], []
    for found in sets:
        for count, one in zip(series.candidate_counts(found.row), series.paper_cane(found.row)):
            grid = figures.grid(found.key, one.label, series.RATES, "coverage")
            paper = COVERAGE.get(found.row.paper_key, {}).get(count)
            rows.append([f"{found.heading}: {count}", figures.picked_or_why(found.key, one.label),
                         percent(figures.value(found.key, "paper", one.label, "coverage"), "-"),
                         *(percent(grid[rate]) if rate in grid else "-" for rate in series.RATES),
                         percent(paper) if paper else ""])
            if figures.rows(found.key, "scaled", one.label):
                scaled.append([f"{found.heading}: {count}",
                               figures.picked_or_why(found.key, one.label, "scaled-tune"),
                               *(percent(figures.value(found.key, kind, one.label, name)) for kind in ("scaled", "paper")
                                 for name in ("coverage", "accuracy"))])
    made.table("table3", ["data: candidates", "picked rate", "coverage", *series.RATES, "paper"], rows)
    if scaled:
        made.say("The same with every feature divided by the largest value, as LIBSVM's `aloi.scale` has it. It changes "
                 "which rate of the grid fits, not what the candidates cover.")
        made.table("table3-scaled", ["data: candidates", "picked rate, scaled", "coverage, scaled", "accuracy, scaled",
                                     "coverage, raw", "accuracy, raw"], scaled)
    return made


def figure_3(figures, found, effort, on_gpu):
    made = Section(f"figure3-{found.key}", f"Figure 3: {found.heading}")
    if not any(figures.rows(found.key, "lm", head.label) for head in series.heads()):
        made.say(f"Not run: {figures.reason_of(found.key, 'lm', 'Softmax')}.")
        return made
    epochs, tokens, measured = language.amount(found.row, effort, on_gpu)
    made.say("An LSTM with 512 cells and a projection to 256 over embeddings of 256, sequences of 20 words, the "
             f"{found.row.words:,} most frequent words seen at least {found.row.least_count} times. CANE-40, -60 and -80 "
             "select as the paper's text says: one of 6 subsets of about equal frequency by its score, that many candidates "
             "drawn from it, one uniform noise. Our selection takes the 2,000 most frequent words for all tokens and 500 "
             "noises shared by a batch: 2,500 words a token. "
             + (f"On the CPU: {epochs} epoch over {tokens:,} words, measured on {measured:,}." if tokens else
                f"{epochs} epochs over the whole text.") + " One training each; two of one head were 2.4% apart.")
    for count in series.SHORTLISTS:
        lines = {head.label: figures.curve(found.key, "lm", head.label, "valid_perplexity") for head in series.heads()
                 if head.classes in (0, count)}
        made.picture(f"figure3-{found.key}-{count}", f"{found.heading}, {count} classes a token",
                     pictures.curves(f"{found.row.title} ({count}): validation text", lines, "perplexity", 1.0))
    made.table(f"figure3-{found.key}", ["head", "test perplexity", "best epoch", "training", "options picked"],
               [[head.label, f"{value.value:.1f}", *cells(figures, found, head)] for head in series.heads()
                if (value := figures.value(found.key, "lm", head.label, "test_perplexity"))])
    return made


def cells(figures, found, head):
    epoch = figures.value(found.key, "lm", head.label, "best_epoch")
    return [f"{epoch.value:.0f}" if epoch else "", duration(figures.value(found.key, "lm", head.label, "seconds")),
            figures.picked_or_why("language", series.family(head), "lm-tune")]


def cost(figures, effort):
    made = Section("cost", "Cost: time for an example against the number of classes")
    made.say("Synthetic classes in 64 dense dimensions, one epoch, wall time on all threads, without building trees and "
             "other starts; `~` is extrapolated. `css`, `neg`, `ove`, `narrow` and `centroid` are not in the paper.")
    panels, counts = {}, cost_classes(effort)
    for part, place, heading in (("train", 0, "training"), ("test", 1, "prediction")):
        lines, rows = {}, []
        for method in series.COST_METHODS:
            points, shown = [], []
            for classes in counts:
                row = figures.first("cost", "compare", str(classes)).row(method)
                seconds = row.get(f"{part}_seconds") if row and not row["error"] else None
                if seconds is not None:
                    seconds -= row["setup_seconds"] if part == "train" else 0.0
                    points.append((classes, 1e6 * seconds / cost_counts(classes)[place]))
                shown.append(f"{'~' * bool(row.get('estimated'))}{points[-1][1]:.3g} us" if seconds is not None else "")
            lines[method] = points
            if points:
                rows.append([method, LAWS.get(method, ("n", "K"))[place], *shown,
                             ratio(points[-1][1] / points[0][1]) if len(points) > 1 else ""])
        panels[heading] = lines
        made.table(f"cost-{heading}", [f"{heading}: method", "law", *(f"K = {classes:,}" for classes in counts),
                                       "last / first"], rows, detail=True)
    made.picture("cost", "Microseconds for an example, both axes logarithmic",
                 pictures.against("Time for an example", panels, "classes", "microseconds", True))
    return made


def protocol(figures, sets):
    made = Section("protocol", "Protocol: how rates and noise laws were picked", detail=True)
    made.say("As in the paper: each point of the grid is trained on half an epoch and measured on a tenth of the training "
             f"examples that is held out. Rates: {', '.join(series.RATES)}. NCE and BlackOut: with each of the powers 0, "
             "0.1, 0.3, 0.5, 0.75, 1 of the class frequencies. LOMTree: with 1, 4, 16 and 64 nodes a class and swap "
             "resistances of 4, 16, 64 and 256. Language models: Adam at a fiftieth of the paper's rates.")
    keys = [(found.key, kind, one.label, found.heading) for found in sets for kind in ("tune", "scaled-tune")
            for one in (*series.figure_2(found.row), *series.TREES)]
    keys += [("language", "lm-tune", name, "texts") for name in dict.fromkeys(map(series.family, series.heads()))]
    rows = []
    for key, kind, label, heading in keys:
        tuning = figures.first(key, kind, label)
        if tuning.trials:
            value = dict(tuning.trials).get(tuning.picked)
            rows.append([f"{heading}{', scaled' * (kind == 'scaled-tune')}: {label}", len(tuning.trials),
                         sum(value is None for _, value in tuning.trials), tuning.picked.lstrip(":"),
                         "" if value is None else percent(value) if kind != "lm-tune" else f"{value:.1f}"])
    made.table("protocol", ["data: method", "points", "failed", "picked", "accuracy held out, or perplexity"], rows)
    return made
