#!/usr/bin/env python3
"""Writes the seeds of the fuzz targets that are made by a program: models, checkpoints, caches.
Usage: tests/fuzz/make_seeds.py CANE. Run it again when a format changes; the texts are kept by hand.
"""

import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time

SEEDS = pathlib.Path(__file__).resolve().parent / "seeds"
TEXT = "".join(f"__label__{label} x y{i}\n" for label in "abcd" for i in range(2))
INDEX = "".join(f"{label} 0:1 {1 + i}:0.5\n" for label in "abcd" for i in range(2))
METHODS = {
    "softmax": ["--method", "softmax"],
    "beam": ["--method", "cane", "--select", "beam"],
    "narrow": ["--method", "cane", "--select", "narrow", "--rank", "2"],
    "prior": ["--method", "cane", "--select", "hsm"],
    "hsm": ["--method", "hsm"],
    "filter-tree": ["--method", "filter-tree"],
    "lomtree": ["--method", "lomtree", "--nodes", "3"],
    "recall-tree": ["--method", "recall-tree", "--nodes", "1", "--candidates", "2"],
    "mlp": ["--method", "softmax", "--encoder", "mlp", "--dim", "2"],
}


def main(program):
    program = os.path.abspath(program)
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        pathlib.Path("d.ft").write_text(TEXT, encoding="utf-8")
        pathlib.Path("d.svm").write_text(INDEX, encoding="utf-8")
        os.environ["CANE_CACHE_DIR"] = os.path.join(folder, "cache")

        def cane(*arguments):
            subprocess.run([program, *arguments], check=True, capture_output=True)

        def keep(path, target, name):
            (SEEDS / target).mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, SEEDS / target / name)

        for name, options in METHODS.items():
            for data in ("d.ft", "d.svm"):
                cane("train", data, "--model", "m", "--epochs", "1", "--overwrite", *options)
                keep("m", "model", f"{name}-{data[2:]}")
                if name in ("softmax", "beam"):
                    keep("m", "container", f"{name}-{data[2:]}")
        cane("train", "d.ft", "--model", "m", "--epochs", "1", "--word-ngrams", "2", "--ngram-bits",
             "3", "--overwrite")
        keep("m", "model", "ngrams")
        pathlib.Path("many.svm").write_text(INDEX * 50, encoding="utf-8")
        cane("train", "d.svm", "--model", "m", "--epochs", "1", "--overwrite", *METHODS["beam"])
        cane("calibrate", "--model", "m", "many.svm")
        keep("m", "model", "calibrated")
        for bits in ("8", "16"):
            cane("quantize", "--model", "m", "--output", "q", "--bits", bits, "--overwrite")
            keep("q", "model", f"quantized-{bits}")
        for name in ("softmax", "narrow", "lomtree"):
            with subprocess.Popen([program, "train", "d.ft", "--model", "long", "--epochs",
                                   "100000000", "--overwrite", *METHODS[name]],
                                  stderr=subprocess.DEVNULL) as process:
                time.sleep(1)
                process.send_signal(signal.SIGINT)
            keep("long.checkpoint", "checkpoint", name)
        for path in pathlib.Path("cache").iterdir():
            if path.suffix == ".cane-cache":
                keep(path, "cache", "text" if "d.ft" in path.name else "index")
        # Language models of the first release are small.
        releases = SEEDS.parent.parent / "releases"
        for path in releases.rglob("*.safetensors"):
            if "lm" in str(path) and path.stat().st_size < 20000:
                keep(path, "lm", path.stem)


if __name__ == "__main__":
    main(sys.argv[1])
