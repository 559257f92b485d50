"""`fit` of an array against `cane train`: the same data, options and cores, in turns.

The program reads the svmlight file from its cache, and in a turn of its own the same matrix that
Python has; its seconds are those that it reports of the training, without reading.
"""

import json
import os
import resource
import subprocess

from . import summary

# How far the accuracies of two trainings may be apart: threads race, and the orders of the
# examples differ.
TOLERANCE = 0.003
PROGRAMS = ("cache", "matrix")


def processor_seconds(usage):
    return usage.ru_utime + usage.ru_stime


class Training:
    def __init__(self, options, data, svmlight, folder):
        """`svmlight`: the training and the test file that the matrices in `data` are made of."""
        self._program, self._python = options.program, options.python
        self._threads, self._epochs = str(options.threads), str(options.epochs)
        self._data, self._folder = data, folder
        self._matrices = (data / "X_train.npy", data / "X_test.npy")
        self._svmlight = svmlight
        self._model = folder / "model.safetensors"
        folder.mkdir()

    def run(self, name, *words):
        """Trains by `fit`, or by the program from one of its files."""
        return self._fit(*words) if name == "python" else self._train(name, *words)

    def answers(self, name):
        """Of the model that was trained last, for the test rows."""
        found = self._folder / "answers.txt"
        test = self._svmlight[1] if name == "cache" else self._matrices[1]
        subprocess.run([self._program, "predict", test, "--model", self._model, "--output", found,
                        "--overwrite", "--no-cache", "--threads", self._threads], check=True)
        return found.read_text(encoding="utf-8").splitlines()

    def _train(self, name, *words):
        train = self._svmlight[0] if name == "cache" else self._matrices[0]
        log = self._folder / "log.jsonl"
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        # Weights of sparse rows would be chosen; `fit` takes dense ones as they are.
        subprocess.run([self._program, "train", train, "--model", self._model, "--weights", "count",
                        "--normalize", "none", "--seed", "1", "--epochs", self._epochs, "--threads",
                        self._threads, "--cache", self._folder / "cache", "--log", log,
                        "--overwrite", "--quiet", *(f"--{word}" for word in words)], check=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        events = [json.loads(line) for line in log.read_text(encoding="utf-8").splitlines()]
        epochs = [event["seconds"] for event in events if event["event"] == "epoch"]
        # The processors' time has reading in it, which is little.
        return {"seconds": events[-1]["seconds"], "seconds_of_epochs": epochs[-1],
                "processor_seconds": processor_seconds(after) - processor_seconds(before),
                "from_cache": events[0]["from_cache"]}

    def _fit(self, *words):
        done = subprocess.run([self._python, "-P", "-m", "python.fit_once", self._data,
                               self._epochs, self._threads, self._model, *words], check=True,
                              stdout=subprocess.PIPE, text=True)
        return json.loads(done.stdout)


def share(answers, others):
    return sum(a == b for a, b in zip(answers, others, strict=True)) / len(others)


def check(training, labels):
    """What must hold before anything is timed. It also fills the cache."""
    accuracy = {}
    for name in (*PROGRAMS, "python"):
        training.run(name)
        accuracy[name] = share(training.answers(name), [str(label) for label in labels])
    training.run("matrix", "deterministic")
    wanted = training.answers("matrix")
    same = {}
    # A matrix that stays in its file keeps the order of its rows, as in the program. An array in
    # memory is put in an order that depends on nothing but the rows.
    for name, words in (("mapped", ["mapped"]), ("in_memory", [])):
        training.run("python", "deterministic", *words)
        same[name] = share(training.answers("python"), wanted)
    problem = ""
    if max(accuracy.values()) - min(accuracy.values()) > TOLERANCE:
        problem = "the accuracies differ: nothing is timed"
    elif same["mapped"] < 1:
        problem = "answers differ with `deterministic`: nothing is timed"
    return {"accuracy": accuracy, "same_answers_deterministic": same, "problem": problem}


def run(options, training, labels):
    """`labels`: of the test rows."""
    checked = {"epochs": options.epochs, **check(training, labels)}
    print(f"  accuracy {checked['accuracy']}, same answers {checked['same_answers_deterministic']}",
          flush=True)
    if checked["problem"]:
        return checked
    rounds = {name: [] for name in (*PROGRAMS, "python")}
    for _ in range(options.rounds):
        for name, record in rounds.items():
            record.append(training.run(name))
        print("  " + ", ".join(f"{name} {record[-1]['seconds']:.2f} s"
                               for name, record in rounds.items())
              + f" (load {os.getloadavg()[0]:.1f})", flush=True)
    return {**checked, "runs": rounds, **summarised(rounds)}


def summarised(rounds):
    seconds, processor, epochs = (
        {name: [record[key] for record in runs] for name, runs in rounds.items()}
        for key in ("seconds", "processor_seconds", "seconds_of_epochs"))
    return {
        "all_from_cache": all(record["from_cache"] for record in rounds["cache"]),
        "seconds": {name: summary.of(seconds[name]) for name in rounds},
        "seconds_besides_epochs": {name: summary.differences(seconds[name], epochs[name])
                                   for name in rounds},
        "ratio": {name: summary.ratios(seconds["python"], seconds[name]) for name in PROGRAMS},
        "processor_ratio": {name: summary.ratios(processor["python"], processor[name])
                            for name in PROGRAMS}}
