"""Small data that several tests use. Tests make everything they need."""

import os
import pathlib
import subprocess

import numpy as np
import pytest

from cane import Classifier


@pytest.fixture
def blobs() -> tuple[np.ndarray, np.ndarray]:
    """Four well separated classes: 200 rows of 5 features, float32."""
    random = np.random.RandomState(0)
    y = np.arange(200) % 4
    centres = 4 * random.normal(size=(4, 5))
    return (centres[y] + random.normal(size=(200, 5))).astype(np.float32), y


@pytest.fixture
def texts() -> tuple[list[str], list[str]]:
    """Texts about two animals."""
    random = np.random.RandomState(0)
    words = {"cat": ["purrs", "meows", "scratches"], "dog": ["barks", "runs", "fetches"]}
    y = [("cat", "dog")[i % 2] for i in range(60)]
    return [f"the {label} {words[label][random.randint(3)]} today" for label in y], y


@pytest.fixture
def text_file(tmp_path: pathlib.Path, texts: tuple[list[str], list[str]]) -> pathlib.Path:
    """The same in a file in the format of fastText."""
    path = tmp_path / "animals.ft"
    lines = [f"__label__{label} {text}" for text, label in zip(*texts, strict=True)]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


@pytest.fixture
def quick() -> Classifier:
    """An estimator that trains in no time and always in the same way."""
    return Classifier(epochs=5, random_state=0, use_cache=False)


@pytest.fixture
def program():
    """Runs the program `cane` with arguments and gives its output."""
    path = os.environ.get("CANE_PROGRAM")
    if not path:
        pytest.skip("CANE_PROGRAM does not name the program")

    def run(*arguments: object) -> str:
        command = [path, *map(str, arguments)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        return done.stdout

    return run
