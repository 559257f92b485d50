"""Figures over the seeds of a series, and how they are written."""

import dataclasses
import statistics

from . import outcome as outcomes
from .published import DAY, HOUR, MINUTE


@dataclasses.dataclass(frozen=True)
class Mean:
    value: float
    spread: float = 0.0  # standard deviation over the seeds
    seeds: int = 1
    estimated: bool = False  # a training was timed and not finished


class Figures:
    """What the runs of a plan have measured, by set, kind and label."""

    def __init__(self, plan, done, commit):
        self.plan, self.done, self.commit = plan, done, commit

    def outcomes(self, key, kind, label):
        wanted = f"{key}/{kind}/{label}"
        return [self.done[run.id] for run in self.plan if run.series == wanted and run.id in self.done]

    def first(self, key, kind, label):
        return next(iter(self.outcomes(key, kind, label)), outcomes.Outcome())

    def picked(self, key, label, kind="tune"):
        return self.first(key, kind, label).picked

    def picked_or_why(self, key, label, kind="tune"):
        """The same to be shown; a tuning that a budget leaves out has the automatic rate instead."""
        left_out = any(run.left_out for run in self.plan if run.series == f"{key}/{kind}/{label}")
        picked = self.picked(key, label, kind).lstrip(":").replace(":", " ")
        return picked or ("automatic rate" if left_out else "not run")

    def rows(self, key, kind, label, row=""):
        return [one.row(row) for one in self.outcomes(key, kind, label) if one.row(row)]

    def value(self, key, kind, label, name, row=""):
        rows = [one for one in self.rows(key, kind, label, row) if one.get(name) is not None]
        if not rows:
            return None
        values = [one[name] for one in rows]
        return Mean(statistics.fmean(values), statistics.stdev(values) if len(values) > 1 else 0.0, len(values),
                    any(one.get("estimated") for one in rows))

    def curve(self, key, kind, label, name):
        """(epoch, seconds, value) after every epoch, the mean over the seeds."""
        curves = [row["curve"] for row in self.rows(key, kind, label) if row.get("curve")]
        return [(points[0]["epoch"], statistics.fmean(point["seconds"] for point in points),
                 statistics.fmean(point[name] for point in points)) for points in zip(*curves)]

    def grid(self, key, label, rates, name="accuracy"):
        """rate -> value at the end of all epochs."""
        found = {}
        for row in self.first(key, "grid", label).rows:
            rate = outcomes.rate_of(row["name"])
            if rate in rates and row.get(name) is not None:
                found[rate] = row[name]
        return found

    def older(self):
        """Commits of earlier programs whose runs the report shows, with the number of these."""
        commits = {}
        for run in self.plan:
            commit = self.done[run.id].record.get("commit") if run.id in self.done else None
            if commit and commit != self.commit:
                commits[commit] = commits.get(commit, 0) + 1
        return commits

    def reason(self, run):
        """Why there is no figure of a run; empty if there is one."""
        if run.left_out:
            return run.left_out
        if run.id not in self.done:
            return "the time was up, or it was interrupted"
        return f"failed: {self.done[run.id].error}" if self.done[run.id].error else ""

    def reason_of(self, key, kind, label):
        runs = [run for run in self.plan if run.series == f"{key}/{kind}/{label}"]
        return next((self.reason(run) for run in runs if self.reason(run)), "") if runs else "no part of this plan"


def percent(value, otherwise=""):
    if value is None:
        return otherwise and "not run"
    if not isinstance(value, Mean):
        return f"{100 * value:.2f}%"
    return f"{100 * value.value:.2f}%" + (f" ± {100 * value.spread:.2f}" if value.seeds > 1 else "")


def duration(value):
    """Of a measurement or of the paper's, in the unit that is read most easily."""
    if value is None:
        return ""
    mark, seconds = ("~" if value.estimated else "", value.value) if isinstance(value, Mean) else ("", value)
    for unit, name in ((DAY, "d"), (HOUR, "h"), (MINUTE, "min")):
        if seconds >= unit:
            return f"{mark}{seconds / unit:.3g} {name}"
    return f"{mark}{seconds:.3g} s" if seconds >= 0.1 else f"{mark}{1e3 * seconds:.1f} ms"


def ratio(value):
    return f"{value:.0f}" if value >= 10 else f"{value:.1f}" if value >= 1 else f"{value:.2f}"


def ratio_of(more, less):
    return ratio(more.value / less.value) if more and less and less.value > 0 else ""
