#!/usr/bin/env python3
"""Checks the completion of shells and the manual pages that the program prints.
Usage: shell_pages_test.py PROGRAM"""

import pathlib
import shutil
import subprocess
import sys
import tempfile

PROGRAM = sys.argv[1]
NAME = pathlib.Path(PROGRAM).name


def run(*words, **more):
    return subprocess.run(words, check=True, capture_output=True, encoding="utf-8", **more)


def page(*words):
    return run(PROGRAM, "help", *words).stdout


def completed(script, folder, *words):
    """What bash offers for the last word."""
    function = "_" + NAME.replace("-", "_")
    line = " ".join(f"'{word}'" for word in (NAME, *words))
    code = (f"source '{script}'; COMP_WORDS=({line}); COMP_CWORD={len(words)}; {function}; "
            "printf '%s\\n' \"${COMPREPLY[@]}\"")
    return set(run("bash", "-c", code, cwd=folder).stdout.split())


def check_bash(folder):
    script = folder / "script.bash"
    script.write_text(page("--completion", "bash"))
    (folder / "data.svm").write_text("")
    assert {"train", "test", "inspect", "help"} <= completed(script, folder, "")
    assert completed(script, folder, "ins") == {"inspect"}
    assert completed(script, folder, "help", "ins") == {"inspect"}
    assert completed(script, folder, "train", "--ep") == {"--epochs"}
    assert completed(script, folder, "inspect", "--ep") == set()
    assert "data.svm" in completed(script, folder, "train", "da")
    assert "data.svm" in completed(script, folder, "train", "--valid", "da")
    assert completed(script, folder, "train", "--epochs", "da") == set()
    assert "softmax" in completed(script, folder, "train", "--method", "s")
    assert "data.svm" in completed(script, folder, "train", "--quiet", "da")


def check_other_shells(folder):
    for shell in ("zsh", "fish"):
        text = page("--completion", shell)
        assert NAME in text and "epochs" in text and text.count("'") % 2 == 0, shell
        if shutil.which(shell):
            (folder / shell).write_text(text)
            run(shell, "-n", str(folder / shell))


def check_manual():
    verbs = [line.split()[0] for line in page().splitlines()
             if line.startswith("  ") and line[2].islower() and not line.startswith(f"  {NAME} ")]
    for verb in ["", *verbs]:
        text = page("--man", *([verb] if verb else []))
        for part in (".TH", ".SH NAME", ".SH SYNOPSIS"):
            assert part in text, (verb, part)
        if shutil.which("man") and shutil.which("groff"):
            shown = subprocess.run(["man", "--warnings", "-l", "-"], input=text, check=True,
                                   capture_output=True, encoding="utf-8")
            assert not shown.stderr, (verb, shown.stderr)
    assert "\\fB\\-\\-epochs\\fR" in page("--man", "train")


with tempfile.TemporaryDirectory() as name:
    check_bash(pathlib.Path(name))
    check_other_shells(pathlib.Path(name))
    check_manual()
    for words in (["--completion", "tcsh"], ["--man", "trian"], ["--frob"]):
        assert subprocess.run([PROGRAM, "help", *words], capture_output=True).returncode == 1
