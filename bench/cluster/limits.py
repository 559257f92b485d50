"""Ranks that may hold less memory than the model takes."""

import os
import pathlib
import shlex
import sys
import time

from .runs import epochs_of, make_set, rate_of

ROOT = pathlib.Path("/sys/fs/cgroup")
HEAD = ["shared", "ranks", "ends", "accuracy", "examples a second", "peak of each rank, by the kernel",
        "resident at most", "of that its own"]


class Limits:
    """Lets each rank hold `most` bytes: by a control group, or, where none can be made, of its own memory
    without that shared with others. The groups are gone after leaving."""

    def __init__(self, work, ranks, most):
        self.most, self.ranks, self.wrapper = most, ranks, work / "limit.sh"
        self.groups, self.peak, self.kind = [], "", "limits of data (ulimit -d)"

    def __enter__(self):
        try:
            if (ROOT / "cgroup.controllers").exists():
                self.make(ROOT, "memory.max", "memory.peak", "control groups, version 2")
            else:
                self.make(ROOT / "memory", "memory.limit_in_bytes", "memory.max_usage_in_bytes",
                          "control groups, version 1")
            enter = f"echo $$ > {shlex.quote(str(self.groups[0].parent))}/rank-$rank/cgroup.procs || exit 1"
        except OSError:
            self.__exit__()
            enter = f"ulimit -d {self.most // 1024} || exit 1"
        self.wrapper.write_text(f'#!/bin/sh\nrank=${{OMPI_COMM_WORLD_RANK:-0}}\n{enter}\nexec "$@"\n',
                                encoding="utf-8")
        self.wrapper.chmod(0o755)
        return self

    def make(self, root, limit, peak, kind):
        parent = root / f"cane-bench-{os.getpid()}"
        self.groups = [parent / f"rank-{i}" for i in range(self.ranks)]
        parent.mkdir()
        if (parent / "cgroup.subtree_control").exists():
            (parent / "cgroup.subtree_control").write_text("+memory", encoding="ascii")
        for group in self.groups:
            group.mkdir()
            (group / limit).write_text(str(self.most), encoding="ascii")
            if (group / "memory.swap.max").exists():
                (group / "memory.swap.max").write_text("0", encoding="ascii")
        self.peak, self.kind = peak, kind

    def __exit__(self, *_):
        for group in [*self.groups, *(group.parent for group in self.groups[:1])]:
            remove(group)
        self.groups = []

    def peaks(self):
        """The most that the kernel counted for each rank, pages of files among it; empty without groups."""
        return [int((group / self.peak).read_text(encoding="ascii")) for group in self.groups
                if (group / self.peak).exists()]


def remove(group):
    """Takes a group down as soon as the last process in it is gone."""
    for _ in range(100):
        try:
            group.rmdir()
            return
        except FileNotFoundError:
            return
        except OSError:
            time.sleep(0.1)
    print(f"{group} could not be removed", file=sys.stderr)


class Resident:
    """The most that each rank has had in memory, and of that the most of its own, as /proc shows while it
    lives."""

    def __init__(self, program):
        self.program, self.most = program, {}

    def __call__(self, process):
        for number in [str(process.pid), *words(f"/proc/{process.pid}/task/{process.pid}/children")]:
            entries = words(f"/proc/{number}/environ", "\0")
            ranks = [entry.split("=")[1] for entry in entries if entry.startswith("OMPI_COMM_WORLD_RANK=")]
            status = words(f"/proc/{number}/status")
            if "RssAnon:" in status and status[1] == self.program.name:
                rank = int(ranks[0]) if ranks else 0
                peak, own = (int(status[status.index(name) + 1]) * 1024 for name in ("VmHWM:", "RssAnon:"))
                self.most[rank] = (peak, max(own, self.most.get(rank, (0, 0))[1]))


def words(path, separator=None):
    """What stands in a file of /proc; nothing if the process is gone."""
    try:
        return pathlib.Path(path).read_text(encoding="utf-8", errors="replace").split(separator)
    except OSError:
        return []


def measure(runs, is_small, note):
    """Weights over the units of an encoder, many times the data, on ranks that may not hold all of it."""
    classes, rows, epochs, most = (10_000, 50_000, 3, 128) if is_small else (200_000, 1_000_000, 2, 1280)
    units = 2048
    data = make_set(runs.program, runs.work, f"synth, {classes:,} classes, 16 coordinates",
                    f"--classes {classes} --examples {rows} --test-examples 2000 --dim 16 --noise 0.2",
                    f"--encoder bag --dim {units} --optimizer adagrad --epochs {epochs}")
    results = {"set": data.name, "units": units, "limit": most * 2**20, "weights": 4 * classes * units,
               "rows": []}
    for mode, ranks in (("data", 1), ("data", 4), ("classes", 1), ("classes", 4)):
        note(f"memory: {mode} on {ranks}")
        with Limits(runs.work, ranks, most * 2**20) as limits:
            resident = Resident(runs.program)
            events, problem = runs.train(data, mode, 1, runs.launcher(ranks, [str(limits.wrapper)]), resident)
            row = {"mode": mode, "ranks": ranks, "rate": rate_of(events),
                   "peaks": limits.peaks(), "resident": resident.most}
            results["limited_by"] = limits.kind
        is_done = not problem and len(epochs_of(events)) == epochs
        row["ends"] = problem or ("trained" if is_done else f"interrupted after {runs.limit:g} s")
        row["accuracy"] = runs.accuracy(data) if is_done else None
        results["rows"].append(row)
    return results


def cells(row):
    def mib(numbers):
        return ", ".join(f"{number / 2**20:.0f}" for number in numbers) + " MiB" if numbers else "unknown"

    resident = [most for _, most in sorted(row["resident"].items())]
    return [row["mode"], str(row["ranks"]), row["ends"],
            "–" if row["accuracy"] is None else f"{row['accuracy']:.2%}",
            "–" if row["rate"] is None else f"{row['rate']:,.0f}", mib(row["peaks"]),
            *(mib([most[i] for most in resident]) for i in range(2))]
