"""`import cane` is light: what it does not need is loaded when it is used."""

import subprocess
import sys

HEAVY = ("numpy", "scipy", "pandas", "sklearn", "matplotlib", "tqdm", "joblib", "polars")


def _loaded_after(code: str) -> set[str]:
    code += "\nimport sys\nprint(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return set(done.stdout.split())


def test_import_loads_little():
    loaded = _loaded_after("import cane")
    assert "cane" in loaded
    assert not loaded.intersection(HEAVY)


def test_the_version_needs_nothing_else():
    assert not _loaded_after("import cane; cane.__version__").intersection(HEAVY)


def test_the_estimator_does_not_load_tables_and_pictures():
    loaded = _loaded_after("import cane; cane.Classifier().fit([[0.0], [1.0]] * 5, [0, 1] * 5)")
    assert not loaded.intersection(("matplotlib", "polars", "tqdm"))
