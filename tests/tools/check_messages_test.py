"""The check of messages finds planted flags and nothing else, and none in the sources."""

import importlib.util
import pathlib
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
SPEC = importlib.util.spec_from_file_location("check_messages", ROOT / "tools" / "check-messages.py")
CHECK = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(CHECK)


class CheckMessages(unittest.TestCase):
    def test_finds_flags_in_texts(self):
        for line in ('throw Error("--lr: too low");', 'f("use --select tree");',
                     'f("no; (--lr)");', 'f("--" + name);'):
            self.assertEqual(CHECK.offences(line), [1], line)

    def test_accepts_everything_else(self):
        for line in ('f("`select tree`");', "--count;", "// --lr of the program", 'f("a -- b");',
                     'f("x"), --i, f("y");'):
            self.assertEqual(CHECK.offences(line), [], line)

    def test_finds_none_in_the_sources(self):
        self.assertEqual(CHECK.check(ROOT), 0)


if __name__ == "__main__":
    unittest.main()
