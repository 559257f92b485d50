"""The example programs run, and CANE learns what the full softmax learns."""

import importlib
import pathlib
import sys

import numpy as np
import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("cane.torch")

EXAMPLES = pathlib.Path(__file__).parents[2] / "examples" / "torch"


@pytest.fixture(autouse=True)
def two_threads():
    threads = torch.get_num_threads()
    torch.set_num_threads(2)
    yield
    torch.set_num_threads(threads)


def run(name, arguments, monkeypatch):
    monkeypatch.syspath_prepend(str(EXAMPLES))
    for module in ("comparison", name):
        sys.modules.pop(module, None)
    return importlib.import_module(name).main([*map(str, arguments), "--device", "cpu"])


def check(results, slack):
    """The log loss of CANE is at most `slack` above that of the full softmax."""
    assert list(results) == ["full softmax", "CANE"]
    assert results["CANE"][2] < results["full softmax"][2] + slack


def test_glyphs(tmp_path, monkeypatch):
    generator = np.random.default_rng(1)
    glyphs = generator.random((40, 144)) < 0.3
    for part, count in (("train", 1500), ("test", 300)):
        labels = generator.integers(40, size=count)
        images = np.clip(glyphs[labels] + generator.normal(size=(count, 144)) * 0.2, 0, 1)
        np.save(tmp_path / f"X_{part}.npy", images.astype(np.float32))
        np.save(tmp_path / f"y_{part}.npy", labels.astype(np.int32))
    arguments = [tmp_path, "--steps", 40, "--batch", 32, "--width", 4, "--tested", 200]
    results = run("glyphs", arguments, monkeypatch)
    assert results["CANE"][0] > 0.2  # of 1 / 40
    check(results, 0.5)


def test_two_tower(monkeypatch):
    arguments = [
        "--items",
        1000,
        "--genres",
        10,
        "--steps",
        40,
        "--batch",
        32,
        "--dim",
        16,
        "--candidates",
        100,
        "--noises",
        200,
        "--tested",
        200,
    ]
    results = run("two_tower", arguments, monkeypatch)
    assert results["full softmax"][2] < 6.8  # of log 1000 = 6.9
    check(results, 0.5)


def test_transformer(tmp_path, monkeypatch):
    generator = np.random.default_rng(2)
    # Each word is followed by one of two others.
    text, word = [], 0
    for _ in range(6000):
        word = (word * 7 + 1 + int(generator.integers(2))) % 60
        text.append(f"w{word}")
    for part, words in (("train", text[:5000]), ("valid", text[5000:])):
        (tmp_path / part).write_text(
            "\n".join(" ".join(words[i : i + 50]) for i in range(0, len(words), 50))
        )
    arguments = [
        tmp_path / "train",
        tmp_path / "valid",
        "--steps",
        40,
        "--batch",
        8,
        "--context",
        16,
        "--dim",
        16,
        "--layers",
        1,
        "--heads",
        2,
        "--lr",
        0.01,
        "--candidates",
        30,
        "--noises",
        40,
    ]
    results = run("transformer", arguments, monkeypatch)
    assert results["full softmax"][2] < 3.7  # of log 60 = 4.1
    check(results, 0.3)
