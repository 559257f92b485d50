"""The command line. `PYTHONPATH=bench python3 -m peers --help` lists the options."""

import argparse
import os
import pathlib
import sys
import tempfile

from . import (cane, contest, fasttext, install, label_trees, liblinear, measure, source, table,
               vowpal_wabbit)
from .workshop import Workshop

MODULES = (cane, fasttext, vowpal_wabbit, liblinear, label_trees)


def parse(words):
    parser = argparse.ArgumentParser(prog="peers", description=__package__ and sys.modules[
        __package__].__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", nargs="?", help="folder with train.* and test.* (.svm or .ft, .gz)")
    parser.add_argument("--train", help="training data, instead of a folder")
    parser.add_argument("--test", help="test data, instead of a folder")
    parser.add_argument("--out", required=True, help="folder for table.md and table.json")
    parser.add_argument("--program", default="build/release/cli/cane", help="the program cane")
    parser.add_argument("--build", default="build/peers", help="folder for what is installed")
    parser.add_argument("--cane", action="append", default=[], metavar="OPTIONS",
                        help="one more row for cane, with these options; several: again, or ';'")
    parser.add_argument("--only", default="", metavar="NAMES",
                        help="only these: fasttext,cane,... (letters and digits of the name)")
    parser.add_argument("--limit", type=float, default=600, help="seconds for each [600]")
    parser.add_argument("--threads", type=int, default=len(os.sched_getaffinity(0)))
    options = parser.parse_args(words)
    if bool(options.data) == bool(options.train and options.test):
        parser.error("give a folder, or both --train and --test")
    return options


def open_data(options):
    if options.data:
        return source.Data(source.find(options.data, "train"), source.find(options.data, "test"))
    return source.Data(options.train, options.test)


def plain(name):
    return "".join(letter for letter in name.lower() if letter.isalnum())


def all_rows(shop, options):
    extra = [part.strip() for text in options.cane for part in text.split(";") if part.strip()]
    wanted = {plain(name) for name in options.only.split(",") if name.strip()}
    rows = [peer for module in MODULES for peer in module.rows(shop, extra)]
    unknown = wanted - {plain(peer.system) for peer in rows}
    if unknown:
        raise source.DataError(f"--only: there is no {', '.join(sorted(unknown))}")
    return [peer for peer in rows if not wanted or plain(peer.system) in wanted]


def compare(options):
    data = open_data(options)
    # All on the same cores, and on no more of them than threads.
    os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:options.threads])
    build = pathlib.Path(options.build)
    build.mkdir(parents=True, exist_ok=True)
    out = pathlib.Path(options.out)
    out.mkdir(parents=True, exist_ok=True)
    environment = install.Environment(build / "venv")
    with tempfile.TemporaryDirectory(prefix="work-", dir=build) as folder:
        shop = Workshop(data, folder, options.threads, environment,
                        str(pathlib.Path(options.program).resolve()))
        results = []
        facts = {"data": data.train.resolve().parent.name,
                 "train_examples": data.train_examples, "test_examples": len(data.test_labels),
                 "classes": len(data.classes), "threads": options.threads,
                 "processor": measure.processor(), "limit": options.limit,
                 "load_before": os.getloadavg()[0]}
        for peer in all_rows(shop, options):
            print(f"{peer.name} ...", flush=True)
            result = contest.run(peer, options.limit)
            print("  " + ", ".join(table.cells(result)[1:-1]), flush=True)
            results.append(result)
            # After each one: a run that is broken off has not been in vain.
            facts["conversion_seconds"] = shop.conversion_seconds
            (out / "table.md").write_text(table.markdown(facts, results), encoding="utf-8")
            (out / "table.json").write_text(table.as_json(facts, results), encoding="utf-8")
    print(f"\n{table.markdown(facts, results)}\n{out}/table.md, {out}/table.json")


def main():
    try:
        compare(parse(sys.argv[1:]))
    except source.DataError as error:
        sys.exit(f"error: {error}")
    except KeyboardInterrupt:
        sys.exit(130)


main()
