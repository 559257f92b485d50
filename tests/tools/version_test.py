#!/usr/bin/env python3
"""Checks that program, changelog, CMake and Python package name one version, and that the program
names the commit that it was built from and takes the plug-ins beside it. Usage: version_test.py PROGRAM [PROGRAM...]"""

import importlib.util
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]


def text(name):
    return (ROOT / name).read_text(encoding="utf-8")


def run(*words):
    return subprocess.run(words, capture_output=True, encoding="utf-8", cwd=ROOT)


def package_version():
    """What the Python package is given when it is built."""
    spec = importlib.util.spec_from_file_location("version", ROOT / "python/tools/library_version.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.dynamic_metadata({}, {})["version"]


def plausible(commit):
    """A commit of this checkout. Not always the last one: a program stays what it is after a commit."""
    if run("git", "rev-parse", "--show-toplevel").stdout.strip() != str(ROOT):
        return commit == "unknown"
    return run("git", "cat-file", "-e", commit.removesuffix("-dirty")).returncode == 0


version = re.search(r"^project\(cane VERSION ([0-9.]+)", text("CMakeLists.txt"), re.MULTILINE)[1]
newest = re.search(r"^## \[([0-9.]+)\]", text("CHANGELOG.md"), re.MULTILINE)[1]
assert newest == version, f"CHANGELOG.md begins with {newest}, CMakeLists.txt has {version}"
assert package_version() == version, package_version()
outside = re.search(r"find_package\(cane ([0-9.]+)", text("tests/outside/CMakeLists.txt"))[1]
assert version.startswith(outside + "."), f"tests/outside asks for {outside}"
for program in sys.argv[1:]:
    name = pathlib.Path(program).name
    line = run(program, "--version").stdout.strip()
    found = re.fullmatch(rf"{name} {re.escape(version)} \((\w+(?:-dirty)?)\)", line)
    assert found, line
    assert plausible(found[1]), f"{line}: not a commit of this checkout"
    if name == "cane":
        facts = run(program, "version").stdout
        assert f"\ncommit           {found[1]}\n" in facts, facts
        assert "has interface" not in facts, facts  # a plug-in of another version
