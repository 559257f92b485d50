"""How much is done, and how long it is expected to take. Times come from counting multiplications, so
that the whole may take half or twice as long."""

import dataclasses
import math

SECONDS_OF_WORK = 0.5e-9  # a multiplication and addition of a thread, with its share of the memory
SECONDS_OF_EXAMPLE = 2e-6
SECONDS_TO_START = 0.5
MATRIX_FACTOR = 0.3  # products of matrices get more done
NODES_OF_A_TREE = 60.0  # an online tree goes down to a leaf and scores few classes
PROPOSAL_RANK = 32.0
SHARES = (1.0, 0.7, 0.5, 0.35, 0.25, 0.15, 0.1, 0.07, 0.05, 0.03, 0.02)
RUNS_OF_BUDGET = 12.0  # no training takes more than this part of a budget


@dataclasses.dataclass(frozen=True)
class Effort:
    seeds: int = 3  # of runs of up to a minute
    share: float = 1.0  # of the paper's epochs, at least one
    limit: float = 3600.0  # seconds; a longer training is timed and not finished
    most_classes: int = 1_000_000  # of the section on cost
    budget: float = 0.0  # seconds; 0: none

    def epochs(self, row):
        return max(round(self.share * row.epochs), 1)

    def has_time_to_tune(self, seconds):
        return self.share == 1.0 or seconds <= self.limit / 2.0

    def sentence(self):
        if not self.budget:
            return f"Trainings that would take longer than {self.limit:.0f} s were timed and not finished."
        return (f"Shortened to a budget of {self.budget:.0f} s: {100 * self.share:.0f}% of the paper's "
                f"epochs (at least one), {'one seed' if self.seeds == 1 else 'three seeds where a run is short'}, "
                f"no training longer than {self.limit:.0f} s, no tuning longer than half of that (the rate is "
                f"then the automatic one), up to {self.most_classes:,} classes in the section on cost.")


def work(found, spec):
    """Multiplications to train on an example and to predict it."""
    classes, row = max(found.classes, 2), found.filled + 1.0
    method, *parts = spec.split(":")
    counts = [part for part in parts if part.replace("+", "").isdigit()]
    listed = sum(int(count) for count in counts[0].split("+")) if counts else 10
    arity = 10 if "arity=10" in parts else 32
    depth = max(math.log(classes, arity), 1.0)
    if method.endswith("-tree") or method == "lomtree":
        return 3.0 * NODES_OF_A_TREE * row, NODES_OF_A_TREE * row
    if method == "softmax":
        return 3.0 * MATRIX_FACTOR * classes * row, MATRIX_FACTOR * classes * row
    if method == "hsm":
        return 3.0 * arity * depth * row, listed * arity * depth * row
    if method in ("cane", "auto"):
        if "beam" in parts or "select=beam" in parts:
            search = listed * arity * depth * row
        elif "select=exact" in parts:
            search = classes * row
        else:
            search = PROPOSAL_RANK * (row + classes)
        return search + 3.0 * listed * depth * row, search + listed * row
    return 3.0 * (listed + 1) * row, classes * row


def training(found, spec, epochs, threads):
    unit = SECONDS_OF_WORK / threads
    step, prediction = work(found, spec)
    return epochs * (found.examples * (unit * step + SECONDS_OF_EXAMPLE / threads)
                     + found.tests * (unit * prediction + SECONDS_OF_EXAMPLE / threads))


def comparison(found, spec, epochs, limit, threads, rows=1):
    """Of `cane compare` with this many rows of this kind."""
    seconds = training(found, spec, epochs, threads)
    return SECONDS_TO_START + rows * (min(seconds, 5.0) if limit and seconds > limit else seconds)


def tuning(found, spec, threads):
    """Half an epoch for every point of the paper's grid."""
    points = 7 * (6 if spec.startswith(("nce", "blackout")) else 1) * (16 if spec == "lomtree" else 1)
    return SECONDS_TO_START + points * training(found, spec, 0.5, threads)


def language(spec, words, trained, measured, on_gpu, threads):
    """Of a head with the body of Figure 3."""
    full = spec.startswith("softmax")
    if on_gpu:
        return 4.0 + (trained + 0.3 * measured) / 1280.0 * (0.8e-3 + (2.3e-8 * words if full else 0.0))
    body, row, rows = 1.2e6, 256.0, words if full else 2500.0
    speed = 30e9 * threads
    return 4.0 + trained * 6.0 * (body + rows * row) / speed + measured * 2.0 * (body + words * row) / speed


def fitting(budget, plan_of):
    """The most effort whose runs are expected to end within the budget; the least there is if none does."""
    effort = Effort()
    for share in SHARES:
        effort = Effort(3 if share == 1.0 else 1, share, max(budget / RUNS_OF_BUDGET, 5.0),
                        1_000_000 if share >= 0.5 else 100_000 if share >= 0.15 else 10_000, budget)
        if sum(run.seconds for run in plan_of(effort) if not run.left_out) <= budget:
            break
    return effort
