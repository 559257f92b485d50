"""The command line. `make paper` calls it; `PYTHONPATH=bench python3 -m paper --help` lists the options."""

import argparse
import difflib
import json
import os
import pathlib
import re
import shlex
import signal
import sys
import time
import types

from . import __doc__ as about
from . import effort, plan, programs, report, sets
from .runner import Runner, now

CALL = "call.json"
PARTS = ("figure2", "table1", "table2", "table3", "figure3", "theorems", "cost", "protocol", "differences")
UNITS = {"": 1, "s": 1, "m": 60, "h": 3600}
FOLDERS = {"cane": ("",), "cane-lm": ("cane-lm",), "vw": ("",), "theorems": ("../tests/theory",)}


def duration(text):
    found = re.fullmatch(r"(\d+(?:\.\d+)?)([smh]?)", text)
    if not found:
        raise argparse.ArgumentTypeError(f"'{text}' does not fit; give a time such as 90s, 30m or 2h")
    return float(found[1]) * UNITS[found[2]]


def parts(text):
    for part in filter(None, text.split(",")):
        if part.partition("/")[0] not in PARTS:
            near = difflib.get_close_matches(part, PARTS, 1)
            raise argparse.ArgumentTypeError(f"there is no part '{part}'" + (f" (do you mean '{near[0]}'?)" if near else
                                             f"; there are {', '.join(PARTS)}"))
    return tuple(filter(None, text.split(",")))


def parse(words):
    parser = argparse.ArgumentParser(prog="paper", description=about, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", metavar="DATA", help="folder with the data of the paper")
    parser.add_argument("--out", default="cane-paper", help="folder of the report [cane-paper]")
    parser.add_argument("--only", type=parts, default=(), metavar="PART,...", help="these parts alone: table3,figure2/aloi")
    parser.add_argument("--budget", type=duration, default=0.0, help="shorten the runs until all should end within it: 2h")
    parser.add_argument("--quick", action="store_true", help="as --budget 10m")
    parser.add_argument("--limit", type=duration, default=3600.0, help="time trainings that would take longer [1h]")
    parser.add_argument("--seeds", type=int, default=3, help="of runs of up to a minute, without a budget [3]")
    parser.add_argument("--stop-after", type=duration, metavar="TIME", help="begin no run after this time; the report says "
                        "which are missing, and the same call goes on")
    parser.add_argument("--resume", action="store_true", help="go on with the call that was stopped, as it was given")
    parser.add_argument("--keep-older", action="store_true", help="show runs that another commit of the program has made, "
                        "and name it, instead of making them again")
    parser.add_argument("--note", default="", help="a sentence for the head of the report")
    parser.add_argument("--dry-run", action="store_true", help="list every run with its expected time")
    parser.add_argument("--device", choices=("auto", "cpu", "cuda"), default="auto", help="of the language models")
    parser.add_argument("--program", default="build/release/cli/cane", help="the program cane")
    parser.add_argument("--lm", default="cane-lm", help="the program cane-lm")
    parser.add_argument("--vw", default="vw", help="Vowpal Wabbit")
    parser.add_argument("--theorems", default="cane_theorems", help="the program that prints the tables of the theorems")
    parser.add_argument("--jobs", type=int, default=1, help="runs at a time; times compare where each has cores of its own [1]")
    parser.add_argument("--threads", type=int, help="of each run [the cores divided by the jobs]")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args(words)
    options.jobs = max(options.jobs, 1)
    options.threads = options.threads or max(len(os.sched_getaffinity(0)) // options.jobs, 1)
    return options


def repeated(options, words):
    """The options of the call that is to go on, and its words; or these, which are kept for that."""
    kept = pathlib.Path(options.out) / CALL
    if not options.resume:
        return options, words
    if not kept.exists():
        raise sets.DataError(f"--resume: {options.out} has no call that was stopped; leave it out")
    words = json.loads(kept.read_text(encoding="utf-8"))
    return parse(words), words


def find_tools(options):
    cane = programs.find(options.program if "/" in options.program else f"./{options.program}")
    if not cane:
        raise sets.DataError(f"--program: there is no {options.program}; `make build` makes it")
    beside = pathlib.Path(cane).parent
    wanted = {"cane": cane, "cane-lm": options.lm, "vw": options.vw, "theorems": options.theorems}
    found = {tool: programs.find(name, *(beside / folder for folder in FOLDERS[tool])) for tool, name in wanted.items() if name}
    return {tool: path for tool, path in found.items() if path}


def make_setting(options, words):
    """What is to be done, with what: the sets, the programs, the effort."""
    found, absent = sets.find(options.data)
    tools = find_tools(options)
    for one in found:
        sets.split(one, pathlib.Path(options.out) / "data")
        sets.measure(one)
    how = plan.Options(options.threads, options.seed, options.device == "cuda" or
                       options.device == "auto" and bool(programs.gpu()), tuple(tools), options.only)
    budget = 600.0 if options.quick else options.budget
    much = effort.fitting(budget, lambda much: plan.make(found, much, how)) if budget else effort.Effort(
        options.seeds, limit=options.limit)
    shown = [word for before, word in zip(["", *words], words) if "--note" not in (before, word)]
    return types.SimpleNamespace(sets=found, absent=absent, tools=tools, options=how, effort=much, out=options.out,
                                 commit=programs.commit_of(tools["cane"]), version=programs.version_of(tools["cane"]),
                                 machine=programs.machine(), written=now(), note=options.note, command=f"python3 -m paper {shlex.join(shown)}")


def print_plan(runs, done):
    for run in runs:
        state = "kept" if run.id in done else "-" if run.left_out else f"{run.seconds:.0f} s"
        print(f"{state:>9}  {run.id}{f'  ({run.left_out})' if run.left_out else ''}")
    left = [run for run in runs if run.id not in done and not run.left_out]
    print(f"\n{len(runs)} runs, {len(done)} of them kept; {len(left)} to be made, about {sum(run.seconds for run in left):.0f} s")


def carry_out(options, words):
    out = pathlib.Path(options.out)
    if out.is_dir() and any(out.iterdir()) and not (out / CALL).exists() and not (out / "report.json").exists():
        raise sets.DataError(f"--out: {out} is not empty, and no report of the paper; choose another folder")
    setting = make_setting(options, words)
    runs = plan.make(setting.sets, setting.effort, setting.options)
    deadline = time.monotonic() + options.stop_after if options.stop_after is not None else None
    runner = Runner(out, setting.tools, setting.commit, options.keep_older, deadline, lambda text: print(text, flush=True),
                    options.jobs)
    done = runner.kept(runs)
    if options.dry_run:
        print_plan(runs, done)
        print(setting.effort.sentence())
        return 0
    out.mkdir(parents=True, exist_ok=True)
    (out / CALL).write_text(json.dumps(words) + "\n", encoding="utf-8")
    try:
        runner.run(runs, done, lambda all_done: None)
    except programs.Interrupted:
        return 130
    finally:
        report.write(setting, runs, done)
        print(f"see {out}/index.html and {out}/report.md", flush=True)
    return 1 if any(one.error for one in done.values()) else 0


def main(words):
    # What ends a program ends this one as Ctrl-C does: with what is complete.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        options, words = repeated(parse(words), words)
        return carry_out(options, words)
    except sets.DataError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
