"""The checks of includes find planted offences and nothing else."""

import pathlib
import subprocess
import sys
import tempfile
import unittest

TOOLS = pathlib.Path(__file__).resolve().parents[2] / "tools"


class Check(unittest.TestCase):
    def offences(self, files):
        with tempfile.TemporaryDirectory() as root:
            for name, text in files.items():
                path = pathlib.Path(root) / name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text)
            result = subprocess.run([sys.executable, TOOLS / self.CHECK, root], capture_output=True, text=True)
        self.assertEqual(result.returncode, 1 if result.stdout else 0, result.stderr)
        return [line.split(": ")[0] for line in result.stdout.splitlines()]


class CheckIncludes(Check):
    CHECK = "check-includes.py"

    def test_accepts_what_points_down(self):
        self.assertEqual(self.offences({
            "src/api/a.cc": '#include "cane/a.h"\n#include "base/b.h"\n#include "api/c.h"\n',
            "src/tree/t.cc": '#include "data/dataset_view.h"\n#include <vector>\n',
            "src/kernels/k.cc": '#include "hwy/highway.h"\n#include HWY_TARGET_INCLUDE\n',
            "include/cane/a.h": '#include "cane/b.h"\n',
            "cli/main.cc": '#include "cane/cane.h"\n#include "cli/verbs.h"\n',
        }), [])

    def test_names_file_and_line_of_what_points_up(self):
        self.assertEqual(self.offences({
            "src/base/b.h": '#pragma once\n\n#include "model/m.h"\n',
            "src/learn/l.cc": '#include <predict/p.h>\n',
            "src/model/m.cc": '#include "cli/verbs.h"\n',
        }), ["src/base/b.h:3", "src/learn/l.cc:1", "src/model/m.cc:1"])

    def test_keeps_peers_apart(self):
        self.assertEqual(self.offences({
            "src/tree/t.cc": '#include "data/vocabulary.h"\n',
            "src/data/d.cc": '  #  include "tree/class_tree.h"\n',
            "src/noise/n.cc": '#include "data/dataset_view.h"\n',
        }), ["src/data/d.cc:1", "src/noise/n.cc:1", "src/tree/t.cc:1"])

    def test_shows_nothing_of_the_library_to_its_users(self):
        self.assertEqual(self.offences({
            "cli/main.cc": '#include "base/types.h"\n',
            "examples/e.cc": '#include "model/m.h"\n',
            "include/cane/a.h": '#include "base/types.h"\n',
        }), ["include/cane/a.h:1", "cli/main.cc:1", "examples/e.cc:1"])

    def test_keeps_the_rooms_of_torch_in_order(self):
        self.assertEqual(self.offences({
            "torch/data/d.cc": '#include "torch/learn/l.h"\n#include "data/raw_file.h"\n',
            "torch/learn/l.cc": '#include "torch/data/d.h"\n#include <torch/torch.h>\n',
            "torch/cli/c.cc": '#include "kernels/k.h"\n#include "cli/options.h"\n',
        }), ["torch/cli/c.cc:1", "torch/data/d.cc:1"])

    def test_wants_whole_paths(self):
        self.assertEqual(self.offences({
            "src/tree/t.cc": '#include "class_tree.h"\n#include "../data/vocabulary.h"\n',
        }), ["src/tree/t.cc:1", "src/tree/t.cc:2"])


class CheckHiddenIncludes(Check):
    CHECK = "check-hidden-includes.py"

    def test_names_the_first_use_of_what_is_not_included(self):
        self.assertEqual(self.offences({
            "src/base/b.h": "// std::vector\nstd::span<int> a;\nstd::span<int> b;\n",
            "cli/c.cc": "#include <fmt/format.h>\nstd::string a;\nstd::vector<int> b;\n",
        }), ["cli/c.cc:3", "src/base/b.h:2"])

    def test_takes_what_comes_through_our_own_headers(self):
        self.assertEqual(self.offences({
            "src/base/a.h": "#include <vector>\nstd::vector<int> a;\n",
            "src/base/b.h": '#include "base/a.h"\n',
            "tests/base/b_test.cc": '#include "base/b.h"\nstd::vector<int> b;\n',
        }), [])


if __name__ == "__main__":
    unittest.main()
