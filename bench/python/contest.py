"""The contenders in turns, each run a process of its own."""

import json
import os
import statistics
import time

from peers import measure

MEDIANS = ("accuracy", "seconds", "processor_seconds", "predict_seconds", "peak_bytes",
           "bytes_before")
# How a measurement begins its problem where the limit was passed.
LATE = "not done"


class Entry:
    """A contender with what its runs came to."""

    def __init__(self, contender, python, problem):
        self.contender, self.python = contender, python
        self.problem = problem
        self.version = ""
        self.runs = []
        self._spent = 0.0

    def may_run(self, limit):
        """All runs together stay within the limit, but for the first, which is stopped there."""
        longest = max((run["process_seconds"] for run in self.runs), default=0.0)
        return not self.problem and self._spent + longest <= limit

    def run(self, data, seed, threads, limit, folder):
        record = folder / "stages.jsonl"
        record.unlink(missing_ok=True)
        command = [self.python, "-P", "-m", "python.contender", self.contender.name, str(data),
                   str(seed), str(threads), str(record)]
        environment = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"), str(threads))
        measured = measure.run(command, folder, limit, folder / "log", environment=environment)
        end = time.monotonic()
        self._spent += measured.seconds
        lines = record.read_text(encoding="utf-8").splitlines() if record.exists() else []
        stages = [json.loads(line) for line in lines]
        facts = {key: value for stage in stages for key, value in stage.items()}
        self.version = facts.get("version", "")
        before = next((record["peak_bytes"] for record in stages if record["stage"] == "training"), None)
        self.runs.append({**facts, "peak_bytes": measured.peak_bytes, "bytes_before": before,
                          "seed": seed, "process_seconds": measured.seconds,
                          "process_processor_seconds": measured.processor_seconds})
        self.problem = measured.problem
        if self.problem.startswith(LATE):
            # The clock is the same for all processes.
            self.runs[-1]["seconds_of_last_stage"] = end - facts.get("at", end)
            self.problem = f"over the limit of {limit:g} s while {facts.get('stage', 'starting')}"

    def result(self):
        """What the table and results.json say of it."""
        contender = self.contender
        last = self.runs[-1] if self.runs else {}
        result = {"name": contender.name, "call": contender.call, "package": contender.package,
                  "version": self.version, "problem": self.problem, "runs": self.runs,
                  "converged": last.get("converged", True)}
        for key in MEDIANS:
            values = [run[key] for run in self.runs if run.get(key) is not None]
            result[key] = statistics.median(values) if values else None
        return result


def entries(chosen, environment, python, with_numbers):
    """`environment`: of the label trees."""
    made = []
    for contender in chosen:
        if contender.only_numbers and not with_numbers:
            continue
        problem = environment.problem(contender.package) if contender.is_peer else ""
        made.append(Entry(contender, environment.python if contender.is_peer else python, problem))
    return made


def shown(entry):
    """How its last run went."""
    run = entry.runs[-1]
    return entry.problem or f"{100 * run['accuracy']:.2f}%, {run['seconds']:.2f} s"


def run(all_entries, data, options, folder, keep):
    """`keep` is called with the results after each run: one that is broken off is not in vain."""
    folder.mkdir()
    for number in range(1, options.rounds + 1):
        for entry in all_entries:
            if not entry.may_run(options.limit):
                continue
            entry.run(data, number, options.threads, options.limit, folder)
            print(f"  round {number}, {entry.contender.name}: {shown(entry)} "
                  f"(load {os.getloadavg()[0]:.1f})", flush=True)
            keep([entry.result() for entry in all_entries])
    return [entry.result() for entry in all_entries]
