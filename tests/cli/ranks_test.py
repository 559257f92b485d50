#!/usr/bin/env python3
"""Verbs on several ranks give what one process gives. Usage:
ranks_test.py PROGRAM MPIRUN CHECK_TRANSPORT"""

import gzip
import json
import os
import signal
import subprocess
import sys
import tempfile
import unittest

PROGRAM = os.path.abspath(sys.argv.pop(1))
MPIRUN = sys.argv.pop(1)
CHECK_TRANSPORT = os.path.abspath(sys.argv.pop(1))
PATIENCE = 120  # seconds, for machines that are busy
# Ranks may share cores and run as root; processes of a container may not read each other's memory.
ENVIRONMENT = {**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
               "OMPI_MCA_rmaps_base_oversubscribe": "1",
               "OMPI_MCA_btl_vader_single_copy_mechanism": "none", "OMPI_MCA_btl": "self,vader"}


def lines(count, bad=None):
    text = ""
    for i in range(count):
        label = "nolabel" if i == bad else f"__label__c{i * 7 % 40}"
        text += f"{label} w{i * 7 % 40} w{i % 11} w{i % 3} also{i % 5}\n"
    return text


class RanksTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        os.chdir(cls.folder.name)
        for name, text in (("train.ft", lines(800)), ("test.ft", lines(700)),
                           ("bad.ft", lines(700, bad=600))):
            with open(name, "w", encoding="utf-8") as file:
                file.write(text)
        cls.check(PROGRAM, "train", "train.ft", "--model", "m", "--epochs", "3", "--quiet", "--no-cache",
                  "--deterministic")
        cls.check(PROGRAM, "synth", "matrix", "--classes", "20", "--examples", "2000", "--dim", "8")
        cls.check(PROGRAM, "train", "matrix/X_train.npy", "--model", "dense", "--epochs", "1", "--quiet",
                  "--deterministic")

    @classmethod
    def tearDownClass(cls):
        os.chdir("/")
        cls.folder.cleanup()

    @staticmethod
    def run_command(*command):
        return subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, env=ENVIRONMENT,
                              check=False)

    @classmethod
    def check(cls, *command):
        result = cls.run_command(*command)
        assert result.returncode == 0, result.stderr
        return result

    def alone(self, *arguments):
        return self.run_command(PROGRAM, *arguments)

    def on_ranks(self, ranks, *arguments):
        return self.run_command(MPIRUN, "-n", str(ranks), PROGRAM, *arguments)

    def test_moves_bytes_whole_and_in_order(self):
        plugins = {**ENVIRONMENT, "CANE_PLUGIN_PATH": os.path.dirname(PROGRAM)}
        result = subprocess.run([MPIRUN, "-n", "3", CHECK_TRANSPORT], capture_output=True, text=True,
                                timeout=PATIENCE, env=plugins, check=False)
        self.assertEqual(result.returncode, 0, result.stderr)

    def test_gives_the_figures_of_one_process(self):
        for model, data in (("m", "test.ft"), ("dense", "matrix/X_test.npy")):
            arguments = ("test", "--model", model, data, "--json", "--threads", "1", "--no-cache")
            expected = json.loads(self.alone(*arguments).stdout)
            for ranks in (2, 3):
                result = self.on_ranks(ranks, *arguments)
                self.assertEqual(result.returncode, 0, result.stderr)
                figures = json.loads(result.stdout)
                for name, value in expected.items():
                    if name == "seconds":
                        continue
                    if isinstance(value, float):
                        self.assertAlmostEqual(figures[name], value, 9, name)
                    else:
                        self.assertEqual(figures[name], value, name)

    def test_prints_the_predictions_of_one_process(self):
        for model, data in (("m", "test.ft"), ("dense", "matrix/X_test.npy")):
            arguments = ("predict", "--model", model, data, "--top-k", "3", "--proba", "--no-cache")
            expected = self.alone(*arguments)
            for ranks in (2, 4):
                result = self.on_ranks(ranks, *arguments)
                self.assertEqual(result.returncode, 0, result.stderr)
                self.assertEqual(result.stdout, expected.stdout)
        self.check(MPIRUN, "-n", "2", PROGRAM, "predict", "--model", "m", "test.ft", "--output", "answers")
        with open("answers", encoding="utf-8") as file:
            self.assertEqual(file.read(), self.alone("predict", "--model", "m", "test.ft").stdout)

    def test_writes_one_report(self):
        self.check(MPIRUN, "-n", "2", PROGRAM, "test", "--model", "m", "test.ft", "--report", "report",
                   "--per-class", "classes.csv")
        self.alone("test", "--model", "m", "test.ft", "--per-class", "alone.csv")
        self.assertTrue(os.path.exists("report/index.html"))
        with open("classes.csv", encoding="utf-8") as shared, open("alone.csv", encoding="utf-8") as own:
            self.assertEqual(shared.read(), own.read())

    def test_builds_the_tree_of_one_process(self):
        for kind in ("clustered", "kmeans", "huffman"):
            for data in ("train.ft", "matrix/X_train.npy"):
                arguments = ("tree", data, "--tree", kind, "--arity", "4", "--no-cache", "--output")
                self.check(PROGRAM, *arguments, "alone.tree")
                self.check(MPIRUN, "-n", "3", PROGRAM, *arguments, "shared.tree")
                with open("alone.tree", "rb") as alone, open("shared.tree", "rb") as shared:
                    self.assertEqual(alone.read(), shared.read(), f"{kind} of {data}")

    def test_trains_the_bits_of_one_process(self):
        for data in ("train.ft", "matrix/X_train.npy"):
            for way in (("data",), ("classes",), ("classes", "--select", "frequent", "--encoder", "bag"),
                        *([("classes", "--method", "softmax")] if data.endswith("npy") else [])):
                arguments = ("train", data, "--epochs", "2", "--threads", "1", "--auto", "off", "--no-cache",
                             "--overwrite", "--deterministic", "--parallel", *way, "--model")
                self.check(PROGRAM, *arguments, "alone.model")
                with open("alone.model", "rb") as file:
                    expected = file.read()
                for ranks in (2, 3):
                    result = self.check(MPIRUN, "-n", str(ranks), PROGRAM, *arguments, "shared.model",
                                        "--log", "shared.jsonl")
                    with open("shared.model", "rb") as file:
                        self.assertEqual(file.read(), expected, f"{way} on {ranks} ranks, {data}")
                    self.assertEqual(result.stderr.count("saved shared.model"), 1, result.stderr)
                    with open("shared.jsonl", encoding="utf-8") as file:
                        end = json.loads(file.readlines()[-1])
                    self.assertGreater(end["bytes_sent"], 0)
                    self.assertEqual(len(end["seconds_waited"]), ranks)

    def test_trains_as_well_as_one_process(self):
        arguments = ("train", "train.ft", "--method", "cane", "--epochs", "5", "--threads", "1", "--auto", "off",
                     "--quiet", "--no-cache", "--overwrite", "--model", "together")
        self.check(MPIRUN, "-n", "2", PROGRAM, *arguments)
        figures = json.loads(self.alone("test", "--model", "together", "test.ft", "--json", "--no-cache").stdout)
        self.assertGreater(figures["accuracy"], 0.95)

    def test_says_once_what_ranks_cannot_train(self):
        for refused in (("--method", "hsm"), ("--select", "narrow")):
            result = self.on_ranks(2, "train", "train.ft", "--model", "none", "--parallel", "classes", *refused)
            self.assertNotEqual(result.returncode, 0)
            said = [line for line in result.stderr.splitlines() if line.startswith("cane: ")]
            self.assertEqual(len(said), 1, result.stderr)
            self.assertIn("--select none", said[0])
            self.assertFalse(os.path.exists("none"))

    def test_shares_the_files_of_a_folder(self):
        os.mkdir("parts")
        text = lines(700).splitlines(keepends=True)
        for number, (begin, end) in enumerate(((0, 300), (300, 350), (350, 700))):
            with gzip.open(f"parts/part-{number}.gz", "wt", encoding="utf-8") as file:
                file.writelines(text[begin:end])
        expected = self.alone("predict", "--model", "m", "test.ft", "--no-cache").stdout
        for ranks in (2, 4):
            result = self.on_ranks(ranks, "predict", "--model", "m", "parts", "--no-cache")
            self.assertEqual(result.returncode, 0, result.stderr)
            self.assertEqual(result.stdout, expected)
        with open("parts/part-3", "w", encoding="utf-8") as file:
            file.write(lines(20, bad=12))
        result = self.on_ranks(3, "test", "--model", "m", "parts", "--no-cache", "--format", "fasttext")
        self.assertEqual(result.returncode, 1)
        self.assertIn("parts/part-3:13: ", result.stderr)

    def test_names_the_bad_line_once_whichever_rank_met_it(self):
        arguments = ("test", "--model", "m", "bad.ft", "--no-cache", "--format", "fasttext")
        expected = self.alone(*arguments)
        self.assertIn("bad.ft:601", expected.stderr)
        result = self.on_ranks(3, *arguments)
        self.assertNotEqual(result.returncode, 0)
        problem = expected.stderr.removeprefix("cane: ").strip()
        self.assertEqual(result.stderr.count(problem), 1, result.stderr)

    def test_ends_all_ranks_when_one_cannot_write(self):
        result = self.on_ranks(2, "predict", "--model", "m", "test.ft", "--output", "/dev/full")
        self.assertNotEqual(result.returncode, 0)
        self.assertIn("/dev/full", result.stderr)

    def test_ends_all_ranks_when_one_is_killed(self):
        launcher = subprocess.Popen(
            [MPIRUN, "-n", "2", PROGRAM, "predict", "--model", "m", "test.ft", "--output", "killed"],
            stderr=subprocess.PIPE, text=True, env=ENVIRONMENT)
        self.addCleanup(launcher.stderr.close)
        self.addCleanup(launcher.kill)
        ranks = []
        while len(ranks) < 2:
            self.assertIsNone(launcher.poll(), "it has ended before it could be killed")
            with open(f"/proc/{launcher.pid}/task/{launcher.pid}/children", encoding="ascii") as file:
                ranks = [int(process) for process in file.read().split()]
        os.kill(ranks[0], signal.SIGSTOP)  # so that nothing is finished before
        os.kill(ranks[1], signal.SIGKILL)
        launcher.communicate(timeout=PATIENCE)
        self.assertNotEqual(launcher.returncode, 0)
        self.assertFalse(os.path.exists("killed"))

    def test_says_what_does_not_share_its_work(self):
        result = self.on_ranks(2, "inspect", "m")
        self.assertNotEqual(result.returncode, 0)
        self.assertEqual(result.stderr.count("`cane inspect` does not share its work among ranks"), 1)
        self.assertEqual(result.stdout, "")

    def test_lists_the_plug_in_and_its_mpi(self):
        listed = self.check(PROGRAM, "version").stdout
        self.assertRegex(listed, r"plug-in mpi +/.*/libcane_mpi\.so\n +.*MPI")

    def test_says_that_the_plug_in_is_missing(self):
        result = subprocess.run([PROGRAM, "test", "--model", "m", "test.ft"], capture_output=True, text=True,
                                timeout=PATIENCE, check=False,
                                env={**ENVIRONMENT, "OMPI_COMM_WORLD_SIZE": "2", "OMPI_COMM_WORLD_RANK": "0",
                                     "CANE_PLUGIN_PATH": self.folder.name})
        self.assertNotEqual(result.returncode, 0)
        self.assertIn("the plug-in libcane_mpi.so is not installed", result.stderr)


if __name__ == "__main__":
    unittest.main()
