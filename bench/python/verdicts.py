"""What was asked of the package, and what was measured."""

import dataclasses
import statistics

MOST_FIT_RATIO = 1.05
MOST_MICROSECONDS = 15.0
MOST_BATCH_RATIO = 1.05
MOST_BEHIND = 0.005
LEAST_SPEED = 10.0
MOST_IMPORT_SECONDS = 0.2
SLOWER = ("LogisticRegression", "SGDClassifier")


@dataclasses.dataclass
class Verdict:
    what: str
    asked: str
    measured: str
    holds: bool | None  # None: it could not be measured


def spread(record, form):
    """A median with what it lay between."""
    return f"{record['median']:{form}} ({record['least']:{form}} to {record['most']:{form}})"


def stopped_training(result):
    """The seconds after which the training of a learner was stopped; None where it was not."""
    last = result["runs"][-1] if result["runs"] else {}
    return last.get("seconds_of_last_stage") if last.get("stage") == "training" else None


def of_fit(record):
    what, asked = "`fit` of ALOI from an array / `cane train` from its cache", "at most 1.05"
    if record["problem"]:
        return [Verdict(what, asked, record["problem"], None)]
    ratio, processor = record["ratio"]["cache"], record["processor_ratio"]["cache"]
    return [Verdict(what, asked, f"{spread(ratio, '.3f')}; of processor seconds "
                    f"{processor['median']:.3f}", ratio["median"] <= MOST_FIT_RATIO)]


def of_prediction(record):
    alone = "`predict` of one row in a loop, less the call in C++"
    together = "`predict_top_k` of 10^5 rows / the batch in C++"
    if record["problem"]:
        return [Verdict(alone, "", record["problem"], None), Verdict(together, "", "", None)]
    difference = record["alone_microseconds"]["difference"]
    ratio = record["together_seconds"]["ratio"]
    return [Verdict(alone, "below 15 microseconds", spread(difference, ".1f"),
                    difference["median"] < MOST_MICROSECONDS),
            Verdict(together, "at most 1.05", spread(ratio, ".3f"),
                    ratio["median"] <= MOST_BATCH_RATIO)]


def of_imports(record):
    return [Verdict("`import cane`", "below 0.2 s", spread(record["package"], ".3f") + " s",
                    record["package"]["median"] < MOST_IMPORT_SECONDS)]


def of_contest(name, results, with_speed):
    """`with_speed`: whether a speed was asked for on this data."""
    ours = next((result for result in results if result["name"] == "cane"), None)
    if ours is None or ours["accuracy"] is None:
        return []
    others = [result for result in results if result is not ours]
    verdicts = _of_accuracy(name, ours, others)
    if with_speed:
        verdicts += [_of_speed(name, ours, other) for other in others if other["name"] in SLOWER]
    return verdicts


def _of_accuracy(name, ours, others):
    measured = [other for other in others if other["accuracy"] is not None]
    if not measured:
        return []
    best = max(measured, key=lambda result: result["accuracy"])
    record = (f"{100 * ours['accuracy']:.2f}%, best other {best['name']} "
            f"{100 * best['accuracy']:.2f}%")
    holds = ours["accuracy"] >= best["accuracy"] - MOST_BEHIND
    # One that gave no answers may still have had better ones.
    missing = [other["name"] for other in others if other["accuracy"] is None]
    if missing:
        record += f"; there is no result of {', '.join(missing)}"
        holds = None if holds else False
    return [Verdict(f"{name}: accuracy", "first, or within half a point of it", record, holds)]


def _of_speed(name, ours, other):
    what, asked = f"{name}: training time of {other['name']} / ours", "at least 10"
    if other["seconds"] is None:
        stopped_after = stopped_training(other)
        if stopped_after is None:
            return Verdict(what, asked, other["problem"], None)
        ratio = stopped_after / ours["seconds"]
        return Verdict(what, asked, f"over {ratio:.1f}", True if ratio >= LEAST_SPEED else None)
    # Of the same round, for as many rounds as it took part in.
    pairs = zip((run["seconds"] for run in other["runs"] if "seconds" in run), ours["runs"])
    ratio = statistics.median(theirs / run["seconds"] for theirs, run in pairs)
    return Verdict(what, asked, f"{ratio:.1f}", ratio >= LEAST_SPEED)


def of(results):
    """All, in the order of the question."""
    found = []
    if "fit" in results:
        found += of_fit(results["fit"])
    if "predict" in results:
        found += of_prediction(results["predict"])
    for name, key in (("ALOI", "aloi"), ("CLINC150", "clinc150")):
        if key in results:
            found += of_contest(name, results[key], with_speed=key == "aloi")
    if "import" in results:
        found += of_imports(results["import"])
    return found
