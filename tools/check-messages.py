#!/usr/bin/env python3
"""Checks that the library names options as fields, `hash_bits 2`, and never as flags of a
program: no text in src/ (but src/app) or include/ has --flags. Prints file:line of each offence.
Usage: check-messages.py [ROOT]"""

import pathlib
import re
import sys

TEXT = re.compile(r'"(?:[^"\\]|\\.)*"')
FLAG = re.compile(r'(?<![\w-])--(?:[a-z]|"$)')
SUFFIXES = (".h", ".cc", ".cu", ".cuh")


def offences(text):
    """The numbers of lines with a flag in a text."""
    return [number for number, line in enumerate(text.splitlines(), 1)
            if not line.lstrip().startswith(("//", "#"))
            and any(FLAG.search(literal) for literal in TEXT.findall(line))]


def check(root):
    found = 0
    for path in sorted(path for top in ("src", "include") for path in (root / top).rglob("*.*")):
        name = path.relative_to(root).as_posix()
        if path.suffix not in SUFFIXES or name.startswith("src/app/"):
            continue
        for number in offences(path.read_text(encoding="utf-8")):
            print(f"{name}:{number}: a message of the library has a --flag; write the field "
                  "between backquotes")
            found += 1
    return found


if __name__ == "__main__":
    ROOT = sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).resolve().parent.parent
    sys.exit(1 if check(pathlib.Path(ROOT)) else 0)
