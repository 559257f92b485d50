"""The claims of the paper with a verdict each, from the figures alone."""

import math

from . import series
from .figures import Mean, percent, ratio, ratio_of
from .published import COVERAGE, TIMES, TREES

ONE_SEED = 0.005  # a difference in accuracy that counts where one of the two has a single seed
ERRORS = 2.0  # with several seeds: standard errors of the difference
ONE_TIMING = 0.1  # of a ratio of times where one of the two was taken once
ONE_TRAINING = 0.03  # of perplexity: two trainings of one head were 2.4% apart (docs/language-model.md)
NEAR = 0.01  # an accuracy of this much less than the softmax's approaches it
COVERED = 0.02  # coverage of this much less than the paper's is within reach of it
HOLDS, IN_PART, NOT, UNCLEAR, NOT_RUN = "holds", "holds in part", "does not hold", "no clear difference", "not run"


def errors(*means):
    """What seeds move a difference of these by."""
    return ERRORS * math.sqrt(sum(mean.spread**2 / mean.seeds for mean in means))


def above(more, less):
    """Whether one accuracy is above another, beyond what seeds move."""
    least = errors(more, less)
    if more.seeds == 1 or less.seeds == 1:
        least = max(least, ONE_SEED)
    difference = more.value - less.value
    return HOLDS if difference > least else NOT if difference < -least else UNCLEAR


def times_as_long(fast, slow, wanted):
    """Whether one time is so many times another, beyond what seeds move."""
    times = slow.value / fast.value
    error = max(errors(*(Mean(1.0, mean.spread / mean.value, mean.seeds) for mean in (fast, slow))),
                ONE_TIMING * (1 in (fast.seeds, slow.seeds)))
    least, most = times * (1.0 - error), times * (1.0 + error)
    return HOLDS if least >= wanted else IN_PART if least >= 1.0 else NOT if most < 1.0 else UNCLEAR


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
    """The epoch from which a curve is at or above a value until its end; None if its end is below."""
    epoch = None
    for number, _, value in reversed(curve):
        if value < wanted:
            break
        epoch = number
    return epoch


def convergence(cane, rivals, ends):
    """Verdict and figures: faster is who gets near the better sampler's end first and stays there.
    `ends` are the final accuracies, CANE's first."""
    number, best = max(enumerate(ends[1:]), key=lambda end: end[1].value)
    verdict, rival = above(ends[0], best), rivals[number]
    near = best.value - ONE_SEED
    epoch, of_rival = stays_from(cane, near), stays_from(rival, near)
    if epoch is None or of_rival is None:
        return (NOT if verdict == NOT else UNCLEAR,
                f"ends at {percent(ends[0])}, the better sampler at {percent(best)}")
    text = (f"within half a point of the better sampler's final {percent(best)} from epoch {epoch} of {rival[-1][0]} "
            f"until the end; the sampler from epoch {of_rival}")
    return (HOLDS if epoch < of_rival and verdict != NOT else verdict if verdict == NOT else UNCLEAR), text


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
    """A row for every claim: claim, verdict, here, paper. One without figures says why it has none."""

    def __init__(self, figures):
        self.figures, self.rows = figures, []

    def add(self, claim, verdict, here, paper):
        self.rows.append([claim, verdict, here, paper])

    def is_measured(self, claim, paper, key, kind, labels, names=("accuracy",)):
        """Whether these have figures; if not, the claim is listed with the first reason."""
        missing = [label for label in labels for name in names if not self.figures.value(key, kind, label, name)]
        if missing:
            reason = self.figures.reason_of(key, kind, missing[0]) or "it has no such figure"
            self.add(claim, NOT_RUN, f"{missing[0]}: {reason}", paper)
        return not missing

    def classification(self, found):
        self.found, self.row, self.name = found, found.row, found.heading
        nce, blackout = (one.label for one in series.samplers(found.row)[1:])
        few, some, most = (one.label for one in series.paper_cane(found.row))
        self.order(few, some, most)
        for kind, how in (("paper", ""), ("ours", ", our defaults")):
            self.against_samplers(kind, how, most, nce, blackout)
        self.converges(most, nce, blackout)
        self.times(most, nce)
        claim, labels = f"{self.name}: CANE approaches the softmax; our selector", ["Softmax", f"{most}, our selector"]
        if self.is_measured(claim, "approaches", found.key, "ours", labels):
            softmax, own = (self.of("ours", label) for label in labels)
            self.add(claim, above(own, Mean(softmax.value - NEAR, softmax.spread, softmax.seeds)),
                     f"{percent(own)} against {percent(softmax)}", "approaches")
        self.trees(most)
        self.coverage()

    def of(self, kind, label, name="accuracy"):
        return self.figures.value(self.found.key, kind, label, name)

    def best_of_grid(self, label):
        grid = self.figures.grid(self.found.key, label, series.RATES)
        return max(grid.values()) if grid else None

    def order(self, few, some, most):
        claim, paper = f"{self.name}: more candidates, fewer noises, more accuracy", f"{most} > {some} > {few}"
        if self.is_measured(claim, paper, self.found.key, "paper", (most, some, few)):
            values = [self.of("paper", label) for label in (most, some, few)]
            self.add(claim, all_of([above(values[0], values[1]), above(values[1], values[2])]),
                     ", ".join(map(percent, values)), paper)

    def against_samplers(self, kind, how, most, nce, blackout):
        claim = f"{self.name}: {most} is more accurate than {nce} and {blackout}{how}"
        if not self.is_measured(claim, "higher curve", self.found.key, kind, (most, nce, blackout)):
            return
        values = [self.of(kind, label) for label in (most, nce, blackout)]
        here = f"{percent(values[0])} against {percent(values[1])} and {percent(values[2])}"
        best = [self.best_of_grid(label) for label in (most, nce, blackout)]
        if kind == "paper" and all(best):
            here += f"; at the best rate of the grid for each {percent(best[0])}, {percent(best[1])}, {percent(best[2])}"
        self.add(claim, all_of([above(values[0], values[1]), above(values[0], values[2])]), here, "higher curve")

    def converges(self, *labels):
        claim = f"{self.name}: {labels[0]} converges faster by epoch"
        if self.is_measured(claim, "faster", self.found.key, "paper", labels):
            curves = [self.figures.curve(self.found.key, "paper", label, "accuracy") for label in labels]
            verdict, text = convergence(curves[0], curves[1:], [self.of("paper", label) for label in labels])
            self.add(claim, verdict, text, "faster")

    def times(self, most, nce):
        paper = TIMES.get(self.row.paper_key, {})
        for what, slow, name, place, wanted in (
                ("predicts much faster than " + nce, nce, "test_seconds", 1, 2.0),
                ("trains faster than Softmax", "Softmax", "train_seconds", 0, 1.1)):
            claim = f"{self.name}: {most} {what}"
            printed = f"{ratio(paper[slow][place] / paper[most][place])} times" if most in paper else ""
            if self.is_measured(claim, printed, self.found.key, "paper", (most, slow), (name,)):
                fast, other = self.of("paper", most, name), self.of("paper", slow, name)
                self.add(claim, times_as_long(fast, other, wanted),
                         f"{ratio_of(other, fast)} times{' (estimated)' if other.estimated else ''}", printed)

    def trees(self, most):
        paper = TREES.get(self.row.paper_key, {})
        for one in series.TREES:
            claim, printed = f"{self.name}: {most} is more accurate than {one.label}", paper.get(series.name_in_paper(one))
            printed = f"above {percent(printed[0])}" if printed else ""
            if (self.is_measured(claim, printed, self.found.key, "paper", (most,))
                    and self.is_measured(claim, printed, self.found.key, "trees", (one.label,))):
                cane, value = self.of("paper", most), self.of("trees", one.label)
                self.add(claim, above(cane, value), f"{percent(cane)} against {percent(value)}", printed)

    def coverage(self):
        paper = COVERAGE.get(self.row.paper_key, {})
        if self.row.paper:
            return  # another set's coverage is no claim about this one
        for count, printed in paper.items():
            label, claim = series.cane_label(count, self.row), f"{self.name}: coverage of {count} candidate{'s' * (count > 1)}"
            if not self.is_measured(claim, percent(printed), self.found.key, "paper", (label,), ("coverage",)):
                continue
            picked = self.of("paper", label, "coverage")
            grid = self.figures.grid(self.found.key, label, series.RATES, "coverage")
            best = max([picked.value, *grid.values()])
            verdict = HOLDS if above(picked, Mean(printed)) != NOT else IN_PART if best >= printed - COVERED else NOT
            reason = f"; {percent(best)} at the best rate of the grid after all epochs" if best > picked.value else ""
            reason = reason if grid else "; the grid after all epochs was not run"
            unexplained = "; unexplained: no rate gives the paper's" if grid and count == 1 and verdict == NOT else ""
            self.add(claim, verdict, percent(picked) + reason + unexplained,
                     percent(printed))

    def language(self, found):
        """Perplexities of single trainings. Our selection scores 2,500 words for a token."""
        def of(label):
            return self.figures.value(found.key, "lm", label, "test_perplexity").value

        def are_measured(claim, paper, *labels):
            return self.is_measured(claim, paper, found.key, "lm", labels, ("test_perplexity",))
        for label, how, counts in [*((f"CANE-{count}", "selected as the text says", (count,)) for count in series.SHORTLISTS),
                                   ("CANE, our selection", "our selection of 2,500 words a token", series.SHORTLISTS)]:
            for count in counts:
                claim, rivals = f"{found.heading} ({count}): perplexity of CANE below both, {how}", (f"NCE-{count}",
                                                                                                    f"BlackOut-{count}")
                if are_measured(claim, "below both", label, *rivals):
                    self.add(claim, all_of([below(of(label), of(rival)) for rival in rivals]),
                             f"{of(label):.1f} against NCE {of(rivals[0]):.1f}, BlackOut {of(rivals[1]):.1f}", "below both")
            claim = f"{found.heading}: perplexity of CANE near the softmax's, {how}"
            if label in ("CANE-80", "CANE, our selection") and are_measured(claim, "approaching it", label, "Softmax"):
                self.add(claim, below(of(label), 1.05 * of("Softmax")), f"{of(label):.1f} against {of('Softmax'):.1f}",
                         "approaching it")

    def theorems(self):
        tables = self.figures.first("theorems", "theory", "all").tables
        if not tables:
            self.add("Theorems 1 to 3, Corollary 1, Proposition 1", NOT_RUN,
                     self.figures.reason_of("theorems", "theory", "all"), "proved")
            return
        rounding, surely = 1e-6, 5.0  # surely: standard errors
        cane, pooled = (max(row[name] for row in tables["theorem1"]) for name in ("cane", "pooled"))
        self.add("Theorem 1: consistent for any candidates and any noise law", HOLDS if cane < rounding else NOT,
                 f"at most {cane:.0e}; pooled noises where the label is the only one, up to {pooled:.0e}", "gradient zero")
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
