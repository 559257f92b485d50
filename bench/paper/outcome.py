"""What a run has measured, as it lies in its folder."""

import dataclasses
import json
import pathlib

RECORD = "run.json"
OF_TRIALS = {"rung", "epochs", "seconds", "accuracy", "error"}  # what is no option in a trial of `cane tune`


@dataclasses.dataclass
class Outcome:
    error: str = ""  # why there is no result
    rows: list = dataclasses.field(default_factory=list)  # of the comparison, as results.json has them
    trials: list = dataclasses.field(default_factory=list)  # (options, value or None)
    picked: str = ""  # ":lr=0.1:nodes=999"
    tables: dict = dataclasses.field(default_factory=dict)  # of the theorems
    record: dict = dataclasses.field(default_factory=dict)  # commands, machine, commit, seconds, ...

    def row(self, name=""):
        """The row of that name; the only one, if there is one."""
        found = [row for row in self.rows if row["name"] == name or not name]
        return found[0] if found else {}


def options_text(options):
    return "".join(f":{name}={value:g}" if isinstance(value, (int, float)) and not isinstance(value, bool)
                   else f":{name}={value}" for name, value in options.items())


def without_rate(picked):
    return "".join(f":{part}" for part in picked.split(":") if part and not part.startswith("lr="))


def rate_of(picked):
    return next((part[3:] for part in picked.split(":") if part.startswith("lr=")), "")


def read_comparison(folder, word, outcome):
    results = json.loads((folder / "results.json").read_text(encoding="utf-8"))
    outcome.rows = [{**row, "name": row[word]} for row in results[word + "s"]]
    if not outcome.rows:
        outcome.error = "nothing was measured"
    elif all(row["error"] for row in outcome.rows):
        outcome.error = outcome.rows[0]["error"]


def read_tuning(folder, outcome):
    result = json.loads((folder / "output.1").read_text(encoding="utf-8"))
    for trial in result["trials"]:
        searched = {name: value for name, value in trial.items() if name not in OF_TRIALS}
        outcome.trials.append((options_text(searched), trial["accuracy"]))
    if result.get("best_trial"):
        outcome.picked = outcome.trials[result["best_trial"] - 1][0]
    else:
        outcome.error = "no point of the grid gave a model"


def pick_head(outcome):
    """The options with the least perplexity of the validation text; they follow the head's name."""
    for row in outcome.rows:
        _, rate, rest = row["name"].partition(":lr=")
        outcome.trials.append((rate + rest, row.get("valid_perplexity")))
    measured = [(value, options) for options, value in outcome.trials if value is not None]
    if measured:
        outcome.picked = min(measured)[1]
    else:
        outcome.error = "no rate of the grid gave a model"


def vw_accuracy(test, predictions):
    """Of the labels that begin the lines and what was predicted."""
    with open(test, encoding="utf-8") as labels, open(predictions, encoding="utf-8") as answers:
        pairs = [(float(label.split()[0]), float(answer.split()[0])) for label, answer in zip(labels, answers)
                 if answer.strip()]
    return sum(label == answer for label, answer in pairs) / len(pairs)


def read(run, folder):
    """Of a run that is complete. What cannot be read has an error."""
    folder = pathlib.Path(folder)
    outcome = Outcome()
    try:
        outcome.record = json.loads((folder / RECORD).read_text(encoding="utf-8"))
        if run.tool == "theorems":
            outcome.tables = json.loads((folder / "output.1").read_text(encoding="utf-8"))
        elif run.tool == "vw":
            outcome.rows = [{"name": run.id, "error": None, **outcome.record["values"]}]
        elif run.commands[-1][0] == "tune":
            read_tuning(folder, outcome)
        else:
            read_comparison(folder, "head" if run.tool == "cane-lm" else "method", outcome)
            if "/lm-tune/" in run.id:
                pick_head(outcome)
    except (OSError, ValueError, KeyError) as error:
        return Outcome(error=f"{folder}: it holds no result; remove it, and run again ({error})")
    return outcome


def is_outdated(run, outcome):
    """Whether a training that was timed and not finished would be finished under today's limit."""
    command = run.commands[-1]
    if len(outcome.rows) != 1 or not outcome.rows[0].get("estimated") or "--limit" not in command:
        return False
    return outcome.rows[0]["train_seconds"] <= float(command[command.index("--limit") + 1].rstrip("s"))
