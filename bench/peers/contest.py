"""Runs one peer from installation to accuracy; an error is kept as the reason."""

import dataclasses
import os
import pathlib
import shlex
import shutil
import subprocess

from . import measure
from .install import InstallError
from .measure import Measurement


@dataclasses.dataclass
class Result:
    system: str
    setting: str
    version: str = ""
    train_threads: int = 1
    predict_threads: int = 1
    reads_data_as_it_is: bool = False
    train_command: str = ""
    predict_command: str = ""
    train: Measurement | None = None
    predict: Measurement | None = None
    model_bytes: int | None = None
    accuracy: float | None = None
    problem: str = ""


def size_of(path):
    """Of a file, or of all files in a folder."""
    if path.is_dir():
        return sum(entry.stat().st_size for entry in path.rglob("*") if entry.is_file())
    return path.stat().st_size if path.exists() else 0


def shown(command):
    """A command line without the folders of this machine."""
    return shlex.join(pathlib.Path(word).name if os.path.isabs(word) else word for word in command)


def accuracy(peer, predictions, truths):
    """The share of right ones; throws ValueError where predictions and examples do not match."""
    with open(predictions, encoding="utf-8", errors="replace") as file:
        found = [peer.label(line.rstrip("\r\n")) for line in file]
    if len(found) != len(truths):
        raise ValueError(f"{len(found)} predictions for {len(truths)} examples")
    return sum(a == b for a, b in zip(found, truths)) / len(truths)


def _remove(path):
    if path.is_dir():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


def _perform(peer, result, limit):
    shop = peer.shop
    folder = shop.folder
    train, test = peer.convert()
    threads = str(shop.threads)
    environment = {"OMP_NUM_THREADS": threads, "OPENBLAS_NUM_THREADS": threads}
    predictions = folder / peer.PREDICTIONS

    command = peer.train_command(train)
    result.train_command = shown(command)
    result.train = measure.run(command, folder, limit, folder / "log", None, environment)
    result.problem = result.train.problem
    if result.problem:
        return
    result.model_bytes = size_of(folder / peer.model)
    command = peer.predict_command(test)
    result.predict_command = shown(command)
    result.predict = measure.run(command, folder, limit, folder / "log",
                                 predictions if peer.prints_predictions else None, environment)
    result.problem = result.predict.problem and f"prediction: {result.predict.problem}"
    if not result.problem:
        result.accuracy = accuracy(peer, predictions, shop.data.test_labels)


def run(peer, limit):
    """`limit`: seconds for training, and as many for prediction."""
    result = Result(peer.system, peer.setting, train_threads=peer.train_threads,
                    predict_threads=peer.predict_threads,
                    reads_data_as_it_is=peer.reads_data_as_it_is)
    try:
        result.version = peer.install()
        refusal = peer.refusal()
        if refusal:
            result.problem = f"not run: {refusal}"
        else:
            _perform(peer, result, limit)
    except (InstallError, OSError, ValueError, subprocess.SubprocessError) as error:
        result.problem = str(error)
    finally:
        for name in (peer.model, peer.PREDICTIONS):
            _remove(peer.shop.folder / name)
    return result
