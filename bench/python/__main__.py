"""The command line. tools/bench-python makes what it needs and runs it."""

import argparse
import json
import os
import pathlib
import platform
import subprocess
import sys
import tempfile

import numpy
from peers import measure, source

from . import contenders, contest, imports, install, prepare, table, training

PARTS = ("import", "fit", "predict", "aloi", "clinc150")
CONTESTS = ("aloi", "clinc150")
BATCH_ROWS = 100_000


def parse(words):
    parser = argparse.ArgumentParser(prog="bench-python",
                                     description=sys.modules[__package__].__doc__)
    parser.add_argument("data", type=pathlib.Path, help="folder with aloi/ and clinc150/ in it")
    parser.add_argument("--out", type=pathlib.Path, required=True,
                        help="folder for results.json and table.md")
    parser.add_argument("--only", default="", metavar="NAMES",
                        help=f"only these parts ({', '.join(PARTS)}) or learners, with commas")
    parser.add_argument("--limit", type=float, default=600, help="seconds for each learner [600]")
    parser.add_argument("--rounds", type=int, default=5, help="turns of each [5]")
    parser.add_argument("--epochs", type=int, default=20, help="of fit and train [20]")
    parser.add_argument("--threads", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--program", default="build/release/cli/cane", help="the program cane")
    parser.add_argument("--rows", default="build/release/bench/row_predict_bench",
                        help="the benchmark of rows")
    parser.add_argument("--peers", default="build/python/bench-peers",
                        help="folder of the environment of the label-tree learners")
    options = parser.parse_args(words)
    options.program, options.rows = (str(pathlib.Path(path).resolve())
                                     for path in (options.program, options.rows))
    options.python = sys.executable
    choose(options, parser)
    return options


def choose(options, parser):
    """Parts and learners; learners alone mean the parts where they are compared."""
    named = {name.strip().lower() for name in options.only.split(",") if name.strip()}
    learners = {contender.name.lower().split(",")[0] for contender in contenders.ALL}
    unknown = named - learners - set(PARTS)
    if unknown:
        parser.error(f"--only: there is no {', '.join(sorted(unknown))}; there are "
                     f"{', '.join([*PARTS, *sorted(learners)])}")
    options.parts = named & set(PARTS) or set(CONTESTS if named else PARTS)
    wanted = named & learners or learners
    options.contenders = [contender for contender in contenders.ALL
                          if contender.name.lower().split(",")[0] in wanted]


def predict(options, data, folder):
    """Trains a model and has it used in a process of its own."""
    folder.mkdir()
    model, rows = folder / "model.safetensors", folder / "rows.npy"
    subprocess.run([options.python, "-P", "-m", "python.fit_once", data, str(options.epochs),
                    str(options.threads), model], check=True, stdout=subprocess.DEVNULL)
    both = numpy.concatenate([numpy.load(data / f"X_{part}.npy") for part in prepare.PARTS])
    numpy.save(rows, both[:BATCH_ROWS])
    done = subprocess.run([options.python, "-P", "-m", "python.prediction", options.rows, model,
                           rows, str(options.threads), str(options.rounds), folder],
                          check=True, stdout=subprocess.PIPE, text=True)
    return json.loads(done.stdout)


class Run:
    """All parts, one after the other; the files are written after each."""

    def __init__(self, options, folder):
        self.options, self.folder = options, folder
        self.environment = install.Environment(options.peers)
        self.results = {"facts": {
            "processor": measure.processor(), "threads": options.threads,
            "python": platform.python_version(), "numpy": numpy.__version__,
            "rounds": options.rounds, "limit": options.limit, "load_before": os.getloadavg()[0]}}

    def keep(self, part, result):
        self.results[part] = result
        self.options.out.mkdir(parents=True, exist_ok=True)
        record = json.dumps(self.results, indent=1) + "\n"
        (self.options.out / "results.json").write_text(record, encoding="utf-8")
        (self.options.out / "table.md").write_text(table.markdown(self.results), encoding="utf-8")

    def contest(self, part, data):
        entries = contest.entries(self.options.contenders, self.environment, self.options.python,
                                  with_numbers=part == "aloi")
        contest.run(entries, data, self.options, self.folder / f"{part}-runs",
                    lambda results: self.keep(part, results))

    def all(self):
        options, parts = self.options, self.options.parts
        if "import" in parts:
            self._say("import")
            self.keep("import", imports.run(options))
        if parts & {"fit", "predict", "aloi"}:
            aloi = prepare.numbers(options.data / "aloi", self.folder / "aloi")
        if "fit" in parts:
            self._say("fit")
            svmlight = [source.find(options.data / "aloi", part) for part in prepare.PARTS]
            beside = training.Training(options, aloi, svmlight, self.folder / "fit")
            self.keep("fit", training.run(options, beside, numpy.load(aloi / "y_test.npy")))
        if "predict" in parts:
            self._say("predict")
            self.keep("predict", predict(options, aloi, self.folder / "predict"))
        if "aloi" in parts:
            self._say("aloi")
            self.contest("aloi", aloi)
        if "clinc150" in parts:
            self._say("clinc150")
            self.contest("clinc150", prepare.texts(options.data / "clinc150",
                                                   self.folder / "clinc150"))

    def _say(self, part):
        print(f"{part} ...", flush=True)


def main():
    options = parse(sys.argv[1:])
    # All on the same cores, and on no more of them than threads.
    os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:options.threads])
    try:
        with tempfile.TemporaryDirectory(prefix="cane-bench-") as folder:
            run = Run(options, pathlib.Path(folder))
            run.all()
    except source.DataError as error:
        sys.exit(f"error: {error}")
    except KeyboardInterrupt:
        sys.exit(130)
    print(f"\n{table.markdown(run.results)}\n{options.out}/table.md, {options.out}/results.json")


main()
