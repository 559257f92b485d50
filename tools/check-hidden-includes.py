#!/usr/bin/env python3
"""Finds includes that are missing where a precompiled header hides it: what a file uses of the
headers named here it includes, itself or through our own headers. Prints file:line of the first use
of each that is missing. Usage: check-hidden-includes.py [ROOT]"""

import functools
import pathlib
import re
import sys

# The headers that are precompiled, and the names that give their use away.
USES = {
    "algorithm": r"std::(?:ranges::)?(?:all_of|any_of|clamp|copy|copy_n|count_if|fill|fill_n|find|find_if|"
                 r"lower_bound|max_element|min_element|none_of|nth_element|partial_sort|reverse|sort|"
                 r"stable_sort|transform|unique|upper_bound)\(",
    "filesystem": r"std::filesystem::",
    "fmt/format.h": r"\bfmt::(?:format|print)\(",
    "fstream": r"std::[io]?fstream\b",
    "functional": r"std::function<",
    "memory": r"std::(?:make_shared|make_unique|shared_ptr|unique_ptr)\b",
    "mutex": r"std::(?:lock_guard|mutex|scoped_lock|unique_lock)\b",
    "optional": r"std::(?:nullopt|optional)\b",
    "span": r"std::span\b",
    "string": r"std::(?:getline|string|to_string)\b",
    "thread": r"std::(?:jthread|this_thread|thread)\b",
    "vector": r"std::vector\b",
}
USES = {header: re.compile(pattern) for header, pattern in USES.items()}
# Headers of others that bring one along by what they are.
BRINGS = {"filesystem": {"string"}, "fmt/chrono.h": {"fmt/format.h", "string"}, "fmt/format.h": {"string"},
          "fmt/ranges.h": {"fmt/format.h", "string"}, "fstream": {"string"},
          "gtest/gtest.h": {"memory", "string", "vector"},
          "nlohmann/json.hpp": {"string", "vector"}, "sstream": {"string"},
          "CLI/CLI.hpp": {"functional", "memory", "string", "vector"}}
INCLUDE = re.compile(r'^\s*#\s*include\s*["<]([^">]+)', re.MULTILINE)
COMMENT = re.compile(r"//.*")
TOPS = ("src", "include", "cli", "tests", "examples", "bench", "torch")


def check(root):
    @functools.cache
    def sees(path):
        """All that a file includes, down to the headers of others."""
        seen = set()
        pending = [path]
        while pending:
            for name in INCLUDE.findall(pending.pop().read_text(encoding="utf-8")):
                if name in seen:
                    continue
                seen.add(name)
                seen |= BRINGS.get(name, set())
                for folder in (root, root / "src", root / "include", root / "tests"):
                    if (folder / name).is_file():
                        pending.append(folder / name)
                        break
        return frozenset(seen)

    offences = 0
    for path in sorted(path for top in TOPS for path in (root / top).rglob("*.*")):
        if path.suffix not in (".h", ".cc"):
            continue
        lines = [COMMENT.sub("", line) for line in path.read_text(encoding="utf-8").splitlines()]
        for header in sorted(USES.keys() - sees(path)):
            number = next((n for n, line in enumerate(lines, 1) if USES[header].search(line)), None)
            if number is not None:
                print(f"{path.relative_to(root)}:{number}: #include <{header}> is missing")
                offences += 1
    return offences


if __name__ == "__main__":
    ROOT = sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).resolve().parent.parent
    sys.exit(1 if check(pathlib.Path(ROOT)) else 0)
