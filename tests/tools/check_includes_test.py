"""The check of includes finds planted offences and nothing else."""

import pathlib
import subprocess
import sys
import tempfile
import unittest

CHECK = pathlib.Path(__file__).resolve().parents[2] / "tools" / "check-includes.py"


class CheckIncludes(unittest.TestCase):
    def offences(self, files):
        with tempfile.TemporaryDirectory() as root:
            for name, text in files.items():
                path = pathlib.Path(root) / name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text)
            result = subprocess.run([sys.executable, CHECK, root], capture_output=True, text=True)
        self.assertEqual(result.returncode, 1 if result.stdout else 0, result.stderr)
        return [line.split(": ")[0] for line in result.stdout.splitlines()]


    def test_accepts_what_points_down(self):
        self.assertEqual(self.offences({
            "src/api/a.cc": '#include "cane/a.h"\n#include "core/base/b.h"\n#include "api/c.h"\n',
            "src/core/tree/t.cc": '#include "core/file/f.h"\n#include <vector>\n',
            "src/core/simd/k.cc": '#include "hwy/highway.h"\n#include HWY_TARGET_INCLUDE\n',
            "include/cane/a.h": '#include "cane/b.h"\n',
            "cli/cane/main.cc": '#include "cane/cane.h"\n#include "cli/cane/verbs.h"\n',
        }), [])

    def test_names_file_and_line_of_what_points_up(self):
        self.assertEqual(self.offences({
            "src/core/base/b.h": '#pragma once\n\n#include "model/m.h"\n',
            "src/lm/cuda/l.cu": '#include "train/t.h"\n',
            "src/model/m.cc": '#include "cli/cane/verbs.h"\n',
        }), ["src/core/base/b.h:3", "src/lm/cuda/l.cu:1", "src/model/m.cc:1"])

    def test_keeps_peers_apart(self):
        self.assertEqual(self.offences({
            "src/train/t.cc": '#include "predict/p.h"\n',
            "src/core/noise/n.cc": '  #  include "core/objective/o.h"\n',
            "cli/cane/c.cc": '#include "cli/cane-lm/c.h"\n',
        }), ["cli/cane/c.cc:1", "src/core/noise/n.cc:1", "src/train/t.cc:1"])

    def test_shows_nothing_of_the_library_to_its_users(self):
        self.assertEqual(self.offences({
            "cli/cane/main.cc": '#include "model/m.h"\n',
            "examples/e.cc": '#include "model/m.h"\n',
            "include/cane/a.h": '#include "core/base/types.h"\n',
        }), ["cli/cane/main.cc:1", "examples/e.cc:1", "include/cane/a.h:1"])

    def test_wants_whole_paths(self):
        self.assertEqual(self.offences({
            "src/data/t.cc": '#include "dataset.h"\n#include "../data/vocabulary.h"\n',
        }), ["src/data/t.cc:1", "src/data/t.cc:2"])

    def test_names_each_step_of_a_circle_of_folders(self):
        self.assertEqual(self.offences({
            "src/data/rows/r.h": '#include "data/text/t.h"\n',
            "src/data/text/t.h": '#include "data/d.h"\n#include "data/text/u.h"\n',
            "src/data/d.h": '#include <vector>\n#include "data/rows/r.h"\n',
            "src/data/cache/c.h": '#include "data/rows/r.h"\n',
        }), ["src/data/d.h:2", "src/data/rows/r.h:1", "src/data/text/t.h:1"])


if __name__ == "__main__":
    unittest.main()
