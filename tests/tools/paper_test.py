"""The report on the paper: verdicts, plan, fingerprints, what is kept and resumed, and the account of
every run. A script stands in for `cane`; matplotlib may be missing."""

import contextlib
import io
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "bench"))

from paper import __main__ as command, effort, figures, outcome, plan, report, runner, series, sets  # noqa: E402
from paper import verdicts  # noqa: E402
from paper.figures import Mean  # noqa: E402

# Answers as `cane` does: accuracy is the rate that was asked for, less where it is above 0.5.
CANE = """#!/usr/bin/env python3
import json, os, pathlib, sys, time
words = sys.argv[1:]
given = dict(zip(words, words[1:]))
if words[0] == "version":
    print("cane 9.9\\ncommit           " + os.environ.get("COMMIT", "abc1234"))
elif words[0] == "tune":
    if given["--method"] == os.environ.get("BROKEN"):
        sys.exit("error: it is broken")
    print(json.dumps({"trials": [{"lr": 0.1, "accuracy": 0.3, "rung": 0, "epochs": 0.5, "seconds": 1}], "best_trial": 1}))
else:
    time.sleep(float(os.environ.get("SLOW", 0)))
    rows = []
    for spec in given["--methods"].split(","):
        rate = float((spec + ":lr=0.2").split("lr=")[1].split(":")[0])
        value = rate if rate <= 0.5 else 0.01
        rows.append({"method": spec, "error": None, "accuracy": value, "coverage": value / 2, "train_seconds": 1.0,
                     "test_seconds": 1.0, "estimated": False, "options": {"method": "x", "select": "y", "lr": rate},
                     "curve": [{"epoch": 1, "seconds": 1, "accuracy": value, "coverage": value}]})
    folder = pathlib.Path(given["--out"])
    (folder / "results.json").write_text(json.dumps({"methods": rows}))
    (folder / "made.txt").write_text("")
"""


class Verdicts(unittest.TestCase):
    def test_seeds_that_spread_hide_a_difference(self):
        self.assertEqual(verdicts.above(Mean(0.90, 0.03, 3), Mean(0.88, 0.03, 3)), verdicts.UNCLEAR)
        self.assertEqual(verdicts.above(Mean(0.90, 0.002, 3), Mean(0.88, 0.002, 3)), verdicts.HOLDS)
        self.assertEqual(verdicts.above(Mean(0.88, 0.002, 3), Mean(0.90, 0.002, 3)), verdicts.NOT)

    def test_one_seed_needs_half_a_point(self):
        self.assertEqual(verdicts.above(Mean(0.904), Mean(0.9)), verdicts.UNCLEAR)
        self.assertEqual(verdicts.above(Mean(0.906), Mean(0.9)), verdicts.HOLDS)

    def test_perplexities_of_one_training_need_three_percent(self):
        self.assertEqual(verdicts.below(102.3, 103.4), verdicts.UNCLEAR)
        self.assertEqual(verdicts.below(90.0, 103.4), verdicts.HOLDS)
        self.assertEqual(verdicts.below(203.0, 103.4), verdicts.NOT)

    def test_a_curve_is_judged_by_its_end(self):
        touches = [(1, 1, 0.5), (2, 2, 0.81), (3, 3, 0.79)]
        self.assertIsNone(verdicts.stays_from(touches, 0.8))
        stays = [(1, 1, 0.5), (2, 2, 0.81), (3, 3, 0.82)]
        self.assertEqual(verdicts.stays_from(stays, 0.8), 2)
        slow, quick = ([(epoch, epoch, value) for epoch, value in enumerate(values, 1)]
                       for values in ((0.1, 0.7, 0.8), (0.8, 0.8, 0.8)))
        self.assertEqual(verdicts.convergence(touches, [slow], [Mean(0.79), Mean(0.8)])[0], verdicts.NOT)
        self.assertEqual(verdicts.convergence(stays, [slow], [Mean(0.82), Mean(0.8)])[0], verdicts.HOLDS)
        self.assertEqual(verdicts.convergence(stays, [quick], [Mean(0.802), Mean(0.8)])[0], verdicts.UNCLEAR)

    def test_times_spread_too(self):
        self.assertEqual(verdicts.times_as_long(Mean(1.0, 0.1, 3), Mean(3.0, 0.1, 3), 2.0), verdicts.HOLDS)
        self.assertEqual(verdicts.times_as_long(Mean(1.0, 0.1, 3), Mean(1.05, 0.1, 3), 2.0), verdicts.UNCLEAR)
        self.assertEqual(verdicts.times_as_long(Mean(1.0), Mean(1.05), 2.0), verdicts.UNCLEAR)
        self.assertEqual(verdicts.times_as_long(Mean(1.0), Mean(0.7), 2.0), verdicts.NOT)

    def test_parts_and_wholes(self):
        self.assertEqual(verdicts.all_of([verdicts.HOLDS, verdicts.NOT]), verdicts.IN_PART)
        self.assertEqual(verdicts.all_of([verdicts.UNCLEAR, verdicts.NOT]), verdicts.NOT)
        self.assertEqual(verdicts.all_of([verdicts.UNCLEAR]), verdicts.UNCLEAR)

    def test_says_why_half_an_epoch_picks_another_rate(self):
        grid = {"0.001": 0.684, "0.01": 0.543, "0.1": 0.54}
        self.assertIn("too high", verdicts.why_rates_differ("0.01", "0.001", grid))
        self.assertIn("too low", verdicts.why_rates_differ("0.01", "0.1", {"0.01": 0.5, "0.1": 0.6}))
        self.assertIn("no difference", verdicts.why_rates_differ("0.01", "0.1", {"0.01": 0.5, "0.1": 0.502}))


class Options(unittest.TestCase):
    def test_a_method_of_compare_as_options_of_tune(self):
        self.assertEqual(series.options_of("cane:beam:9+1:arity=10"), [
            "--method", "cane", "--select", "beam", "--candidates", "9", "--noises", "1", "--arity", "10"])
        self.assertEqual(series.options_of("nce:10"), ["--method", "nce", "--noises", "10"])

    def test_what_a_tuning_has_picked(self):
        self.assertEqual(outcome.without_rate(":lr=0.1:noise-power=1"), ":noise-power=1")
        self.assertEqual(outcome.rate_of(":noise-power=1:lr=0.1"), "0.1")

    def test_a_part_that_is_misspelled(self):
        with contextlib.redirect_stderr(io.StringIO()) as said, self.assertRaises(SystemExit):
            command.parse(["data", "--only", "tabel3"])
        self.assertIn("do you mean 'table3'", said.getvalue())


class Folder(unittest.TestCase):
    def setUp(self):
        kept = tempfile.TemporaryDirectory()
        self.addCleanup(kept.cleanup)
        self.folder = pathlib.Path(kept.name)
        (self.folder / "data" / "aloi").mkdir(parents=True)
        for name, rows in (("train", 40), ("test", 10)):
            (self.folder / "data" / "aloi" / f"{name}.svm").write_text(
                "".join(f"{row % 5} 1:{row % 9} 2:1\n" for row in range(rows)))
        self.cane = self.folder / "cane"
        self.cane.write_text(CANE)
        self.cane.chmod(0o755)

    def words(self, *more, out="r"):
        return [str(self.folder / "data"), "--out", str(self.folder / out), "--program", str(self.cane), "--vw", "",
                "--lm", "", "--threads", "1", *more]

    def report(self, *more, out="r", **environment):
        code = subprocess.run([sys.executable, "-m", "paper", *self.words(*more, out=out)], capture_output=True, text=True,
                              env={**os.environ, "PYTHONPATH": str(ROOT / "bench"), **environment}, check=False)
        return code.returncode, code.stdout + code.stderr

    def json(self, out="r"):
        return json.loads((self.folder / out / "report.json").read_text())

    def plan(self, **options):
        found, _ = sets.find(self.folder / "data")
        sets.measure(found[0])
        return plan.make(found, effort.Effort(), plan.Options(**options))


class Plan(Folder):
    def test_finds_and_measures_a_set(self):
        (found,), absent = sets.find(self.folder / "data")
        sets.measure(found)
        self.assertEqual((found.examples, found.tests, found.classes, found.features, found.largest), (40, 10, 5, 2, 8))
        self.assertIn("sector", [row.key for row in absent])
        (self.folder / "none").mkdir()
        with self.assertRaisesRegex(sets.DataError, "none of the paper's sets"):
            sets.find(self.folder / "none")

    def test_one_file_is_split(self):
        (self.folder / "one").mkdir()
        (self.folder / "one" / "aloi.scale").write_text("".join(f"{row} 1:1\n" for row in range(50)))
        (found,), _ = sets.find(self.folder / "one")
        sets.split(found, self.folder / "made")
        sets.measure(found)
        self.assertEqual((found.examples, found.tests), (45, 5))

    def test_every_method_has_the_whole_grid_of_rates(self):
        runs = self.plan(only=("figure2", "table2"))
        grids = {run.id.split("/")[2] for run in runs if "/grid/" in run.id}
        self.assertEqual(len(grids), 6 + len(series.TREES))
        specs = next(run for run in runs if run.id == "aloi/grid/HSM/1").commands[0][4].split(",")
        self.assertEqual(len(specs), len(series.RATES))

    def test_a_choice_brings_the_tunings_it_waits_for(self):
        ids = {run.id for run in self.plan(only=("table3/aloi",))}
        self.assertIn("aloi/tune/CANE-9v1/1", ids)
        self.assertIn("aloi/scaled/CANE-1v9/3", ids)
        self.assertNotIn("aloi/paper/Softmax/1", ids)

    def test_a_budget_shortens(self):
        found, _ = sets.find(self.folder / "data")
        sets.measure(found[0])
        much = effort.fitting(1.0, lambda much: plan.make(found, much, plan.Options()))
        self.assertEqual((much.seeds, much.epochs(found[0].row)), (1, 1))
        self.assertIn("Shortened to a budget", much.sentence())

    def test_fingerprints_follow_commands_and_content_not_places_or_limits(self):
        one = runner.Runner(self.folder / "r", {}, "abc")
        run = next(run for run in self.plan() if run.id == "aloi/ours/Softmax/1")
        first = one.fingerprint(run)
        (self.folder / "data").rename(self.folder / "moved")
        moved = plan.Run(run.id, run.parts, run.tool, [[word.replace("/data/", "/moved/") for word in run.commands[0]]],
                         tuple(path.replace("/data/", "/moved/") for path in run.files))
        self.assertEqual(first, runner.Runner(self.folder / "r", {}, "abc").fingerprint(moved))
        limit = moved.commands[0].index("--limit") + 1
        moved.commands[0][limit] = "7s"
        self.assertEqual(first, runner.Runner(self.folder / "r", {}, "abc").fingerprint(moved))
        with open(moved.files[0], "a", encoding="utf-8") as file:
            file.write("1 1:1\n")
        self.assertNotEqual(first, runner.Runner(self.folder / "r", {}, "abc").fingerprint(moved))


class Report(Folder):
    def test_accounts_for_every_run(self):
        code, said = self.report("--only", "table3,table2", BROKEN="lomtree")
        self.assertEqual(code, 1, said)
        report_json = self.json()
        runs = self.plan(only=("table3", "table2"))
        missing = sum(int(row["runs"]) for row in report_json["tables"]["not-run"])
        measured = len(list((self.folder / "r" / "runs").glob("*/run.json")))
        self.assertEqual(missing + measured, len(runs))
        reasons = "".join(row["why"] for row in report_json["tables"]["not-run"])
        for reason in ("error: it is broken", "no result of its tuning", "no program vw"):
            self.assertIn(reason, reasons)
        rows = {row["data: tree"]: row for row in report_json["tables"]["table2"]}
        self.assertEqual(rows["ALOI: HSM"]["all epochs: best rate"], "lr=0.5")
        coverage = report_json["tables"]["table3"]
        self.assertEqual([row["data: candidates"] for row in coverage], ["ALOI: 1", "ALOI: 5", "ALOI: 9"])
        claims = {row["claim"]: row for row in report_json["tables"]["claims"]}
        self.assertIn("unexplained", claims["ALOI: coverage of 1 candidate"]["here"])
        unmeasured = claims["ALOI: CANE-9v1 is more accurate than LOMTree"]
        self.assertEqual(unmeasured["verdict"], verdicts.NOT_RUN)
        self.assertIn("there is no result of its tuning", unmeasured["here"])
        self.assertEqual(claims["ALOI: CANE approaches the softmax; our selector"]["verdict"], verdicts.NOT_RUN)
        short = (self.folder / "r" / "report.md").read_text()
        self.assertIn("python3 -m paper", short)
        self.assertIn("# aloi/trees/HSM/1\ncane compare", short)
        page = (self.folder / "r" / "index.html").read_text()
        self.assertIn("What was not run, and why", page)
        self.assertNotIn("<script", page)

    def test_what_is_complete_is_kept_and_only_by_the_same_commit(self):
        self.report("--only", "differences")
        made = {path: path.stat().st_mtime_ns for path in (self.folder / "r").glob("runs/*/run.json")}
        self.assertTrue(made)

        def repeated():
            now = {path: path.stat().st_mtime_ns for path in made}
            again = now != made
            made.update(now)
            return again
        self.report("--only", "differences")
        self.assertFalse(repeated())
        self.report("--only", "differences", "--keep-older", COMMIT="def5678")
        self.assertFalse(repeated())
        self.assertIn("made by abc1234", (self.folder / "r" / "report.md").read_text())
        self.report("--only", "differences", COMMIT="def5678")
        self.assertTrue(repeated())

    def test_several_runs_at_a_time_give_the_same(self):
        self.report("--only", "table3,table2", "--jobs", "4", BROKEN="lomtree")
        several = self.json()["tables"]
        self.report("--only", "table3,table2", out="alone", BROKEN="lomtree")
        self.assertEqual(several, self.json("alone")["tables"])
        self.assertTrue(any("no result of its tuning" in row["why"] for row in several["not-run"]))

    def test_a_stopped_call_goes_on(self):
        self.is_stopped_and_goes_on()

    def test_a_stopped_call_with_several_runs_at_a_time_goes_on(self):
        self.is_stopped_and_goes_on("--jobs", "3")

    def is_stopped_and_goes_on(self, *more):
        words = self.words("--only", "differences", *more)
        process = subprocess.Popen([sys.executable, "-m", "paper", *words], stdout=subprocess.PIPE, text=True,
                                   env={**os.environ, "PYTHONPATH": str(ROOT / "bench"), "SLOW": "0.3"})
        while not list((self.folder / "r").glob("runs/*/run.json")):
            time.sleep(0.02)
        process.send_signal(signal.SIGINT)
        process.communicate()
        self.assertEqual(process.returncode, 130)
        self.assertIn("interrupted", str(self.json()["tables"]["not-run"]))
        code, said = self.report("--resume")
        self.assertEqual(code, 0, said)
        self.assertNotIn("not-run", self.json()["tables"])
        self.assertIn("no call that was stopped", self.report("--resume", out="elsewhere")[1])

    def test_stops_after_a_time_and_says_so(self):
        self.report("--only", "differences", "--stop-after", "0.4s", SLOW="0.3")
        self.assertIn("the time was up", str(self.json()["tables"]["not-run"]))

    def test_makes_every_run_once_first(self):
        _, said = self.report("--only", "table1", "--seeds", "1", "--dry-run")
        self.assertIn("aloi/paper/Softmax/1", said)
        self.assertNotIn("aloi/paper/Softmax/2", said)

    def test_leaves_the_files_of_others_alone(self):
        (self.folder / "r").mkdir()
        (self.folder / "r" / "mine").write_text("")
        self.assertIn("is not empty", self.report("--only", "differences")[1])

    def test_older_commits_are_counted(self):
        run = plan.Run("a/b/c/1", (), "cane", [[]])
        found = figures.Figures([run], {run.id: outcome.Outcome(record={"commit": "old"})}, "new")
        self.assertEqual(found.older(), {"old": 1})
        self.assertEqual(report.accounts(found, [run]), ([], 1))


if __name__ == "__main__":
    unittest.main()
