"""The command line of bench/cluster, the part `efficiency`, and the report."""

import argparse
import json
import os
import pathlib
import shutil
import signal
import statistics
import sys

from . import limits, network
from .runs import Runs, epochs_of, find_sets, make_set, rate_of

PARTS = ("efficiency", "network", "memory")
HEAD = ["data", "shared", "one rank", "ranks", "efficiency", "one process, all threads", "accuracies"]

# Beyond this another program has run at the same time, and slowed down what was measured.
BUSY = 0.5


def note(text):
    print(text, "...", file=sys.stderr, flush=True)


def efficiency(asked, runs):
    """Rates of one rank, of all ranks and of one process with the threads of all, rounds interleaved."""
    results = []
    ways = {"one": (1, asked.threads), "ranks": (asked.ranks, asked.threads),
            "process": (1, asked.ranks * asked.threads)}
    for data in find_sets(asked.data, runs.program, runs.work, asked.small):
        for mode in ("data", "classes"):
            row = {"set": data.name, "mode": mode, "command": runs.command(data, mode, asked.threads),
                   **{way: {"rates": [], "accuracies": [], "problems": []} for way in ways}}
            for _ in range(asked.rounds):
                for way, (ranks, threads) in ways.items():
                    note(f"efficiency: {data.name}, {mode}, {ranks} x {threads}")
                    events, problem = runs.train(data, mode, threads, runs.launcher(ranks))
                    rate = rate_of(events)
                    if problem or rate is None:
                        row[way]["problems"].append(problem or f"nothing learned in {runs.limit:g} s")
                        continue
                    row[way]["rates"].append(rate)
                    if epochs_of(events):
                        row[way]["accuracies"].append(runs.accuracy(data))
            results.append(row)
    return results


def spread(way):
    rates = way["rates"]
    if not rates:
        return way["problems"][0]
    return f"{statistics.median(rates):,.0f} ({min(rates):,.0f} to {max(rates):,.0f})"


def efficiency_cells(row, ranks):
    """A row of the table. Efficiency is the rate of the ranks over as many times the rate of one."""
    one, many = row["one"]["rates"], row["ranks"]["rates"]
    share = f"{statistics.median(many) / ranks / statistics.median(one):.0%}" if one and many else "unknown"
    reached = [row[way]["accuracies"] for way in ("one", "ranks", "process")]
    return [row["set"], row["mode"], spread(row["one"]), spread(row["ranks"]), share, spread(row["process"]),
            ", ".join(f"{statistics.median(ones):.2%}" if ones else "not finished" for ones in reached)]


def table(head, rows):
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |" for line in lines)


def report(asked, results):
    """All that was measured, as Markdown."""
    facts = results["facts"]
    text = [f"# Ranks of cane\n\n{facts['cores']} cores, a load of {facts['load']:.1f} before the first run; "
            f"medians of {asked.rounds} rounds, with the least and the most."]
    if facts["load"] > BUSY:
        text.append("The machine did other work, too, and ranks wait for the slowest of them: no time "
                    "counts.")
    if "efficiency" in results:
        text.append(f"## Efficiency\n\nExamples in a second of the epochs: a rank of {asked.threads} "
                    f"threads, {asked.ranks} such ranks, one process of {asked.ranks * asked.threads} "
                    "threads.\n\n"
                    + table(HEAD, [efficiency_cells(row, asked.ranks) for row in results["efficiency"]]))
    if "network" in results:
        text.append("## Network\n\nTwo ranks in two network namespaces, over TCP. Bytes are counted by the "
                    "link during the epochs, with the headers and acknowledgements of TCP.\n\n"
                    + table(network.HEAD, [network.cells(row) for row in results["network"]]))
    if "memory" in results:
        found = results["memory"]
        text.append(f"## Memory\n\n{found['set']}, weights over {found['units']} units take "
                    f"{found['weights'] / 2**20:.0f} MiB, and the sums of AdaGrad as much; each rank may "
                    f"hold {found['limit'] / 2**20:.0f} MiB, by {found['limited_by']}. The kernel counts "
                    "pages of files, which it can take back; what is resident includes pages of files and "
                    "memory shared with other ranks.\n\n"
                    + table(limits.HEAD, [limits.cells(row) for row in found["rows"]]))
    return "\n\n".join(text) + "\n"


def parse():
    parser = argparse.ArgumentParser(prog="cluster", description=sys.modules[__package__].__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=pathlib.Path, help="folder that may have aloi/ and paths/ in it")
    parser.add_argument("--program", type=pathlib.Path, default="build/release/cli/cane")
    parser.add_argument("--out", type=pathlib.Path, default="bench/results/cluster")
    parser.add_argument("--mpirun", default="mpirun")
    parser.add_argument("--only", default=",".join(PARTS), help="parts, with commas [all]")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--ranks", type=int, default=2, help="of the part efficiency")
    parser.add_argument("--threads", type=int, default=1, help="of a rank")
    parser.add_argument("--limit", type=float, default=600,
                        help="seconds after which a training is interrupted; its rate until then counts")
    parser.add_argument("--small", action="store_true", help="small data: to see that all of it works")
    asked = parser.parse_args()
    asked.parts = asked.only.split(",")
    if set(asked.parts) - set(PARTS):
        parser.error(f"--only: parts are {', '.join(PARTS)}")
    if not shutil.which(asked.mpirun):
        parser.error(f"there is no {asked.mpirun}: install the section mpi of tools/debian-packages.txt")
    if "network" in asked.parts and not (os.geteuid() == 0 and shutil.which("tc")):
        parser.error("network namespaces need root and iproute2; --only efficiency,memory leaves them out")
    return asked


def main():
    asked = parse()
    work = (asked.out / "work").resolve()
    work.mkdir(parents=True, exist_ok=True)
    runs = Runs(asked.program.resolve(), asked.mpirun, work, asked.limit)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that namespaces and groups are taken down
    results = {"facts": {"cores": len(os.sched_getaffinity(0)), "load": os.getloadavg()[0],
                         "ranks": asked.ranks, "threads": asked.threads, "rounds": asked.rounds}}
    for part in asked.parts:
        if part == "efficiency":
            results[part] = efficiency(asked, runs)
        elif part == "network":
            rows = 20_000 if asked.small else 200_000
            data = make_set(runs.program, work, f"synth, 20,000 classes, {rows:,} rows",
                            f"--classes 20000 --examples {rows} --test-examples 5000 --dim 64 --noise 0.4",
                            "--epochs 2")
            results[part] = network.measure(runs, [data], asked.threads, asked.rounds, note)
        else:
            results[part] = limits.measure(runs, asked.small, note)
        # After each part: what is broken off later has not been in vain.
        (asked.out / "cluster.json").write_text(json.dumps(results, indent=1), encoding="utf-8")
        (asked.out / "cluster.md").write_text(report(asked, results), encoding="utf-8")
    print(report(asked, results))


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        sys.exit(130)
