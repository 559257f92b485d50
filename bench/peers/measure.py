"""Measures a program: wall time, processor time, and the most memory that it, or a program that it
started, held at once.
"""

import dataclasses
import json
import os
import pathlib
import subprocess
import sys

LAUNCH = pathlib.Path(__file__).resolve().parent / "launch.py"
# A program may not take all of the machine's memory, or the machine would go down with it.
MEMORY_SHARE = 0.9


@dataclasses.dataclass
class Measurement:
    seconds: float
    processor_seconds: float
    peak_bytes: int
    problem: str = ""  # why it did not end well


def processor():
    """Its name."""
    for line in pathlib.Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
        if line.startswith("model name"):
            return line.partition(":")[2].strip()
    return os.uname().machine


def memory_limit():
    return int(MEMORY_SHARE * os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"))


def last_line(log):
    """The last thing that a program said."""
    printed = pathlib.Path(log).read_text(encoding="utf-8", errors="replace").split("\n")
    return next((line.strip() for line in reversed(printed) if line.strip()), "it printed nothing")


def run(command, folder, limit, log, output=None, environment=None):
    """Runs `command` in `folder`, at most `limit` seconds. What it says goes to the file `log`, or
    only its errors when there is a file `output` for the rest.
    """
    launched = subprocess.run(
        [sys.executable, "-S", "-E", str(LAUNCH), str(limit), str(memory_limit()), str(log),
         str(output or ""), *command],
        cwd=folder, env={**os.environ, **(environment or {})}, stdout=subprocess.PIPE,
        stderr=subprocess.PIPE, text=True, check=False)
    if launched.returncode:
        raise OSError(f"{command[0]}: {(launched.stderr.strip() or 'broken off').splitlines()[-1]}")
    printed = json.loads(launched.stdout)
    problem, code = "", printed["exit_code"]
    if printed["late"]:
        problem = f"not done after {limit:g} s"
    elif code:
        end = f"exit code {code}" if code > 0 else f"ended by signal {-code}"
        problem = f"{end}: {last_line(log)}"
    return Measurement(printed["seconds"], printed["processor_seconds"], printed["peak_bytes"], problem)
