"""What `cane train` picks by itself, compared with a list of settings: accuracy, time and the pilot's share.

Run by `make bench-auto DATA=FOLDER`. Times are user seconds.
"""

import argparse
import json
import pathlib
import re
import resource
import subprocess
import sys
import time

from auto.sets import find_sets


# A setting that takes this many times as long as what is picked is no alternative.
SLOWEST = 3


def user_seconds(command, limit):
    """Runs it; returns how it ended and the user seconds it took."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    done = subprocess.run(command, capture_output=True, text=True, timeout=limit)
    return done, resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before


def run(program, work, data, options, limit=None):
    """Trains and tests one setting. Returns None if it fails or takes longer than `limit`."""
    model = work / "model.safetensors"
    train = [program, "train", data.train, "--model", model, *data.options.split(),
             *options.split()]
    try:
        done, seconds = user_seconds(train, limit)
    except subprocess.TimeoutExpired:
        print(f"  {options}: not done after {limit:.0f} s", file=sys.stderr)
        return None
    if done.returncode != 0:
        print(f"  {options}: {done.stderr.strip().splitlines()[-1]}", file=sys.stderr)
        return None
    test = subprocess.run(
        [program, "test", data.test, "--model", model, "--top-k", "1,10", "--log-loss", "none",
         "--json"], capture_output=True, text=True, check=True)
    measured = json.loads(test.stdout)
    pilot = re.search(r"pilot: picked (.*), learning rate .*, in ([0-9.]+) s", done.stderr)
    whole = re.search(r"epochs? in (?:([0-9.]+) min )?([0-9.]+) s", done.stderr)
    return {"options": options, "accuracy": measured["accuracy"], "top_10": measured["top"]["10"],
            "seconds": seconds, "picked": pilot.group(1) if pilot else None,
            "share": (float(pilot.group(2)) /
                      (60 * float(whole.group(1) or 0) + float(whole.group(2)))
                      if pilot and whole else 0.0)}


def picked_by_rule(program, work):
    """What the model says was chosen where no pilot ran."""
    shown = subprocess.run([program, "inspect", work / "model.safetensors", "--json"],
                           capture_output=True, text=True)
    options = json.loads(shown.stdout).get("options", {}) if shown.returncode == 0 else {}
    return " ".join(str(options.get(name, "")) for name in ("method", "select")).strip()


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=pathlib.Path, help="folder with the real data sets")
    parser.add_argument("--program", default="build/release/cli/cane")
    parser.add_argument("--out", type=pathlib.Path, default=pathlib.Path("bench/results/auto"))
    parser.add_argument("--only", default="", help="sets whose name contains this")
    asked = parser.parse_args()
    asked.out.mkdir(parents=True, exist_ok=True)
    results = {}
    print("| data | picked | accuracy | top 10 | s | best of the list | accuracy | top 10 | s "
          "| pilot |\n|---|---|---|---|---|---|---|---|---|---|")
    for data in find_sets(asked.data, asked.out):
        if asked.only not in data.name:
            continue
        data.make(asked.program)
        run(asked.program, asked.out, data, "--auto off --method hsm")  # fills the cache
        begin = time.monotonic()
        auto = run(asked.program, asked.out, data, "")
        limit = SLOWEST * (time.monotonic() - begin) + 10
        picked = auto["picked"] or picked_by_rule(asked.program, asked.out)
        others = [run(asked.program, asked.out, data, f"--auto off {setting}", limit)
                  for setting in data.settings]
        others = [other for other in others if other]
        best = max(others, key=lambda other: other["accuracy"])
        results[data.name] = {"auto": auto, "others": others}
        name = best["options"].removeprefix("--auto off ")
        print(f"| {data.name} | {picked} | {auto['accuracy']:.2%} | {auto['top_10']:.2%} "
              f"| {auto['seconds']:.1f} | `{name}` | {best['accuracy']:.2%} | {best['top_10']:.2%} "
              f"| {best['seconds']:.1f} | {auto['share']:.0%} |", flush=True)
        (asked.out / "results.json").write_text(json.dumps(results, indent=1))


if __name__ == "__main__":
    main()
