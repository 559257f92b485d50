"""Data sets, trainings on them, and what a training says of itself."""

import dataclasses
import gzip
import itertools
import json
import os
import pathlib
import shutil
import signal
import subprocess
import time

# Ranks may share cores and run as root; processes of a container may not read each other's memory.
ENVIRONMENT = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
               "OMPI_MCA_rmaps_base_oversubscribe": "1", "OMPI_MCA_btl_vader_single_copy_mechanism": "none"}
LOCAL = ("--mca", "btl", "self,vader", "--bind-to", "none")
CUT = 2_000_000  # lines of the largest set


@dataclasses.dataclass
class DataSet:
    """`train` and `test` are files; both ways of sharing work learn by `options` and their own."""
    name: str
    train: pathlib.Path
    test: pathlib.Path
    options: str
    data: str = "--select narrow"
    classes: str = "--select none"


def make_set(program, work, name, synth, options, **own):
    """A set of `cane synth`, made unless it is there."""
    folder = work / name.replace(" ", "-").replace(",", "")
    if not (folder / "best.json").exists():
        subprocess.run([program, "synth", folder, *synth.split()], check=True, capture_output=True)
    return DataSet(name, folder / "X_train.npy", folder / "X_test.npy", options, **own)


def unpack(source, target):
    """Plain text, since a single compressed file cannot be read in parts."""
    if not target.exists():
        with gzip.open(source) as packed, open(target.with_suffix(".part"), "wb") as plain:
            shutil.copyfileobj(packed, plain)
        target.with_suffix(".part").rename(target)
    return target


def cut(source, target):
    if not target.exists():
        with open(source, "rb") as whole, open(target.with_suffix(".part"), "wb") as part:
            part.writelines(itertools.islice(whole, CUT))
        target.with_suffix(".part").rename(target)
    return target


def find_sets(data, program, work, is_small):
    """The sets whose rates are measured: those that the folder has, and synthetic ones."""
    if (data / "aloi" / "train.svm.gz").exists():
        train, test = (unpack(data / "aloi" / f"{part}.svm.gz", work / f"aloi-{part}.svm")
                       for part in ("train", "test"))
        yield DataSet("ALOI", train, test, f"--normalize l2 --epochs {1 if is_small else 5}")
    rows = 20_000 if is_small else 1_000_000
    yield make_set(program, work, f"synth, 20,000 classes, {rows:,} rows",
                   f"--classes 20000 --examples {rows} --test-examples 5000 --dim 64 --noise 0.4",
                   f"--epochs {1 if is_small else 2}")
    if is_small:
        return
    yield make_set(program, work, "synth, 1,000,000 classes",
                   "--classes 1000000 --examples 3000000 --test-examples 20000 --dim 64 --noise 0.3",
                   "--epochs 1", data="--select tree")
    if (data / "paths" / "train.ft").exists():
        yield DataSet("Debian paths", cut(data / "paths" / "train.ft", work / "paths.ft"),
                      data / "paths" / "test.ft", "--encoder bag --min-count 3 --epochs 2")


class Runs:
    """Starts `cane train` and `cane test`, one at a time. Files lie in the folder `work`."""

    def __init__(self, program, mpirun, work, limit):
        self.program, self.mpirun, self.work, self.limit = program, mpirun, work, limit
        self.model, self.log = work / "model.safetensors", work / "train.jsonl"
        self.environment = {**os.environ, **ENVIRONMENT, "CANE_CACHE_DIR": str(work / "cache")}

    def command(self, data, mode, threads):
        return [str(word) for word in (
            self.program, "train", data.train, "--model", self.model, "--parallel", mode, "--threads",
            threads, "--method", "cane", *data.options.split(), *getattr(data, mode).split(), "--auto", "off",
            "--no-calibrate", "--checkpoint-every", 86400, "--overwrite")]

    def launcher(self, ranks, wrapper=()):
        """What starts ranks on this machine; a process alone has none."""
        return [self.mpirun, *LOCAL, "-n", str(ranks), *wrapper] if ranks > 1 else list(wrapper)

    def train(self, data, mode, threads, launcher=(), watch=None):
        """Trains, at most `limit` seconds. Returns the events of the log, and why it failed or an empty text;
        `watch` is called with the process every now and then."""
        for path in (self.model, self.log, self.model.with_suffix(".safetensors.checkpoint")):
            path.unlink(missing_ok=True)
        said = self.work / "said.txt"
        with open(said, "wb") as file:
            process = subprocess.Popen([*launcher, *self.command(data, mode, threads), "--log", self.log],
                                       env=self.environment, stdin=subprocess.DEVNULL, stdout=file,
                                       stderr=file)
            try:
                is_late = self.wait(process, watch)
            except BaseException:
                end(process)
                raise
        events = []
        if self.log.exists():
            events = [json.loads(line) for line in self.log.read_text(encoding="utf-8").splitlines()]
        text = said.read_text(encoding="utf-8", errors="replace")
        return events, problem(text, process.returncode) if process.returncode and not is_late else ""

    def wait(self, process, watch):
        """Until it has ended; a training that takes too long is interrupted, and saves what it has."""
        latest = time.monotonic() + self.limit
        while time.monotonic() < latest:
            try:
                process.wait(0.05)
                return False
            except subprocess.TimeoutExpired:
                if watch:
                    watch(process)
        end(process)
        return True

    def accuracy(self, data):
        tested = subprocess.run([self.program, "test", data.test, "--model", self.model, "--log-loss", "none",
                                 "--json"], check=True, capture_output=True, env=self.environment)
        return json.loads(tested.stdout)["accuracy"]


def end(process):
    """Asks a training to save and end, and ends it if it does not."""
    process.send_signal(signal.SIGINT)
    try:
        process.wait(60)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def problem(text, code):
    """The first message of `cane`, or the last of all."""
    lines = [line.strip() for line in text.splitlines() if line.strip(" -")]
    own = [line for line in lines if line.startswith("cane: ")]
    return f"exit code {code}: {(own or lines[-1:] or ['it said nothing'])[0]}"


def epochs_of(events):
    return [event for event in events if event["event"] == "epoch"]


def rate_of(events):
    """Examples of all ranks in a second of the epochs; of a training that was interrupted, until then."""
    done = epochs_of(events)
    if done:
        return events[0]["examples"] * done[-1]["epoch"] / done[-1]["seconds"]
    seen = [event for event in events if event["event"] == "progress"]
    return seen[-1]["examples_per_second"] if seen else None
