"""Carries the plan out. A run that is complete is kept in a folder named by
its commands and its data, with the commit that made it, and is not made again by that commit."""

import dataclasses
import datetime
import hashlib
import json
import os
import pathlib
import re
import shlex
import shutil
import threading
import time
from concurrent import futures

from . import outcome as outcomes
from . import programs
from .plan import DATA, FOLDER, OTHERS, PICKED

SAMPLE = 1 << 20  # bytes of a file's beginning and end: data of a hundred gigabytes is not read for this
LARGE = ("vw.cache", "vw.model", "predictions")


def now():
    return datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%d %H:%M:%S UTC")


def filled(commands, values):
    made = []
    for command in commands:
        made.append(list(command))
        for place, value in values.items():
            made[-1] = [word.replace(place, value) for word in made[-1]]
    return made


class Runner:
    def __init__(self, folder, tools, commit, accepts_older=False, deadline=None, say=print, jobs=1):
        self.runs_folder, self.data_folder = pathlib.Path(folder) / "runs", pathlib.Path(folder) / "data"
        self.tools, self.commit, self.accepts_older = tools, commit, accepts_older
        self.deadline, self.say, self.jobs = deadline, say, jobs
        self._preparing = threading.Lock()  # several runs may need the same file
        self._files = {}

    def fingerprint(self, run):
        """Of the commands and the data. A training that ended within a limit is the same without it."""
        words = []
        for command in run.commands:
            limits = {i for i, word in enumerate(command) if word == "--limit"}
            words += [word for i, word in enumerate(command) if i not in limits and i - 1 not in limits]
        for path in run.files:
            words = [word.replace(path, self.file_hash(path)) for word in words]
        words += [self.file_hash(path) for path in run.files]
        return hashlib.sha256("\n".join(words).encode()).hexdigest()[:16]

    def file_hash(self, path):
        if path not in self._files:
            size = os.path.getsize(path)
            with open(path, "rb") as file:
                begin = file.read(SAMPLE)
                file.seek(max(size - SAMPLE, 0))
                self._files[path] = hashlib.sha256(b"%d" % size + begin + file.read()).hexdigest()[:16]
        return self._files[path]

    def folder(self, run):
        return self.runs_folder / f"{re.sub(r'[^A-Za-z0-9.]+', '-', run.id)}-{self.fingerprint(run)}"

    def resolved(self, run, done):
        """The run with what its tuning has picked, or None while that is not known."""
        picked = done[run.after].picked if run.after in done else ""
        if run.after and not picked:
            return None
        values = {PICKED: picked, OTHERS: outcomes.without_rate(picked)}
        return dataclasses.replace(run, commands=filled(run.commands, values))

    def kept(self, plan):
        """What earlier calls have completed: of this commit, or of any if older results are accepted."""
        done = {}
        for run in plan:
            ready = self.resolved(run, done)
            if ready is None or not (self.folder(ready) / outcomes.RECORD).exists():
                continue
            found = outcomes.read(run, self.folder(ready))
            is_ours = found.record.get("commit") == self.commit
            if not found.error and not outcomes.is_outdated(run, found) and (is_ours or self.accepts_older):
                done[run.id] = found
        return done

    def run(self, plan, done, after_each):
        """Makes what is not there, `jobs` runs at a time. A run that fails has its error as its outcome, and the
        others go on. Raises Interrupted, with what is complete in `done`."""
        waiting = {run.id: run for run in plan if run.id not in done and not run.left_out}
        number, spent, all_of_them, begin = 0, 0.0, dict(waiting), time.monotonic()
        with futures.ThreadPoolExecutor(self.jobs) as pool:
            running = {}
            try:
                while waiting or running:
                    for run in self.startable(waiting, running):
                        del waiting[run.id]
                        number += 1
                        pace = (time.monotonic() - begin) / spent if spent else 1.0 / self.jobs
                        left = pace * (sum(one.seconds for one in all_of_them.values()) - spent)
                        self.say(f"{number}/{len(all_of_them)} {run.id} ... about {left:.0f} s left")
                        running[pool.submit(self.make_after_tuning, run, done)] = run
                    if not running:
                        return  # no time is left for what waits
                    for future in futures.wait(running, return_when=futures.FIRST_COMPLETED).done:
                        run = running.pop(future)
                        done[run.id] = future.result()
                        if done[run.id].error:
                            self.say(f"  {run.id}: {done[run.id].error}")
                        spent += run.seconds
                        after_each(done)
            except KeyboardInterrupt as stopped:
                raise programs.Interrupted from stopped
            finally:
                if running:
                    programs.stop_all()

    def startable(self, waiting, running):
        """The runs to begin now: in the order of the plan, or, several at a time, those first that with what
        waits for them take longest, for else the last ones would run alone."""
        if self.deadline is not None and time.monotonic() > self.deadline:
            return []
        busy = {run.id for run in running.values()}
        ready = [run for run in waiting.values() if run.after not in waiting and run.after not in busy]
        if self.jobs > 1:
            after = {}
            for run in waiting.values():
                after[run.after] = max(after.get(run.after, 0.0), run.seconds)
            ready.sort(key=lambda run: -run.seconds - after.get(run.id, 0.0))
        return ready[:self.jobs - len(running)]

    def make_after_tuning(self, run, done):
        ready = self.resolved(run, done)
        return self.make(ready) if ready else outcomes.Outcome(error="there is no result of its tuning")

    def make(self, run):
        folder = self.folder(run)
        shutil.rmtree(folder, ignore_errors=True)  # what a run that was stopped has left is no result
        folder.mkdir(parents=True)
        try:
            if run.prepare:
                with self._preparing:
                    run.prepare(self.data_folder)
            record = self.carry_out(run, folder)
        except (OSError, RuntimeError) as error:
            return outcomes.Outcome(error=str(error))
        for name in LARGE:
            (folder / name).unlink(missing_ok=True)
        shutil.rmtree(folder / "made", ignore_errors=True)
        for model in folder.glob("*.safetensors"):
            model.unlink()
        (folder / outcomes.RECORD).write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")
        return outcomes.read(run, folder)

    def carry_out(self, run, folder):
        record = {"id": run.id, "commit": self.commit, "started": now(), "machine": programs.machine(),
                  "commands": [], "seconds": 0.0, "peak_bytes": 0}
        times = []
        commands = filled(run.commands, {FOLDER: str(folder), DATA: str(self.data_folder)})
        for number, command in enumerate(commands, 1):
            begin = time.monotonic()
            code, peak = programs.launch([self.tools[run.tool], *command], folder / f"output.{number}", folder / "log")
            times.append(time.monotonic() - begin)
            shown = [word.replace(str(folder), "results").replace(str(self.data_folder), "report/data") for word in command]
            record["commands"].append(shlex.join([pathlib.Path(self.tools[run.tool]).name, *shown]))
            record["seconds"] += times[-1]
            record["peak_bytes"] = max(record["peak_bytes"], peak)
            # A comparison whose only method failed has written that down as its result.
            if code and not (folder / "results.json").exists():
                said = (folder / "log").read_text(encoding="utf-8", errors="replace").split("\n")
                raise RuntimeError(f"exit code {code}: {([''] + [line for line in said if line.strip()])[-1]}")
        if run.tool == "vw":
            record["values"] = {"accuracy": outcomes.vw_accuracy(commands[-1][4], folder / "predictions"),
                                "train_seconds": times[0], "test_seconds": times[-1]}
        return record
