"""Files: Python's and the program's are the same."""

import json

import numpy as np
import pytest
from sklearn.base import clone

import cane


def test_save_and_load(blobs, quick, tmp_path):
    pandas = pytest.importorskip("pandas")
    X, y = blobs
    frame = pandas.DataFrame(X, columns=["length", "ä", "c", "d", "e"])
    quick.set_params(note="in spring").fit(frame, y)
    quick.save(tmp_path / "model.safetensors")
    loaded = cane.load(str(tmp_path / "model.safetensors"))
    np.testing.assert_array_equal(loaded.predict_proba(frame), quick.predict_proba(frame))
    assert loaded.feature_names_in_.tolist() == frame.columns.tolist()
    assert loaded.n_features_in_ == 5
    assert loaded.epochs == 5
    assert loaded.random_state == 0
    assert clone(loaded).fit(frame, y).score(frame, y) > 0.9
    assert loaded.partial_fit(frame, y).score(frame, y) > 0.9


def test_the_file_has_the_attributes(blobs, quick, tmp_path):
    quick.fit(*blobs)
    assert quick._model.attributes["python.classes"] == "<i8"
    assert "python.feature_names" not in quick._model.attributes
    quick.save(tmp_path / "model")
    assert cane.load(tmp_path / "model")._model.attributes == quick._model.attributes


def test_texts_survive(texts, quick, tmp_path):
    X, y = texts
    quick.fit(X, y).save(tmp_path / "model")
    loaded = cane.load(tmp_path / "model")
    np.testing.assert_array_equal(loaded.predict_proba(X), quick.predict_proba(X))
    assert not hasattr(loaded, "n_features_in_")


def test_a_file_that_is_none(tmp_path):
    (tmp_path / "text").write_text("no model")
    with pytest.raises(cane.Error, match="text"):
        cane.load(tmp_path / "text")
    with pytest.raises(FileNotFoundError):
        cane.load(tmp_path / "nothing")


def test_the_program_reads_python(texts, text_file, quick, tmp_path, program):
    X, y = texts
    quick.fit(X, y).save(tmp_path / "model.safetensors")
    answers = program("predict", "--model", tmp_path / "model.safetensors", text_file)
    assert answers.split() == quick.predict(X).tolist()
    summary = json.loads(program("inspect", tmp_path / "model.safetensors", "--json"))
    assert summary


def test_python_reads_the_program(texts, text_file, tmp_path, program):
    X, y = texts
    path = tmp_path / "model.safetensors"
    program("train", text_file, "--model", path, "--epochs", 5, "--no-cache", "--quiet")
    loaded = cane.load(path)
    assert loaded.classes_.tolist() == ["cat", "dog"]
    assert loaded.epochs == 5
    answers = program("predict", "--model", path, text_file)
    assert loaded.predict(X).tolist() == answers.split()
    assert loaded.score(X, y) == 1


def test_integers_of_the_program(blobs, tmp_path, program):
    X, y = blobs
    lines = [
        f"{label} " + " ".join(f"{i + 1}:{value}" for i, value in enumerate(row))
        for row, label in zip(X, y, strict=True)
    ]
    (tmp_path / "rows.svm").write_text("\n".join(lines) + "\n")
    program("train", tmp_path / "rows.svm", "--model", tmp_path / "m", "--no-cache", "--quiet")
    loaded = cane.load(tmp_path / "m")
    assert loaded.classes_.tolist() == [0, 1, 2, 3]
    assert loaded.classes_.dtype == np.int64


def test_calibrate(blobs, quick):
    X, y = blobs
    quick.fit(X[:100], y[:100])
    calibrated = cane.calibrate(quick, X[100:], y[100:])
    assert calibrated is not quick
    assert calibrated.calibration_["examples"] == 100
    np.testing.assert_array_equal(calibrated.predict(X), quick.predict(X))
    with pytest.raises(TypeError, match="'noise' is no option"):
        cane.calibrate(quick, X, y, noise=3)


def test_quantize(blobs, quick, tmp_path):
    X, y = blobs
    quick.fit(X, y)
    small = cane.quantize(quick, bits=16)
    assert small._model.is_quantized
    assert not quick._model.is_quantized
    assert small.classes_.tolist() == quick.classes_.tolist()
    assert np.mean(small.predict(X) == quick.predict(X)) > 0.98
    small.save(tmp_path / "small")
    assert cane.load(tmp_path / "small").score(X, y) > 0.9
    with pytest.raises(ValueError):
        cane.quantize(quick, bits=3)
    with pytest.raises(cane.Error):
        cane.quantize(small)


def test_explain(blobs, texts, quick):
    pandas = pytest.importorskip("pandas")
    X, y = blobs
    plain = clone(quick).fit(X, y)
    (first,) = plain.explain(X[:1], n_features=3)
    assert first.first_class == plain.predict(X[:1])[0]
    assert len(first.contributions) == 3
    assert all(
        row.feature in ("(bias)", *(f"x{i}" for i in range(5))) for row in first.contributions
    )
    named = clone(quick).fit(pandas.DataFrame(X, columns=list("abcde")), y)
    (explained,) = named.explain(pandas.DataFrame(X[:1], columns=list("abcde")))
    assert {row.feature for row in explained.contributions} == {*"abcde", "(bias)"}
    for row in explained.contributions:
        if row.feature != "(bias)":
            assert row.value == X[0, "abcde".index(row.feature)]
    assert sum(row.first for row in explained.contributions) == pytest.approx(
        explained.first_score, rel=1e-4
    )
    assert explained.to_frame().shape == (6, 5)
    words = clone(quick).fit(*texts).explain(["the cat purrs"])
    assert words[0].first_class == "cat"
    assert any("cat" in row.feature for row in words[0].contributions)
    assert "cat (" in str(words[0])
