"""The plan: every run as the commands that a reader could type, with what of the report it serves and
how long it should take. A run that cannot be made stands in the plan with the reason."""

import dataclasses
import pathlib

from . import effort as costs
from . import language, series

# In commands: ":lr=0.1:nodes=999" as the run in `after` has picked it, the same without the rate, the
# folder of the results, and the folder of the data that the plan itself makes.
PICKED, OTHERS, FOLDER, DATA = "{picked}", "{others}", "{out}", "{data}"
SHORT = 60.0  # seconds: runs of up to this are repeated with other seeds
FEW_EXAMPLES = 50_000  # of the section on cost
COST_LIMIT = 120.0


@dataclasses.dataclass
class Run:
    id: str  # SET/KIND/LABEL/SEED
    parts: tuple  # of the report: "figure2/aloi"
    tool: str  # cane, cane-lm, vw, theorems
    commands: list
    files: tuple = ()  # the data; its content is a part of the fingerprint
    after: str = ""  # the tuning whose pick it takes
    seconds: float = 0.0  # expected
    left_out: str = ""  # why it is not made
    prepare: object = None  # called with the folder of made data

    @property
    def series(self):
        return self.id.rpartition("/")[0]


@dataclasses.dataclass(frozen=True)
class Options:
    threads: int = 1
    seed: int = 1
    on_gpu: bool = False
    tools: tuple = ("cane",)  # the programs that are there
    only: tuple = ()


def run_id(key, kind, label, seed):
    return f"{key}/{kind}/{label}/{seed}"


def is_chosen(only, part):
    return not only or any(part == wanted or part.startswith(wanted + "/") for wanted in only)


class Classification:
    """Figure 2, Tables 1 to 3 and the protocol of one set."""

    def __init__(self, found, effort, options):
        self.found, self.row, self.effort, self.options = found, found.row, effort, options
        self.epochs = effort.epochs(found.row)
        self.runs = []

    def make(self):
        row = self.row
        for one in series.figure_2(row):
            is_cane = one.spec.startswith("cane")
            parts = [self.part("figure2"), self.part("table1")] + [self.part("table3")] * is_cane
            self.by_protocol("paper", one, parts)
            self.grid(one, [self.part("figure2")] + [self.part("table3")] * is_cane)
        for one in series.ours(row):
            self.compare("ours", one.label, one.spec, [self.part("figure2")])
        for one in series.TREES:
            self.by_protocol("trees", one, [self.part("table2")])
            self.grid(one, [self.part("table2")])
        self.vowpal_wabbit()
        if not row.paper:
            self.scaled()
            for effect in series.effects():
                self.effect(effect)
        return self.runs

    def part(self, of):
        return f"{of}/{self.row.key}"

    def tuned(self, spec):
        return self.effort.has_time_to_tune(costs.tuning(self.found, spec, self.options.threads))

    def add(self, kind, label, parts, commands, seconds, seed=None, **more):
        seed = seed or self.options.seed
        commands[0] += ["--seed", str(seed), "--threads", str(self.options.threads)]
        self.runs.append(Run(run_id(self.row.key, kind, label, seed), tuple(parts), "cane", commands,
                             more.pop("files", (self.found.train, self.found.test)), seconds=seconds, **more))

    def tune(self, kind, one, parts, train="", **more):
        command = ["tune", train or self.found.train, "--protocol", "paper", "--json", "--quiet", *series.PLAIN_STEPS,
                   *series.options_of(one.spec), *series.protocol(self.found, one.spec)]
        left_out = "" if self.tuned(one.spec) else "the budget has no time to tune it; the rate is the automatic one"
        self.add(kind, one.label, [*parts, self.part("protocol")], [command],
                 costs.tuning(self.found, one.spec, self.options.threads), left_out=left_out, **more)

    def compare(self, kind, label, specs, parts, extra=(), after="", rows=1, seeds=0, files=(), **more):
        train, test = files or (self.found.train, self.found.test)
        limit, threads = self.effort.limit, self.options.threads
        one = costs.comparison(self.found, specs.split(",")[0], self.epochs, 0, threads)
        expected = costs.comparison(self.found, specs.split(",")[0], self.epochs, limit, threads, rows)
        for seed in range(seeds or (self.effort.seeds if one <= SHORT else 1)):
            command = ["compare", train, test, "--methods", specs, "--epochs", str(self.epochs),
                       "--limit", f"{limit:.0f}s", "--out", FOLDER, "--quiet", *series.PLAIN_STEPS, *extra]
            self.add(kind, label, parts, [command], expected, self.options.seed + seed, after=after, **more)

    def by_protocol(self, kind, one, parts):
        """Tunes it on half an epoch, as the paper, and trains it for all epochs."""
        self.tune("tune", one, parts)
        is_tuned = self.tuned(one.spec)
        self.compare(kind, one.label, one.spec + PICKED * is_tuned, parts,
                     series.protocol(self.found, one.spec),
                     run_id(self.row.key, "tune", one.label, self.options.seed) if is_tuned else "")

    def grid(self, one, parts):
        """Every rate of the grid for all epochs, other options as picked: what half an epoch misses."""
        is_tuned = self.tuned(one.spec)
        specs = ",".join(f"{one.spec}{OTHERS * is_tuned}:lr={rate}" for rate in series.RATES)
        self.compare("grid", one.label, specs, [*parts, self.part("protocol")],
                     series.protocol(self.found, one.spec),
                     run_id(self.row.key, "tune", one.label, self.options.seed) if is_tuned else "",
                     len(series.RATES), seeds=1)

    def scaled(self):
        """The same with every feature divided by the largest value: LIBSVM offers ALOI so, too."""
        if self.found.largest <= 1.0:
            return
        train, test = (f"{DATA}/{self.row.key}.scaled.{part}.svm" for part in ("train", "test"))
        common = {"prepare": lambda folder: self.scale(folder)}
        for one in series.paper_cane(self.row):
            self.tune("scaled-tune", one, [self.part("table3")], train, **common)
            is_tuned = self.tuned(one.spec)
            self.compare("scaled", one.label, one.spec + PICKED * is_tuned, [self.part("table3")],
                         series.protocol(self.found, one.spec),
                         run_id(self.row.key, "scaled-tune", one.label, self.options.seed) if is_tuned else "",
                         files=(train, test), **common)

    def scale(self, folder):
        from . import sets
        for source, part in ((self.found.train, "train"), (self.found.test, "test")):
            out = pathlib.Path(folder) / f"{self.row.key}.scaled.{part}.svm"
            if not out.exists():
                out.parent.mkdir(parents=True, exist_ok=True)
                sets.scaled_by(source, self.found.largest, out)

    def effect(self, effect):
        """The paper's setting with one thing done our way."""
        most = series.candidate_counts(self.row)[-1]
        spec = f"cane:{series.pair(most, self.row)}:{effect.options}"
        tuned = series.figure_2(self.row)[-1]
        takes_rate = not effect.has_own_rate and self.tuned(tuned.spec)
        self.compare("effects", effect.label, spec + PICKED * takes_rate, [self.part("differences")],
                     series.protocol(self.found, spec),
                     run_id(self.row.key, "tune", tuned.label, self.options.seed) if takes_rate else "", seeds=1)

    def vowpal_wabbit(self):
        """Table 2 by Vowpal Wabbit: two commands a tree. LOMTree gets 64 nodes a class."""
        classes, data = self.found.classes, [f"{DATA}/{self.row.key}.{part}.vw" for part in ("train", "test")]
        reason = "" if "vw" in self.options.tools else "there is no program vw; `make paper` installs it"
        if self.found.train.endswith(".npy"):
            reason = "matrices are not converted for Vowpal Wabbit"
        for label, learner, pace in (("Filter Tree", f"--ect {classes} -b 24", 0.2e-6),
                                     ("LOMTree", f"--log_multi {64 * classes} -b 26", 0.2e-6),
                                     ("Recall Tree", f"--recall_tree {classes} -b 24", 0.7e-6)):
            train = [*learner.split(), "-l", "1", "-d", data[0], "--passes", str(self.epochs), "--holdout_off",
                     "-k", "--cache_file", f"{FOLDER}/vw.cache", "-f", f"{FOLDER}/vw.model", "--quiet"]
            test = ["-t", "-i", f"{FOLDER}/vw.model", "-d", data[1], "-p", f"{FOLDER}/predictions", "--quiet"]
            seconds = pace * (self.found.filled + 10.0) * self.found.examples * self.epochs
            if not reason and self.effort.budget and seconds > self.effort.limit:
                reason = "the budget has no time for it"
            self.runs.append(Run(run_id(self.row.key, "vw", label, self.options.seed), (self.part("table2"),), "vw",
                                 [train, test], (self.found.train, self.found.test), seconds=seconds,
                                 left_out=reason, prepare=lambda folder: self.convert(folder)))

    def convert(self, folder):
        from peers import convert, source
        folder = pathlib.Path(folder)
        folder.mkdir(parents=True, exist_ok=True)
        classes = source.Data(self.found.train, self.found.test).classes
        for path, part in ((self.found.train, "train"), (self.found.test, "test")):
            out = folder / f"{self.row.key}.{part}.vw"
            if not out.exists():
                convert.vowpal_wabbit(pathlib.Path(path), classes, out, with_labels=True)


def cost_classes(effort):
    return [10 ** power for power in (3, 4, 5, 6) if 10 ** power <= effort.most_classes]


def cost_counts(classes):
    """Examples to train on and to test."""
    return max(classes, FEW_EXAMPLES), 200 if classes >= 1_000_000 else 1000 if classes >= 100_000 else 10_000


def cost(effort, options):
    """Synthetic data with 1,000 to a million classes, and all methods on it."""
    runs = []
    for power, classes in enumerate(cost_classes(effort)):
        examples, tests = cost_counts(classes)
        made = f"{FOLDER}/made"
        synth = ["synth", made, "--classes", str(classes), "--examples", str(examples), "--test-examples",
                 str(tests), "--dim", "64", "--seed", str(options.seed)]
        compare = ["compare", f"{made}/X_train.npy", f"{made}/X_test.npy", "--methods",
                   ",".join(series.COST_METHODS), "--epochs", "1", "--limit",
                   f"{min(COST_LIMIT, effort.limit):.0f}s", "--log-loss", "none", "--auto", "off", "--out", FOLDER,
                   "--quiet", *series.PLAIN_STEPS, "--seed", str(options.seed), "--threads",
                   str(options.threads)]
        runs.append(Run(run_id("cost", "compare", str(classes), options.seed), ("cost",), "cane", [synth, compare],
                        seconds=3.0 + 400e-6 * classes + 8.0 * power))
    return runs


def make(found, effort, options):
    """All runs that the chosen parts need, tunings first."""
    runs = [run for one in found if not one.row.words for run in Classification(one, effort, options).make()]
    runs.append(Run(run_id("theorems", "theory", "all", 1), ("theorems",), "theorems", [[]], seconds=15.0,
                    left_out="" if "theorems" in options.tools else "there is no program cane_theorems"))
    runs += cost(effort, options) + language.plan(found, effort, options)
    chosen = [run for run in runs if any(is_chosen(options.only, part) for part in run.parts)]
    needed = {run.id for run in chosen} | {run.after for run in chosen}
    return [run for run in runs if run.id in needed]
