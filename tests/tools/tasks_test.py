#!/usr/bin/env python3
"""Runs the commands of docs/tasks/*.md, each page in a folder of its own.
Usage: tasks_test.py PROGRAM [--update] [PAGE...]

A ```sh block must succeed. A ```console block shows commands, after `$ `, and what they print: it must
look the same but for numbers and the widths of columns, which differ between machines. --update
writes what they print into the pages. ```python blocks are run by python/tests/test_docs.py."""

import os
import pathlib
import re
import subprocess
import sys
import tempfile

PAGES = pathlib.Path(__file__).resolve().parents[2] / "docs" / "tasks"
_BLOCK = re.compile(r"^```(sh|console)\n(.*?)^```$", re.DOTALL | re.MULTILINE)


def run(command, folder, environment):
    result = subprocess.run(["bash", "-euc", command], cwd=folder, env=environment,
                            capture_output=True, encoding="utf-8", check=False)
    if result.returncode:
        sys.exit(f"{folder.name}: {command}\n{result.stdout}{result.stderr}")
    return result.stdout


def shape(text):
    """What is left of a text without its numbers and the widths of its columns."""
    text = re.sub(r"\d[\d,.]*(e[-+]?\d+)?", "#", text)
    return [" ".join(line.split()) for line in text.strip().splitlines()]


def commands(block):
    """Pairs of a command, which may go on after a backslash, and what the page says it prints."""
    found = re.findall(r"^\$ ((?:.*\\\n)*.*)\n((?:(?!\$ ).*\n)*)", block, re.MULTILINE)
    assert found, block
    return found


def check(page, program, update):
    text = page.read_text(encoding="utf-8")
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch) / page.stem
        folder.mkdir()
        (pathlib.Path(scratch) / "cane").symlink_to(program)
        environment = os.environ | {"PATH": f"{scratch}:{os.environ['PATH']}",
                                    "CANE_CACHE_DIR": f"{scratch}/cache", "COLUMNS": "100"}

        def renew(match):
            kind, block = match.groups()
            if kind == "sh":
                run(block, folder, environment)
                return match.group()
            renewed = ""
            for command, said in commands(block):
                printed = run(command, folder, environment)
                if not update and shape(printed) != shape(said):
                    sys.exit(f"{page.name}: {command}\nprints\n{printed}instead of\n{said}")
                renewed += f"$ {command}\n{printed}"
            return f"```console\n{renewed}```"

        text = _BLOCK.sub(renew, text)
    if update:
        page.write_text(text, encoding="utf-8")


def main():
    program, *words = sys.argv[1:]
    names = [word for word in words if word != "--update"]
    pages = [PAGES / name for name in names] or sorted(PAGES.glob("*.md"))
    assert pages
    for page in pages:
        check(page, pathlib.Path(program).resolve(), "--update" in words)


if __name__ == "__main__":
    main()
