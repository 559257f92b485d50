"""The notebooks run from top to bottom, and lie in the repository without results.

What they must find is asserted in their own cells, where a reader sees it.
"""

import pathlib

import pytest

nbformat = pytest.importorskip("nbformat")
nbclient = pytest.importorskip("nbclient")
kernelspec = pytest.importorskip("ipykernel.kernelspec")
pytest.importorskip("matplotlib")
pytest.importorskip("pandas")

FOLDER = pathlib.Path(__file__).parents[1] / "notebooks"
NAMES = ("images", "intents", "million")
SLOW = ("images", "million")


def _read(name):
    return nbformat.read(FOLDER / f"{name}.ipynb", as_version=4)


@pytest.fixture
def kernel(tmp_path, monkeypatch):
    """A kernel with the Python that runs the tests, known to them alone."""
    monkeypatch.setenv("JUPYTER_PATH", str(tmp_path / "share" / "jupyter"))
    kernelspec.install(prefix=str(tmp_path), kernel_name="python3")
    for variable in (
        "IPYTHONDIR",
        "JUPYTER_CONFIG_DIR",
        "JUPYTER_DATA_DIR",
        "JUPYTER_RUNTIME_DIR",
        "MPLCONFIGDIR",
    ):
        monkeypatch.setenv(variable, str(tmp_path / variable.lower()))
    return "python3"


def test_all_notebooks_are_tested():
    assert sorted(path.stem for path in FOLDER.glob("*.ipynb")) == sorted(NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_a_notebook_has_no_results(name):
    notebook = _read(name)
    nbformat.validate(notebook)
    assert notebook.metadata.kernelspec.name == "python3"
    identifiers = [cell.id for cell in notebook.cells]
    assert len(set(identifiers)) == len(identifiers)
    for cell in notebook.cells:
        if cell.cell_type == "code":
            assert cell.outputs == []
            assert cell.execution_count is None
        assert cell.metadata == {}


@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=pytest.mark.slow if name in SLOW else ()) for name in NAMES],
)
def test_a_notebook_runs(name, kernel, tmp_path):
    notebook = _read(name)
    assert any("assert " in cell.source for cell in notebook.cells if cell.cell_type == "code")
    folder = tmp_path / "work"
    folder.mkdir()
    # The limit, for each cell, is there to end one that hangs.
    client = nbclient.NotebookClient(
        notebook,
        kernel_name=kernel,
        timeout=240,
        resources={"metadata": {"path": str(folder)}},
    )
    client.execute()
    assert all(cell.execution_count for cell in notebook.cells if cell.cell_type == "code")
    assert list(folder.glob("*.safetensors"))
