"""Loading the operators, and what is said where that is not possible."""

import pathlib
import re
import subprocess
import sys

import pytest
import torch

from cane.torch import _library


def test_without_pytorch_the_error_says_how_to_get_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(ImportError, match="pip install torch"):
        _library.load()


def test_without_the_operators_the_error_says_how_to_build_them(tmp_path):
    with pytest.raises(ImportError, match="built without the operators.*CANE_TORCH=ON"):
        _library.load(tmp_path)


def test_operators_of_another_version_are_refused(tmp_path):
    (tmp_path / "libcane_torch.so").touch()
    (tmp_path / "torch_version.txt").write_text("9.9.1\n")
    message = f"built for PyTorch 9.9.1, but {re.escape(torch.__version__)} is installed"
    with pytest.raises(ImportError, match=message):
        _library.load(tmp_path)


def test_importing_cane_does_not_import_pytorch():
    code = "import cane, sys; sys.exit('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_the_first_example_of_the_page_runs():
    page = pathlib.Path(__file__).parents[3] / "docs" / "torch.md"
    code = re.search(r"```python\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL)[1]
    names: dict = {}
    exec(code.replace("range(10)", "range(2)").replace("50_000", "500"), names)
    assert names["best"].shape == (256, 5)
