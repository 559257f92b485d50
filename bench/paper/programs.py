"""The programs that make the runs, what they were built of, and the machine."""

import contextlib
import hashlib
import os
import pathlib
import re
import shutil
import signal
import subprocess
import time

PATIENCE = 10.0  # seconds between asking a program to end and killing it


class Interrupted(Exception):
    """The user stopped the runs."""


def find(program, *beside):
    """Its path: as given, in one of the folders, or in PATH; an empty text if it is nowhere."""
    places = [pathlib.Path(folder) / program for folder in beside] if "/" not in program else [pathlib.Path(program)]
    there = [str(path.resolve()) for path in places if path.is_file() and os.access(path, os.X_OK)]
    return there[0] if there else shutil.which(program) or ""


def commit_of(cane):
    """What the program was built of: the commit that it prints, or a hash of the program itself."""
    printed = subprocess.run([cane, "version"], capture_output=True, text=True, check=True).stdout
    commit = re.search(r"\b(?=[0-9a-f]*[a-f])(?=[0-9a-f]*\d)[0-9a-f]{7,40}\b", printed)
    if commit and not re.search(r"dirty|modified|changes", printed):
        return commit[0]
    return "program " + hashlib.sha256(pathlib.Path(cane).read_bytes()).hexdigest()[:12]


def version_of(cane):
    return subprocess.run([cane, "version"], capture_output=True, text=True,
                          check=True).stdout.split("\n")[0].removeprefix("cane ")


def gpu():
    for path in sorted(pathlib.Path("/proc/driver/nvidia/gpus").glob("*/information")):
        for line in path.read_text(encoding="utf-8").splitlines():
            if line.startswith("Model"):
                return line.partition(":")[2].strip()
    return ""


def machine():
    names = [line.partition(":")[2].strip() for line in pathlib.Path("/proc/cpuinfo").read_text(
        encoding="utf-8").splitlines() if line.startswith("model name")]
    memory = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") / 2**30
    parts = [names[0] if names else os.uname().machine, f"{len(os.sched_getaffinity(0))} cores", f"{memory:.1f} GiB"]
    return ", ".join(parts + [gpu()] * bool(gpu()))


_running = set()
_stopping = False


def launch(command, output, log):
    """Runs it to its end: exit code and most memory. Raises Interrupted after stop_all()."""
    with open(output, "wb") as out, open(log, "ab") as err:
        # A session of its own: the terminal's Ctrl-C reaches this program alone, which passes it on.
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=out, stderr=err,
                                   start_new_session=True)
        _running.add(process)
        if _stopping:
            os.killpg(process.pid, signal.SIGTERM)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        _running.discard(process)
    if _stopping:
        raise Interrupted
    return process.returncode, usage.ru_maxrss * 1024


def stop_all():
    """Asks the programs that run to end, and kills those that do not."""
    global _stopping
    _stopping = True
    for sign in (signal.SIGTERM, signal.SIGKILL):
        for process in tuple(_running):
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, sign)
        patience = time.monotonic() + PATIENCE
        while _running and time.monotonic() < patience:
            time.sleep(0.05)
