"""The converters, the measurements and the table of the benchmark against peers, on tiny data."""

import gzip
import json
import pathlib
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "bench"))

from peers import (contest, convert, features, install, measure, shuffle, source,  # noqa: E402
                   table, workshop)
from peers.peer import Peer  # noqa: E402

TEXT = "__label__cat purrs a lot\n__label__dog barks a lot\n__label__cat purrs\n"
NUMBERS = "# a comment\n7 1:3 3:4 # and another\n9 2:2\n"


class Folder(unittest.TestCase):
    def setUp(self):
        kept = tempfile.TemporaryDirectory()
        self.addCleanup(kept.cleanup)
        self.folder = pathlib.Path(kept.name)

    def write(self, name, text):
        path = self.folder / name
        opened = gzip.open if name.endswith(".gz") else open
        with opened(path, "wt", encoding="utf-8") as file:
            file.write(text)
        return path

    def data(self, train, test, ending=".ft"):
        return source.Data(self.write("train" + ending, train), self.write("test" + ending, test))

    def read(self, name):
        return (self.folder / name).read_text(encoding="utf-8")


class Source(Folder):
    def test_numbers_labels_in_the_order_in_which_they_come(self):
        data = self.data(TEXT, "__label__dog barks\n__label__cow moos\n", ".ft.gz")
        self.assertEqual(data.classes, {"cat": 0, "dog": 1})
        self.assertEqual(data.train_examples, 3)
        self.assertEqual(data.test_labels, ["dog", "cow"])

    def test_finds_the_files_of_a_folder(self):
        path = self.write("train.svm.gz", NUMBERS)
        self.write("train.csv", "")
        self.assertEqual(source.find(self.folder, "train"), path)
        with self.assertRaisesRegex(source.DataError, "no file test.svm"):
            source.find(self.folder, "test")

    def test_names_an_example_with_two_labels(self):
        data = self.data(TEXT + "__label__a __label__b x\n", TEXT)
        with self.assertRaisesRegex(source.DataError, "example 4"):
            _ = data.classes


class Features(Folder):
    def test_rare_words_weigh_more_and_rows_have_length_one(self):
        words = features.of(self.data(TEXT, TEXT), 1)
        row = dict(words.row("barks a unknown"))
        self.assertAlmostEqual(sum(value * value for value in row.values()), 1.0)
        (rare, _), (common, _) = words.row("barks")[0], words.row("a")[0]
        self.assertGreater(row[rare], row[common])
        self.assertEqual(len(row), 2)

    def test_leaves_out_words_that_are_too_rare(self):
        words = features.of(self.data(TEXT, TEXT), 2)
        self.assertEqual(len(words), 3)
        self.assertEqual(words.row("barks"), [])

    def test_numbers_keep_their_proportions(self):
        numbers = features.of(self.data(NUMBERS, NUMBERS, ".svm"), 1)
        self.assertEqual(len(numbers), 3)
        self.assertEqual(numbers.row("1:3 3:4 9:1"), [(0, 0.6), (2, 0.8)])


class Convert(Folder):
    def test_to_vowpal_wabbit_with_its_reserved_characters_replaced(self):
        path = self.write("a.ft", "__label__dog barks:loud |x\n")
        convert.vowpal_wabbit(path, {"cat": 0, "dog": 1}, self.folder / "a.vw", True)
        convert.vowpal_wabbit(path, {}, self.folder / "b.vw", False)
        self.assertEqual(self.read("a.vw"), "2 | barks=loud !x\n")
        self.assertEqual(self.read("b.vw"), " | barks=loud !x\n")

    def test_to_svmlight_from_one(self):
        data = self.data(NUMBERS, "9 1:1\n8 2:1\n", ".svm")
        rows = features.of(data, 1)
        convert.svmlight(data.train, data.classes, rows, self.folder / "train")
        convert.svmlight(data.test, data.classes, rows, self.folder / "test")
        self.assertEqual(self.read("train"), "1 1:0.6 3:0.8\n2 2:1\n")
        self.assertEqual(self.read("test"), "2 1:1\n1 2:1\n")

    def test_to_the_extreme_repository_from_zero_with_sizes(self):
        data = self.data(NUMBERS, NUMBERS, ".svm")
        convert.extreme(data.train, data.classes, features.of(data, 1), 2, self.folder / "out")
        self.assertEqual(self.read("out"), "2 3 2\n0 0:0.6 2:0.8\n1 1:1\n")

    def test_shuffles_within_and_across_buckets(self):
        path = self.write("a.ft", "".join(f"__label__{i} x\n" for i in range(100)))
        shuffle.shuffle(path, 3 * shuffle.LINES_OF_BUCKET, self.folder / "out")
        before, after = path.read_text().splitlines(), self.read("out").splitlines()
        self.assertNotEqual(before, after)
        self.assertEqual(sorted(before), sorted(after))

    def test_a_workshop_makes_each_file_once(self):
        data = self.data(TEXT, TEXT, ".ft.gz")
        shop = workshop.Workshop(data, self.folder, 1, None, "cane")
        self.assertEqual(shop.plain_text(), ["train.shuffled.ft", "test.txt"])
        self.assertEqual(shop.originals(), ["train.ft.gz", "test.ft.gz"])
        shop.vowpal_wabbit()
        shop.plain_text()
        self.assertEqual(set(shop.conversion_seconds),
                         {"train.shuffled.ft", "test.txt", "train.vw", "test.vw"})


class Measure(Folder):
    def run_python(self, code, limit=60):
        return measure.run([sys.executable, "-c", code], self.folder, limit, self.folder / "log",
                           self.folder / "out")

    def test_sees_memory_and_output(self):
        done = self.run_python("x = bytearray(200_000_000); x[::4096] = x[::4096]; print(len(x))")
        self.assertEqual(done.problem, "")
        self.assertEqual(self.read("out"), "200000000\n")
        self.assertGreater(done.peak_bytes, 200_000_000)

    def test_does_not_count_its_own_memory(self):
        ballast = bytearray(200_000_000)
        ballast[::4096] = b"x" * len(ballast[::4096])
        self.assertLess(self.run_python("").peak_bytes, 100_000_000)

    def test_says_why_a_program_failed(self):
        self.assertEqual(self.run_python("import sys; sys.exit('no such thing')").problem,
                         "exit code 1: no such thing")

    def test_ends_what_takes_too_long(self):
        self.assertEqual(self.run_python("import time; time.sleep(60)", 0.2).problem,
                         "not done after 0.2 s")

    def test_names_a_program_that_is_not_there(self):
        with self.assertRaisesRegex(OSError, "no-such-program"):
            measure.run(["no-such-program"], self.folder, 1, self.folder / "log")


class Majority(Peer):
    """Always says the class that it was told."""

    system = "majority"
    prints_predictions = True

    def install(self):
        return "1.0"

    def convert(self):
        return ["train.ft", "test.ft"]

    def train_command(self, train):
        return [sys.executable, "-c", f"open({self.model!r}, 'w').write(open({train!r}).read())"]

    def predict_command(self, test):
        return [sys.executable, "-c", f"for line in open({test!r}): print({self.setting!r})"]


class Missing(Majority):
    def install(self):
        raise install.InstallError("majority cannot be installed: there is none")


class Contest(Folder):
    def setUp(self):
        super().setUp()
        self.shop = workshop.Workshop(self.data(TEXT, TEXT), self.folder, 1, None, "cane")

    def test_measures_a_peer_from_training_to_accuracy(self):
        result = contest.run(Majority(self.shop, "cat"), 60)
        self.assertEqual(result.problem, "")
        self.assertAlmostEqual(result.accuracy, 2 / 3)
        self.assertEqual(result.model_bytes, len(TEXT))
        self.assertNotIn(str(pathlib.Path(sys.executable).parent) + "/", result.train_command)
        self.assertFalse((self.folder / Majority.model).exists())

    def test_names_a_peer_that_cannot_be_installed(self):
        result = contest.run(Missing(self.shop, "cat"), 60)
        text = table.markdown(FACTS, [result])
        self.assertIn("| majority `cat` | majority cannot be installed: there is none |", text)


FACTS = {"data": "animals", "train_examples": 3, "test_examples": 3, "classes": 2, "threads": 1,
         "processor": "a processor", "limit": 60.0, "load_before": 0.1}


class Table(unittest.TestCase):
    def test_shows_a_row_for_each_result(self):
        measured = measure.Measurement(12.34, 20.0, 1_234_567_890)
        good = contest.Result("one", "-a", "1.0", 2, 1, True, "one train", "one predict", measured,
                              measure.Measurement(0.5, 0.5, 1000), 2_500_000, 0.8125)
        late = contest.Result("two", "-b", train=measure.Measurement(60, 60, 5000, "not done"),
                              problem="not done")
        text = table.markdown(FACTS, [good, late])
        self.assertIn(
            "| one `-a` | 81.25% | 12.3 s | 20.0 s | 0.50 s | 1.23 GB | 2.5 MB | 2, 1 |", text)
        self.assertIn("| two `-b` | not done | – | 60.0 s | – | 5 kB | – | 1, 1 |", text)
        self.assertIn("  - `one predict`", text)
        self.assertNotIn("other work", text)
        self.assertIn("a load of 3.0", table.markdown({**FACTS, "load_before": 3.0}, [good]))
        whole = json.loads(table.as_json(FACTS, [good, late]))
        self.assertEqual(whole["results"][0]["train"]["peak_bytes"], 1_234_567_890)
        self.assertEqual(whole["results"][1]["problem"], "not done")


if __name__ == "__main__":
    unittest.main()
