"""The command line of bench/device."""

import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys

from device.sets import find_sets, toy_sets

# Points of accuracy that cane may be below PyTorch's softmax for its time to count.
TOLERANCE = 0.005


def lines_of(path):
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def run_cane(asked, data):
    """Trains and tests; returns seconds of the epochs, accuracy, and the command."""
    model, log = asked.out / "model.safetensors", asked.out / "train.jsonl"
    command = [asked.program, "train", data.folder / "X_train.npy", "--model", model, "--device",
               asked.device, "--epochs", str(data.epochs), "--auto", "off", "--no-calibrate",
               *data.options.split(), "--log", log]
    environment = dict(os.environ)
    if asked.plugins:
        environment["CANE_PLUGIN_PATH"] = str(asked.plugins)
    seconds = []
    for _ in range(asked.rounds):
        log.unlink(missing_ok=True)
        subprocess.run(command, check=True, capture_output=True, env=environment)
        epochs = [line for line in lines_of(log) if line.get("event") == "epoch"]
        seconds.append(epochs[-1]["seconds"])
    test = subprocess.run([asked.program, "test", data.folder / "X_test.npy", "--model", model,
                           "--log-loss", "none", "--json"], check=True, capture_output=True)
    return {"seconds": seconds, "accuracy": json.loads(test.stdout)["accuracy"],
            "command": " ".join(map(str, command))}


def run_torch(asked, data):
    script = pathlib.Path(__file__).with_name("full_softmax.py")
    command = [asked.python, script, data.folder, "--epochs", str(data.epochs), "--batch",
               str(data.batch), "--rounds", str(asked.rounds), "--device", asked.torch_device]
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE)
    return json.loads(done.stdout) | {"command": " ".join(map(str, command))}


def verdict(asked, data, cane, full):
    """Whether accuracies agree; and, on a GPU, whether the time is what it is to be."""
    if cane["accuracy"] < full["accuracy"] - TOLERANCE:
        return "not as accurate: times do not count", False
    if asked.toy:
        return "as accurate", True
    factor = statistics.median(full["seconds"]) / statistics.median(cane["seconds"])
    return f"{factor:.2f} times as fast, to be {data.speed:g}", factor >= data.speed


def spread(seconds):
    return f"{statistics.median(seconds):.2f} ({min(seconds):.2f} to {max(seconds):.2f})"


def main():
    parser = argparse.ArgumentParser(prog="bench-gpu", description=sys.modules["device"].__doc__)
    parser.add_argument("data", type=pathlib.Path, help="folder that may have hangul/ in it")
    parser.add_argument("--program", type=pathlib.Path, default="build/release/cli/cane")
    parser.add_argument("--out", type=pathlib.Path, default="bench/results/device")
    parser.add_argument("--python", default=sys.executable, help="a Python with PyTorch")
    parser.add_argument("--device", default="cuda", help="of cane")
    parser.add_argument("--torch-device", default="cuda")
    parser.add_argument("--plugins", type=pathlib.Path, help="CANE_PLUGIN_PATH for cane")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--only", default="", help="sets whose name contains this")
    parser.add_argument("--toy", action="store_true", help="small data; no times are judged")
    asked = parser.parse_args()
    asked.program = asked.program.resolve()
    asked.out.mkdir(parents=True, exist_ok=True)
    sets = toy_sets(asked.out) if asked.toy else find_sets(asked.data, asked.out)
    results, is_right = {}, True
    print("| data | PyTorch, accuracy | s | cane, accuracy | s | |\n|---|---|---|---|---|---|")
    for data in sets:
        if asked.only not in data.name:
            continue
        data.make(asked.program)
        full, cane = run_torch(asked, data), run_cane(asked, data)
        text, is_met = verdict(asked, data, cane, full)
        is_right = is_right and is_met
        results[data.name] = {"torch": full, "cane": cane, "verdict": text}
        print(f"| {data.name} | {full['accuracy']:.2%} | {spread(full['seconds'])} "
              f"| {cane['accuracy']:.2%} | {spread(cane['seconds'])} | {text} |", flush=True)
    (asked.out / "results.json").write_text(json.dumps(results, indent=1), encoding="utf-8")
    sys.exit(0 if is_right and results else 1)


if __name__ == "__main__":
    main()
