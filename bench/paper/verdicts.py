"""The claims of the paper with a verdict each, from the figures alone."""

import math

from . import series
from .figures import percent, ratio
from .published import COVERAGE, TIMES, TREES

ONE_SEED = 0.005  # a difference in accuracy that counts where one of the two has a single seed
ERRORS = 2.0  # with several seeds: standard errors of the difference
ONE_TRAINING = 0.03  # of perplexity: two trainings of one head were 2.4% apart (docs/language-model.md)
COVERED = 0.02  # coverage of this much less than the paper's is within reach of it
HOLDS, IN_PART, NOT, UNCLEAR = "holds", "holds in part", "does not hold", "no clear difference"


def above(more, less):
    """Whether one accuracy is above another, beyond what seeds move."""
    least = ONE_SEED
    if more.seeds > 1 and less.seeds > 1:
        least = ERRORS * math.sqrt(more.spread**2 / more.seeds + less.spread**2 / less.seeds)
    difference = more.value - less.value
    return HOLDS if difference > least else NOT if difference < -least else UNCLEAR


def below(less, more):
    """Whether one perplexity is below another, each of one training."""
    return HOLDS if less < more * (1 - ONE_TRAINING) else NOT if less > more * (1 + ONE_TRAINING) else UNCLEAR


def all_of(verdicts):
    held = verdicts.count(HOLDS)
    if held == len(verdicts):
        return HOLDS
    if held:
        return IN_PART
    return NOT if NOT in verdicts else UNCLEAR


def stays_from(curve, wanted):
    """The epoch from which a curve is at or above a value to its end; None if its end is below."""
    epoch = None
    for number, _, value in reversed(curve):
        if value < wanted:
            break
        epoch = number
    return epoch


def convergence(cane, rivals, ends):
    """Verdict and figures: faster is who gets to the rival's end and stays there. `ends` are the final
    accuracies, CANE's first."""
    best = max(ends[1:], key=lambda end: end.value)
    verdict, epoch, epochs = above(ends[0], best), stays_from(cane, best.value), max(curve[-1][0] for curve in rivals)
    if epoch is None:
        return (NOT if verdict == NOT else UNCLEAR,
                f"ends at {percent(ends[0])}, the better sampler at {percent(best)}")
    text = f"at the final {percent(best)} of the better sampler, to its end, from epoch {epoch} of {epochs}"
    return (HOLDS if epoch < epochs and verdict != NOT else verdict), text


def why_rates_differ(picked, best, grid):
    """Why the rate that half an epoch picks is not the one that all epochs would."""
    if not picked or picked not in grid:
        return ""
    if grid[best] - grid[picked] <= ONE_SEED:
        return "no difference that counts"
    if float(picked) > float(best):
        return "half an epoch favours a rate that is too high for all of them"
    return "half an epoch favours a rate that is too low for all of them"


class Claims:
    """A row for every claim that there are figures for: claim, verdict, here, paper."""

    def __init__(self, figures):
        self.figures, self.rows = figures, []

    def add(self, claim, verdict, here, paper):
        self.rows.append([claim, verdict, here, paper])

    def classification(self, found):
        self.found, self.row, self.name = found, found.row, found.heading
        nce, blackout = (one.label for one in series.samplers(found.row)[1:])
        few, some, most = (one.label for one in series.paper_cane(found.row))
        self.order(few, some, most)
        for kind, how in (("paper", ""), ("ours", ", our defaults")):
            self.against_samplers(kind, how, most, nce, blackout)
        self.converges(most, nce, blackout)
        self.times(most, nce)
        softmax, own = self.of("ours", "Softmax"), self.of("ours", f"{most}, our selector")
        if softmax and own:
            self.add(f"{self.name}: CANE approaches the softmax; our selector",
                     HOLDS if own.value >= softmax.value - 0.01 else NOT, f"{percent(own)} against {percent(softmax)}",
                     "approaches")
        self.trees(most)
        self.coverage()

    def of(self, kind, label, name="accuracy"):
        return self.figures.value(self.found.key, kind, label, name)

    def best_of_grid(self, label):
        grid = self.figures.grid(self.found.key, label, series.RATES)
        return max(grid.values()) if grid else None

    def order(self, few, some, most):
        values = [self.of("paper", label) for label in (most, some, few)]
        if all(values):
            self.add(f"{self.name}: more candidates, fewer noises, more accuracy",
                     all_of([above(values[0], values[1]), above(values[1], values[2])]),
                     ", ".join(map(percent, values)), f"{most} > {some} > {few}")

    def against_samplers(self, kind, how, most, nce, blackout):
        values = [self.of(kind, label) for label in (most, nce, blackout)]
        if not all(values):
            return
        here = f"{percent(values[0])} against {percent(values[1])} and {percent(values[2])}"
        best = [self.best_of_grid(label) for label in (most, nce, blackout)]
        if kind == "paper" and all(best):
            here += f"; at the best rate of the grid for each {percent(best[0])}, {percent(best[1])}, {percent(best[2])}"
        self.add(f"{self.name}: {most} is more accurate than {nce} and {blackout}{how}",
                 all_of([above(values[0], values[1]), above(values[0], values[2])]), here, "higher curve")

    def converges(self, *labels):
        curves = [self.figures.curve(self.found.key, "paper", label, "accuracy") for label in labels]
        if all(curves):
            verdict, text = convergence(curves[0], curves[1:], [self.of("paper", label) for label in labels])
            self.add(f"{self.name}: {labels[0]} converges faster by epoch", verdict, text, "faster")

    def times(self, most, nce):
        paper = TIMES.get(self.row.paper_key, {})
        for what, slow, name, place, wanted in (
                ("predicts much faster than " + nce, nce, "test_seconds", 1, 2.0),
                ("trains faster than Softmax", "Softmax", "train_seconds", 0, 1.1)):
            fast, other = self.of("paper", most, name), self.of("paper", slow, name)
            if not (fast and other):
                continue
            times = other.value / fast.value
            printed = f"{ratio(paper[slow][place] / paper[most][place])} times" if most in paper else ""
            self.add(f"{self.name}: {most} {what}", HOLDS if times >= wanted else IN_PART if times >= 1.0 else NOT,
                     f"{ratio(times)} times{' (estimated)' if other.estimated else ''}", printed)

    def trees(self, most):
        cane, paper = self.of("paper", most), TREES.get(self.row.paper_key, {})
        there = [(one.label, self.of("trees", one.label)) for one in series.TREES if self.of("trees", one.label)]
        if cane and there:
            self.add(f"{self.name}: {most} is more accurate than the tree classifiers",
                     all_of([above(cane, value) for _, value in there]),
                     ", ".join(f"{label} {percent(value)}" for label, value in there) + f"; CANE {percent(cane)}",
                     ", ".join(f"{label} {percent(value[0])}" for label, value in paper.items()))

    def coverage(self):
        paper = COVERAGE.get(self.row.paper_key, {})
        if self.row.paper:
            return  # another set's coverage is no claim about this one
        for count, printed in paper.items():
            label = series.cane_label(count, self.row)
            picked = self.of("paper", label, "coverage")
            if not picked:
                continue
            best = max([picked.value, *self.figures.grid(self.found.key, label, series.RATES, "coverage").values()])
            verdict = HOLDS if picked.value >= printed - ONE_SEED else IN_PART if best >= printed - COVERED else NOT
            reason = " at the best rate of the grid after all epochs" if best > picked.value else ""
            unexplained = "; unexplained: no rate gives the paper's" if count == 1 and verdict == NOT else ""
            self.add(f"{self.name}: coverage of {count} candidate{'s' * (count > 1)}", verdict,
                     percent(picked) + (f"; {percent(best)}{reason}" if reason else "") + unexplained, percent(printed))

    def language(self, found):
        """Perplexities of single trainings. Our selection scores 2,500 words for a token."""
        def of(label):
            value = self.figures.value(found.key, "lm", label, "test_perplexity")
            return value.value if value else None
        softmax = of("Softmax")
        for label, how in [(f"CANE-{count}", f"{count}, selected as the text says") for count in series.SHORTLISTS] + [
                ("CANE, our selection", "our selection of 2,500 words a token")]:
            own, counts = of(label), [count for count in series.SHORTLISTS if label in (f"CANE-{count}",
                                                                                       "CANE, our selection")]
            for count in counts:
                rivals = [of(f"NCE-{count}"), of(f"BlackOut-{count}")]
                if own and all(rivals):
                    self.add(f"{found.heading} ({count}): perplexity of CANE below both, {how}",
                             all_of([below(own, rival) for rival in rivals]),
                             f"{own:.1f} against NCE {rivals[0]:.1f}, BlackOut {rivals[1]:.1f}", "below both")
            if own and softmax and label in ("CANE-80", "CANE, our selection"):
                self.add(f"{found.heading}: perplexity of CANE near the softmax's, {how}",
                         HOLDS if own <= 1.05 * softmax else NOT, f"{own:.1f} against {softmax:.1f}", "approaching it")

    def theorems(self, tables):
        rounding, surely = 1e-6, 5.0  # surely: standard errors
        cane, pooled = (max(row[name] for row in tables["theorem1"]) for name in ("cane", "pooled"))
        self.add("Theorem 1: consistent for any candidates and any noise law", HOLDS if cane < rounding else NOT,
                 f"at most {cane:.0e}; pooled noises up to {pooled:.0e}", "gradient zero")
        first, last = tables["corollary1"][0], tables["corollary1"][-1]
        ends = [row["one_noise"]["simulated"] for row in (first, last)] + [last["likelihood"]["simulated"]]
        self.add("Corollary 1: variance goes to that of maximum likelihood", HOLDS if ends[1] < 1.01 * ends[2] else NOT,
                 f"{ends[0]:.0f} with {percent(first['covered'])} of the probability covered, {ends[1]:.0f} with all; "
                 f"maximum likelihood {ends[2]:.0f}", "in the limit")
        for check, how in zip(tables["theorem3"], ("one noise drawn for each example", "Eq. (obj), all noises weighted")):
            off = check["theorem_deviation"]
            self.add(f"Theorem 3: the covariance, {how}", HOLDS if off < surely else NOT,
                     f"largest deviation {off:.1f} standard errors" + ("; it is an upper bound" * (off >= surely)),
                     "its formula")
        edges = tables["proposition1"]
        shared = max(row["largest_shared_gradient"] for row in edges)
        self.add("Proposition 1: edges on every path need no update", HOLDS if shared < rounding else NOT,
                 f"at most {shared:.0e} over {sum(row['shared'] for row in edges)} such edges", "gradient zero")
