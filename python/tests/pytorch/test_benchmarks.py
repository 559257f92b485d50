"""The benchmarks of bench/torch run at toy size, equality with the reference included."""

import importlib
import math
import pathlib
import sys

import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("cane.torch")

ROOT = pathlib.Path(__file__).parents[3]
# Compiling takes longer than all else.
LAYERS = "plain,sampled softmax,Partial FC,adaptive softmax,CANE,CANE batch 20+40"


def run(name, arguments, monkeypatch):
    for folder in (ROOT / "bench" / "torch", ROOT / "python" / "examples" / "torch"):
        monkeypatch.syspath_prepend(str(folder))
    monkeypatch.delitem(sys.modules, "transformer", raising=False)
    benchmark = importlib.import_module(f"outputs.{name}")
    return benchmark.main([*map(str, arguments), "--small", "--device", "cpu", "--only", LAYERS])


def test_shapes(monkeypatch, tmp_path):
    rows = run("shapes", ["--out", tmp_path / "rows.json"], monkeypatch)
    assert len(rows) == 12 and all(row["ms"] > 0 for row in rows)
    assert (tmp_path / "rows.json").exists()


def test_quality(monkeypatch):
    rows = {row["layer"]: row for row in run("quality", [], monkeypatch)}
    assert rows["CANE"]["accuracy"] > 0.3 and rows["plain"]["accuracy"] > 0.3
    assert rows["CANE"]["log loss"] < rows["plain"]["log loss"] + 0.5


def test_text(monkeypatch, tmp_path):
    words = [f"w{(i * i) % 37}" for i in range(3000)]
    text = tmp_path / "text"
    text.write_text("\n".join(" ".join(words[i : i + 20]) for i in range(0, 3000, 20)))
    rows = run("text", [text, text], monkeypatch)
    assert len(rows) == 6 and all(math.isfinite(row["perplexity"]) for row in rows)


def test_a_layer_that_is_not_equal_to_the_reference_is_noticed(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "bench" / "torch"))
    contenders = importlib.import_module("outputs.contenders")
    measuring = importlib.import_module("outputs.measuring")
    given = measuring.options("").parse_args(["--device", "cpu"])
    monkeypatch.setattr(contenders.Full, "scores", lambda self, hidden: hidden @ self.weight.t())
    with pytest.raises(AssertionError):
        measuring.prove("plain", given)
