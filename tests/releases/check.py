#!/usr/bin/env python3
"""Checks that the programs can still use what earlier releases wrote.
Usage: check.py [--cane CANE] [--lm CANE_LM]

Every folder beside this file is one release; its expected.json says what is done with each file and
what came out then. Labels must be the same and in the same order. Numbers may differ a little, for
another processor rounds otherwise: probabilities by 1e-4, relative and absolute, and perplexities
by 1e-4, relative. Probabilities by a plain --proba were estimates in 0.1, by random draws that later
programs do not repeat: these may differ by 0.01. A training that goes on from a file rounds in every step, and only has to
come as far: its accuracy may differ by 0.05, its perplexity by 1%. One line for each failure."""

import argparse
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

PROBABILITY = 1e-4
ESTIMATED_PROBABILITY = 0.01
PERPLEXITY = 1e-4
ACCURACY_OF_TRAINING = 0.05
PERPLEXITY_OF_TRAINING = 0.05  # the noises of a version are others than those of the one before


class Failed(Exception):
    """The program refused something; the text is its message."""


class Program:
    """cane or cane-lm, run in the folder that the files are in."""

    def __init__(self, path, folder):
        self.path, self.folder = path.resolve(), folder
        self.environment = dict(os.environ, CANE_CACHE_DIR=str(folder / "cache"),
                                OMP_NUM_THREADS="1")

    def run(self, *options):
        arguments = [word for option in options for word in option.split()]
        done = subprocess.run([self.path, *arguments], cwd=self.folder, env=self.environment,
                              stdin=subprocess.DEVNULL, capture_output=True, encoding="utf-8",
                              errors="replace")
        if done.returncode != 0:
            message = done.stderr.strip().splitlines() or ["no message"]
            raise Failed(f"exit code {done.returncode} of {self.path.name} {' '.join(arguments)}: "
                         f"{message[-1]}")
        return done.stdout

    def predict(self, entry):
        return self.run(f"predict --model {entry['model']} {entry['data']} --threads 1",
                        entry["options"])

    def train(self, entry):
        """Goes on from a checkpoint or a model, and says how good the result is."""
        self.run(f"train {entry['train']} --model {entry['model']} --threads 1 --quiet --resume",
                 entry["options"])
        measures = self.run(f"test --model {entry['model']} {entry['test']} --json --threads 1")
        return json.loads(measures)["accuracy"]

    def test_words(self, entry):
        return json.loads(self.run(f"test --model {entry['model']} {entry['test']} --json --quiet "
                                   "--device cpu --threads 1"))["perplexity"]

    def train_words(self, entry):
        self.run(f"train {entry['train']} --model {entry['model']} --resume --quiet --device cpu "
                 "--threads 1", entry["options"])
        return self.test_words(entry)


def tolerance_of(options):
    """How far probabilities may differ; None where there are none."""
    words = options.split()
    if "--proba" not in words:
        return None
    value = (words + [""])[words.index("--proba") + 1]
    return PROBABILITY if value == "exact" else ESTIMATED_PROBABILITY


def difference(expected, found, tolerance):
    """The first line that differs too much, in words; None if there is none."""
    if len(expected) != len(found):
        return f"{len(found)} predictions in place of {len(expected)}"
    for number, (one, other) in enumerate(zip(expected, found), 1):
        then, now = one.split("\t"), other.split("\t")
        step = 2 if tolerance else 1
        if then[::step] != now[::step]:
            return f"line {number} was '{one}' and is '{other}'"
        for before, after in zip(then[1::2], now[1::2]) if tolerance else []:
            before, after = float(before), float(after)
            if not abs(before - after) <= tolerance * (1 + abs(before)):
                return f"line {number} was '{one}' and is '{other}'"
    return None


def check_classifiers(release, expected, cane):
    for entry in expected["predict"]:
        def look(entry=entry):
            cane.run(f"inspect {entry['model']}")
            then = (release / entry["output"]).read_text().splitlines()
            return difference(then, cane.predict(entry).splitlines(),
                              tolerance_of(entry["options"]))
        yield entry["model"], look
    for entry in expected["train"]:
        def learn(entry=entry):
            found = cane.train(entry)
            if (cane.folder / f"{entry['model']}.checkpoint").exists():
                return "its checkpoint is still there after the training that went on from it"
            if abs(found - entry["accuracy"]) <= ACCURACY_OF_TRAINING:
                return None
            return f"trained on to an accuracy of {found} in place of {entry['accuracy']}"
        yield entry["model"], learn


def check_language_models(expected, lm):
    for key, tolerance in ("test_words", PERPLEXITY), ("train_words", PERPLEXITY_OF_TRAINING):
        for entry in expected[key]:
            def measure(entry=entry, tolerance=tolerance, measured=getattr(lm, key)):
                if (lm.folder / entry["model"]).exists():  # Of a checkpoint there is no model yet.
                    lm.run(f"inspect {entry['model']}")
                found = measured(entry)
                if abs(found - entry["perplexity"]) <= tolerance * entry["perplexity"]:
                    return None
                return f"a perplexity of {found} in place of {entry['perplexity']}"
            yield entry["model"], measure


def check_release(release, programs):
    """The number of checks, and a line for each that failed."""
    expected = json.loads((release / "expected.json").read_text())
    failures, count = [], 0
    with tempfile.TemporaryDirectory(prefix="cane-release-") as name:
        # Training writes beside the files, which must stay what they are.
        folder = pathlib.Path(name, "files")
        shutil.copytree(release, folder)
        checks = []
        if programs.cane:
            checks += check_classifiers(release, expected, Program(programs.cane, folder))
        if programs.lm:
            checks += check_language_models(expected, Program(programs.lm, folder))
        for model, check in checks:
            count += 1
            try:
                problem = check()
            except Failed as error:
                problem = str(error)
            if problem:
                failures.append(f"{release.name}/{model}: {problem}")
    return count, failures


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--cane", type=pathlib.Path)
    parser.add_argument("--lm", type=pathlib.Path)
    programs = parser.parse_args()
    for program, models in (programs.cane, "classifiers"), (programs.lm, "language models"):
        if not program:
            print(f"the {models} are not checked by this run: it was given no program for them")
    bad = False
    for expected in sorted(pathlib.Path(__file__).resolve().parent.glob("*/expected.json")):
        count, failures = check_release(expected.parent, programs)
        summary = f"{expected.parent.name}: {count} checks, {len(failures)} failed"
        print("\n".join([*failures, summary]))
        bad = bad or bool(failures) or count == 0
    sys.exit(1 if bad else 0)


if __name__ == "__main__":
    main()
