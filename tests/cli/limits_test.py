#!/usr/bin/env python3
"""The program under limits of the system, and with files that change under it. Usage:
limits_test.py PROGRAM. Not for sanitized programs, which reserve terabytes of addresses."""

import os
import resource
import signal
import subprocess
import sys
import tempfile
import time
import unittest

PROGRAM = os.path.abspath(sys.argv.pop(1))
LINES = "".join(f"__label__{c} {c}{w} {c} w{w}\n" for c in "abcdef" for w in range(20))


class LimitsTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        with open(self.path("train.ft"), "w", encoding="utf-8") as file:
            file.write(LINES)

    def path(self, name):
        return os.path.join(self.folder.name, name)

    def cane(self, *arguments, megabytes=None):
        def limit():
            if megabytes:
                resource.setrlimit(resource.RLIMIT_AS, (megabytes << 20, megabytes << 20))

        # A program that hangs at its end is the failure this looks for.
        return subprocess.run(
            [PROGRAM, *arguments], capture_output=True, text=True, timeout=60, check=False,
            preexec_fn=limit, env={**os.environ, "CANE_CACHE_DIR": self.path("cache")})

    def train(self, model, *arguments, **limits):
        return self.cane("train", self.path("train.ft"), "--model", self.path(model), "--epochs",
                         "2", "--deterministic", *arguments, **limits)

    def test_takes_the_threads_that_it_gets(self):
        self.assertEqual(self.train("wide").returncode, 0)
        result = self.train("narrow", "--threads", "200", megabytes=600)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertRegex(result.stderr, r"the system grants \d+ of 200 threads; continuing")
        with open(self.path("wide"), "rb") as wide, open(self.path("narrow"), "rb") as narrow:
            self.assertEqual(wide.read(), narrow.read())

    def test_ends_under_any_limit_on_memory(self):
        for megabytes in (20, 30, 50, 80, 120, 150, 200, 300):
            result = self.train("model", "--threads", "2", megabytes=megabytes)
            self.assertIn(result.returncode, (0, 1, 127), result.stderr)
            self.assertNotIn("terminate", result.stderr)
        self.assertEqual(result.returncode, 0, result.stderr)

    def test_starts_no_thread_that_it_was_not_asked_for(self):
        self.assertEqual(self.train("model").returncode, 0)
        with subprocess.Popen([PROGRAM, "predict", "--model", self.path("model"), "--threads", "1",
                               "-"], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
            process.stdin.write(b"a1 a w1\n")
            process.stdin.flush()
            self.assertEqual(process.stdout.readline(), b"a\n")
            self.assertEqual(len(os.listdir(f"/proc/{process.pid}/task")), 1)
            process.stdin.close()

    def test_notices_a_model_that_is_overwritten_in_place(self):
        self.assertEqual(self.train("model").returncode, 0)
        with subprocess.Popen([PROGRAM, "predict", "--model", self.path("model"), "-"],
                              stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE) as process:
            process.stdin.write(b"a1 a w1\n")
            process.stdin.flush()
            self.assertEqual(process.stdout.readline(), b"a\n")
            with open(self.path("model"), "r+b") as file:
                content = file.read()
                file.seek(0)
                file.write(content[:-64] + bytes(64))
            out, error = process.communicate(b"b1 b w1\n")
        self.assertEqual(process.returncode, 1)
        self.assertEqual(out, b"")
        self.assertIn(b"somebody has written into the file", error)

    def test_goes_on_with_the_old_model_where_a_new_one_takes_its_name(self):
        self.assertEqual(self.train("model").returncode, 0)
        with subprocess.Popen([PROGRAM, "predict", "--model", self.path("model"), "-"],
                              stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
            process.stdin.write(b"a1 a w1\n")
            process.stdin.flush()
            self.assertEqual(process.stdout.readline(), b"a\n")
            self.assertEqual(self.train("model", "--seed", "2").returncode, 0)
            out, _ = process.communicate(b"b1 b w1\n")
        self.assertEqual((process.returncode, out), (0, b"b\n"))

    def test_waits_for_no_pipe_that_is_no_model(self):
        os.mkfifo(self.path("pipe"))
        for verb in (["predict", "--model"], ["test", "--model"], ["inspect"]):
            result = self.cane(*verb, self.path("pipe"),
                               *([self.path("train.ft")] if "--model" in verb else []))
            self.assertEqual((result.returncode, result.stderr),
                             (1, f"cane: {self.path('pipe')}: not a regular file\n"))

    def test_ends_at_a_signal_where_nobody_reads_the_model(self):
        os.mkfifo(self.path("pipe"))
        with subprocess.Popen([PROGRAM, "train", self.path("train.ft"), "--model",
                               self.path("pipe"), "--epochs", "1", "--no-cache"],
                              stderr=subprocess.PIPE) as process:
            for line in process.stderr:
                if line.split()[:1] == [b"1"]:  # the epoch
                    break
            time.sleep(0.5)
            self.assertIsNone(process.poll())
            process.terminate()
            self.assertNotEqual(process.wait(timeout=20), 0)

    def test_saves_when_the_terminal_closes(self):
        with subprocess.Popen([PROGRAM, "train", self.path("train.ft"), "--model",
                               self.path("model"), "--epochs", "1000000", "--patience", "0"],
                              stderr=subprocess.PIPE) as process:
            for line in process.stderr:
                if line.split()[:1] == [b"1"]:
                    break
            process.send_signal(signal.SIGHUP)
            self.assertEqual((process.communicate(timeout=20), process.returncode)[1], 130)
        self.assertEqual(self.cane("inspect", self.path("model.checkpoint")).returncode, 0)


if __name__ == "__main__":
    unittest.main()
