#!/usr/bin/env python3
"""`cane predict -` answers lines as they come. Usage: stream_test.py PROGRAM"""
import os
import select
import signal
import subprocess
import sys
import tempfile
import time
import unittest

PROGRAM = os.path.abspath(sys.argv.pop(1))
PATIENCE = 20  # seconds, for machines that are busy; an answer takes milliseconds


class StreamTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        os.chdir(cls.folder.name)
        animals = {"cat": "purrs meows", "dog": "barks fetches", "cow": "moos grazes",
                   "bee": "hums stings"}
        with open("train.ft", "w") as file:
            for _ in range(30):
                for name, words in animals.items():
                    file.write(f"__label__{name} {words}\n")
        subprocess.run([PROGRAM, "train", "train.ft", "--model", "m", "--epochs", "5", "--quiet",
                        "--no-cache"], check=True)

    @classmethod
    def tearDownClass(cls):
        os.chdir("/")
        cls.folder.cleanup()

    def start(self, *arguments, source="-", **options):
        program = subprocess.Popen(
            [PROGRAM, "predict", "--model", "m", source, *arguments], stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, **options)
        self.addCleanup(self.end, program)
        return program

    @staticmethod
    def end(program):
        program.kill()
        program.wait()
        for pipe in (program.stdin, program.stdout, program.stderr):
            try:
                pipe.close()
            except BrokenPipeError:
                pass

    def answer(self, program):
        """The next line that the program prints, without waiting for its end."""
        line = b""
        while not line.endswith(b"\n"):
            ready, _, _ = select.select([program.stdout], [], [], PATIENCE)
            self.assertTrue(ready, "no answer")
            byte = os.read(program.stdout.fileno(), 1)
            self.assertTrue(byte, "the program has ended")
            line += byte
        return line.decode().strip()

    def tell(self, program, text):
        program.stdin.write(text.encode())
        program.stdin.flush()

    def test_answers_each_line_before_the_next_comes(self):
        program = self.start()
        for words, animal in [("barks", "dog"), ("meows loudly", "cat"), ("__label__cow moos", "cow")]:
            self.tell(program, words + "\n")
            self.assertEqual(self.answer(program), animal)
        program.stdin.close()
        self.assertEqual(program.wait(PATIENCE), 0)

    def test_waits_for_the_end_of_a_line(self):
        program = self.start()
        self.tell(program, "moos\nhu")
        self.assertEqual(self.answer(program), "cow")
        self.tell(program, "ms\n")
        self.assertEqual(self.answer(program), "bee")
        self.tell(program, "barks")
        program.stdin.close()
        self.assertEqual(self.answer(program), "dog")

    def test_answers_many_lines_in_order(self):
        words = ["barks", "meows", "moos", "hums"]
        animals = ["dog", "cat", "cow", "bee"]
        picks = [(i * i + i // 7) % 4 for i in range(50_000)]
        program = self.start("--threads", "3")
        output, _ = program.communicate("".join(words[p] + "\n" for p in picks).encode())
        self.assertEqual(output.decode().split(), [animals[p] for p in picks])

    def test_names_the_line_that_it_cannot_read_after_the_answers_before_it(self):
        program = self.start()
        self.tell(program, "barks\n\nmeows\n")
        self.assertEqual([self.answer(program) for _ in range(3)], ["dog", "", "cat"])
        self.tell(program, "hums\n__label__ moos\nmoos\n")
        self.assertEqual(self.answer(program), "bee")
        self.assertEqual(program.wait(PATIENCE), 1)  # although the input is still open
        self.assertIn(b"standard input:5: the label after __label__ is empty",
                      program.stderr.read())
        self.assertEqual(program.stdout.read(), b"")

    def test_answers_lines_that_say_nothing_before_the_next_comes(self):
        program = self.start()
        for line, answer in [("", ""), (" ", ""), ("barks", "dog"), ("", ""), ("sings", "")]:
            self.tell(program, line + "\n")
            self.assertEqual(self.answer(program), answer)
        program.stdin.close()
        self.assertEqual(program.wait(PATIENCE), 0)

    def test_answers_lines_that_it_cannot_read_with_nothing_if_asked(self):
        program = self.start("--on-error", "skip")
        lines = [("\x01", ""), ("__label__ moos", ""), ("barks", "dog"), ("meows \x01", ""),
                 ("moos", "cow")]
        for line, answer in lines:
            self.tell(program, line + "\n")
            self.assertEqual(self.answer(program), answer)
        program.stdin.close()
        self.assertEqual(program.wait(PATIENCE), 0)
        errors = program.stderr.read()
        self.assertIn(b"3 lines skipped", errors)
        self.assertIn(b"standard input:1:", errors)

    def test_ends_when_its_reader_does(self):
        program = self.start()
        self.tell(program, "barks\n")
        self.answer(program)
        program.stdout.close()
        self.tell(program, "moos\n")
        self.assertIn(program.wait(PATIENCE), (-signal.SIGPIPE, 141))

    def test_ends_when_it_is_interrupted(self):
        program = self.start()
        self.tell(program, "barks\n")
        self.answer(program)
        program.send_signal(signal.SIGINT)
        self.assertIn(program.wait(PATIENCE), (-signal.SIGINT, 130))
        self.assertEqual(program.stderr.read(), b"")

    def test_leaves_no_half_written_file_when_it_is_interrupted(self):
        program = self.start("--output", "answers")
        self.tell(program, "barks\n")
        time.sleep(0.2)
        program.send_signal(signal.SIGINT)
        program.wait(PATIENCE)
        self.assertFalse([name for name in os.listdir(".") if name.startswith("answers")])

    def test_reads_a_pipe_with_a_name(self):
        os.mkfifo("lines")
        program = self.start(source="lines")
        with open("lines", "w") as lines:
            lines.write("stings\n")
            lines.flush()
            self.assertEqual(self.answer(program), "bee")
        self.assertEqual(program.wait(PATIENCE), 0)


if __name__ == "__main__":
    unittest.main()
