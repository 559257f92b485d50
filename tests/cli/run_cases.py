#!/usr/bin/env python3
"""Runs the cases of one file against the program. Usage: run_cases.py PROGRAM CASE_FILE

A case file is read from top to bottom in one new, empty folder; commands see CANE_CACHE_DIR in it
and the program by its name. Lines:
  # ...          a comment
  file NAME      the lines that follow, each after "| ", are the content of the file
  run COMMAND    a shell command (bash); what follows says what must hold for it
  exit N         its exit code (0 if this is not given)
  out TEXT       stdout contains the text; "out= TEXT": one whole line is the text
  err TEXT       stderr contains the text
  no out, no err   nothing on that stream
  not out TEXT, not err TEXT, not out= LINE   the stream does not contain it
"""

import os
import pathlib
import signal
import subprocess
import sys
import tempfile

TIMEOUT = 120


def parse(path):
    """Steps in order: ("file", name, content) or ("run", line number, command, checks)."""
    steps = []
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        word, _, rest = line.partition(" ")
        if word == "file":
            steps.append(["file", rest, ""])
        elif word == "|":
            steps[-1][2] += rest + "\n"
        elif word == "run":
            steps.append(["run", number, rest, []])
        elif word in ("exit", "out", "out=", "err", "no", "not"):
            steps[-1][3].append((number, word, rest))
        else:
            sys.exit(f"{path}:{number}: a line cannot begin with '{word}'")
    return steps


def holds(word, rest, code, streams):
    if word == "exit":
        return code == int(rest)
    if word == "out=":
        return rest in streams["out"].splitlines()
    if word == "no":
        return streams[rest] == ""
    if word == "not":
        positive, _, text = rest.partition(" ")
        return not holds(positive, text, code, streams)
    return rest in streams[word]


def run(case, step, folder, environment):
    _, number, command, checks = step
    if not any(word == "exit" for _, word, _ in checks):
        checks = [(number, "exit", "0")] + checks
    done = subprocess.run(["bash", "-c", command], cwd=folder, env=environment, timeout=TIMEOUT,
                          capture_output=True, encoding="utf-8", errors="replace",
                          stdin=subprocess.DEVNULL)
    streams = {"out": done.stdout, "err": done.stderr}
    failures = 0
    for line, word, rest in checks:
        if not holds(word, rest, done.returncode, streams):
            print(f"{case}:{line}: does not hold: {word} {rest}")
            failures += 1
    if failures:
        print(f"  {command}\n  exit code {done.returncode}\n--- out\n{done.stdout}"
              f"--- err\n{done.stderr}---")
    return failures


def main():
    program, case = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2])
    # As a shell starts programs: a closed pipe must end them.
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    failures = 0
    with tempfile.TemporaryDirectory(prefix="cane-cli-") as folder:
        # The same date in every model: cases compare what `inspect` prints.
        environment = dict(os.environ, CANE_CACHE_DIR=os.path.join(folder, ".cache"),
                           SOURCE_DATE_EPOCH="1600000000")
        bin_folder = pathlib.Path(folder, ".bin")
        bin_folder.mkdir()
        (bin_folder / program.name).symlink_to(program)
        environment["PATH"] = f"{bin_folder}:{environment['PATH']}"
        for step in parse(case):
            if step[0] == "file":
                pathlib.Path(folder, step[1]).write_text(step[2], encoding="utf-8")
            else:
                failures += run(case, step, folder, environment)
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
