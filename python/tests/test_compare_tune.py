"""Comparing methods and searching options."""

import numpy as np
import pytest

import cane

pandas = pytest.importorskip("pandas")


def test_compare(blobs):
    X, y = blobs
    table = cane.compare(
        X,
        y,
        methods=(
            "softmax",
            "filter-tree",
            {"method": "cane", "candidates": 2},
            {"name": "broken", "method": "softmax", "select": "beam", "scorer": "path"},
        ),
        epochs=3,
        random_state=0,
    )
    assert isinstance(table, pandas.DataFrame)
    assert table.columns.tolist() == [
        "method",
        "accuracy",
        "train_seconds",
        "predict_microseconds",
        "model_bytes",
        "log_loss",
        "error",
    ]
    assert table["method"].tolist() == ["softmax", "filter-tree", "cane candidates=2", "broken"]
    assert table["accuracy"][0] > 0.9
    assert (table["train_seconds"][:3] > 0).all()
    assert np.isnan(table["log_loss"][1])
    assert table["log_loss"][0] < 0.5
    assert table["error"].tolist()[:3] == ["", "", ""]


def test_compare_on_test_data_and_files(texts, text_file):
    table = cane.compare(*texts, methods=["softmax"], X_test=text_file, epochs=3)
    assert table["accuracy"][0] == 1
    table = cane.compare(text_file, methods=["softmax"], test_size=0.5, epochs=3, use_cache=False)
    assert table["accuracy"][0] > 0.9
    with pytest.raises(ValueError, match="Two methods"):
        cane.compare(*texts, methods=["softmax", "softmax"])


def test_tune(blobs):
    X, y = blobs
    table = cane.tune(X, y, trials=4, held_out=0.3, random_state=0, method="softmax", epochs=3)
    assert isinstance(table, pandas.DataFrame)
    assert {"rung", "epochs", "accuracy", "seconds", "error"} <= set(table.columns)
    assert 1 <= len(table) <= 8
    best = table.attrs["best_params"]
    assert best["method"] == "softmax"
    assert cane.Classifier(**best).fit(X, y).score(X, y) > 0.9
    again = cane.tune(X, y, trials=4, held_out=0.3, random_state=0, method="softmax", epochs=3)
    assert again.attrs["best_params"] == best
    assert table["accuracy"][table.attrs["best_trial"]] > 0.9


def test_tune_texts(texts):
    best = cane.tune(*texts, trials=2, random_state=0, epochs=2).attrs["best_params"]
    assert cane.Classifier(**best).fit(*texts).score(*texts) > 0.9


def test_wrong_names(blobs):
    with pytest.raises(TypeError, match="epoch"):
        cane.tune(*blobs, epoch=3)


def test_pictures(blobs):
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    from matplotlib import pyplot

    pyplot.close("all")
    cane.compare(*blobs, methods=["softmax", "hsm"], epochs=1, plot=True)
    assert pyplot.gca().get_ylabel() == "accuracy"
    assert {text.get_text() for text in pyplot.gca().texts} == {"softmax", "hsm"}
    cane.tune(*blobs, trials=2, epochs=1, plot=True)
    cane.compare(*blobs, methods=["softmax"], epochs=1)
    assert len(pyplot.get_fignums()) == 2
    pyplot.close("all")


def test_pictures_in_a_notebook(tmp_path):
    nbclient = pytest.importorskip("nbclient")
    nbformat = pytest.importorskip("nbformat")
    pytest.importorskip("ipykernel")
    pytest.importorskip("matplotlib")
    code = (
        "import numpy as np, cane\n"
        "y = np.arange(60) % 3\n"
        "X = np.eye(3, dtype=np.float32)[y]\n"
        "cane.compare(X, y, methods=['softmax', 'hsm'], epochs=2, verbose=1)"
    )
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(code)])
    nbclient.NotebookClient(notebook, timeout=120, kernel_name="python3").execute()
    outputs = notebook.cells[0].outputs
    shown = [kind for output in outputs for kind in output.get("data", {})]
    assert shown.count("image/png") == 1
    assert "text/html" in shown
