"""X in all its forms gives the same model."""

import logging
import pathlib

import numpy as np
import pytest
import scipy.sparse
from sklearn.base import clone

from cane import Classifier
from cane._reading import is_mapped, read

pandas = pytest.importorskip("pandas")


def test_float32_is_not_copied(blobs):
    X, _ = blobs
    assert read(X).values.__array_interface__["data"][0] == X.__array_interface__["data"][0]
    assert read(X[3:50]).values.ctypes.data == X[3:50].ctypes.data


def test_conversions_are_logged(blobs, quick, caplog):
    X, y = blobs
    with caplog.at_level(logging.INFO, logger="cane"):
        quick.set_params(verbose=0).fit(X.astype(np.float64), y)
        assert "converted" not in caplog.text
        read(X, verbose=1)
        assert "converted" not in caplog.text
        read(X.astype(np.float64), verbose=1)
    assert "float64, was converted to float32" in caplog.text


@pytest.mark.parametrize("form", [list, np.asfortranarray, np.float64, ">f4", pandas.DataFrame])
def test_dense_forms_agree(blobs, quick, form):
    X, y = blobs
    expected = clone(quick).fit(X, y).decision_function(X)
    if form is np.float64 or form == ">f4":
        other = X.astype(form)
    else:
        other = form(X.tolist()) if form is list else form(X)
    found = clone(quick).fit(other, y)
    np.testing.assert_array_equal(found.decision_function(other), expected)
    np.testing.assert_array_equal(found.decision_function(X[::-1])[::-1], expected)


@pytest.mark.parametrize("form", ["csr", "csc", "coo", "csr64", "duplicates"])
@pytest.mark.parametrize("container", ["array", "matrix"])
def test_sparse_forms_agree(blobs, quick, form, container):
    X, y = blobs
    X = np.where(np.abs(X) > 2, X, 0).astype(np.float32)
    make = getattr(scipy.sparse, f"csr_{container}")
    plain = make(X)
    expected = clone(quick).fit(plain, y)
    other = getattr(scipy.sparse, f"{form}_{container}")(X) if len(form) == 3 else plain.copy()
    if form == "csr64":
        other.indices = other.indices.astype(np.int64)
        other.indptr = other.indptr.astype(np.int64)
    if form == "duplicates":
        half = (plain.data / 2, plain.indices, plain.indptr)
        doubled = [np.concatenate((part, part)) for part in half[:2]]
        rows = np.repeat(np.arange(len(y)), np.diff(plain.indptr))
        coordinates = (np.concatenate((rows, rows)), doubled[1])
        other = scipy.sparse.coo_array((doubled[0], coordinates), shape=X.shape)
    before = other.copy()
    found = clone(quick).fit(other, y)
    np.testing.assert_array_equal(found.predict_proba(other), expected.predict_proba(plain))
    assert (before != other).nnz == 0
    np.testing.assert_allclose(found.predict_proba(X), expected.predict_proba(plain), rtol=1e-5)


def test_pandas_keeps_names(blobs, quick):
    X, y = blobs
    frame = pandas.DataFrame(X, columns=list("abcde"))
    frame["e"] = frame["e"] > 0
    quick.fit(frame, pandas.Series(y))
    assert quick.feature_names_in_.tolist() == list("abcde")
    with pytest.raises(ValueError, match="feature names should match"):
        quick.predict(frame[list("edcba")])
    with pytest.warns(UserWarning, match="does not have valid feature names"):
        quick.predict(X)


def test_polars_and_arrow(blobs, quick):
    polars = pytest.importorskip("polars")
    pyarrow = pytest.importorskip("pyarrow")
    X, y = blobs
    expected = clone(quick).fit(X, y).predict_proba(X)
    columns = {f"x{i}": X[:, i] for i in range(5)}
    for table in (
        polars.DataFrame(columns),
        polars.DataFrame(columns).lazy(),
        pyarrow.table(columns),
        pyarrow.record_batch(columns),
    ):
        found = clone(quick).fit(table, y)
        np.testing.assert_array_equal(found.predict_proba(table), expected)
    y_series = polars.Series(["abcd"[label] for label in y])
    assert clone(quick).fit(polars.DataFrame(columns), y_series).classes_.tolist() == list("abcd")


def test_text_forms_agree(texts, quick):
    polars = pytest.importorskip("polars")
    pyarrow = pytest.importorskip("pyarrow")
    X, y = texts
    expected = clone(quick).fit(X, y).predict_proba(X)
    for form in (
        tuple(X),
        np.array(X),
        np.array(X, dtype=object),
        pandas.Series(X),
        pandas.DataFrame({"text": X}),
        polars.Series(X),
        polars.DataFrame({"text": X}),
        pyarrow.array(X),
        pyarrow.table({"text": X}),
    ):
        found = clone(quick).fit(form, y)
        np.testing.assert_array_equal(found.predict_proba(form), expected)
        assert not hasattr(found, "n_features_in_")


def test_options_of_texts_are_kept(texts, quick):
    X, y = texts
    quick.set_params(tokenizer="words", feature_weights="binary", char_ngrams=(3, 4))
    quick.fit(X, y)
    assert quick.score([text.upper() for text in X], y) == 1
    assert quick.predict(["xx purrrrs xx", "barking"]).tolist() == ["cat", "dog"]


def test_a_table_of_both_is_refused(quick):
    both = pandas.DataFrame({"size": [1, 2], "body": ["a b", "c d"]})
    with pytest.raises(ValueError, match=r"columns of text \('body'\).*X\['body'\]"):
        quick.fit(both, [0, 1])
    when = pandas.DataFrame({"when": pandas.to_datetime(["2024-01-01", "2024-01-02"])})
    with pytest.raises(ValueError, match="neither numbers nor texts: 'when'"):
        quick.fit(when, [0, 1])


def test_memory_maps(blobs, quick, tmp_path):
    X, y = blobs
    path = tmp_path / "X.bin"
    X.tofile(path)
    for mode in ("r", "r+", "c"):
        mapped = np.memmap(path, dtype=np.float32, mode=mode, shape=X.shape)
        assert is_mapped(mapped) == (mode != "c")
        assert is_mapped(np.asarray(mapped)[5:]) == (mode != "c")
        assert read(mapped).values.ctypes.data == mapped.ctypes.data
        assert clone(quick).fit(mapped, y).score(mapped, y) > 0.9
    assert not is_mapped(mapped[[1, 2]])
    assert not is_mapped(X)


def test_a_file(text_file, texts, quick):
    quick.fit(text_file)
    assert quick.classes_.tolist() == ["cat", "dog"]
    assert quick.score(str(text_file)) == quick.score(*texts) == 1
    np.testing.assert_array_equal(quick.predict(text_file), texts[1])
    np.testing.assert_allclose(
        quick.predict_proba(text_file), quick.predict_proba(texts[0]), rtol=1e-5
    )


def test_a_file_of_numpy(blobs, quick, tmp_path):
    X, y = blobs
    np.save(tmp_path / "rows.npy", X)
    np.save(tmp_path / "labels.npy", y)
    quick.fit(tmp_path / "rows.npy", tmp_path / "labels.npy")
    assert quick.classes_.tolist() == [0, 1, 2, 3]
    assert quick.n_features_in_ == 5
    assert quick.score(X, y) > 0.9
    assert quick.score(tmp_path / "rows.npy", tmp_path / "labels.npy") > 0.9


def test_validation_data(blobs, texts, text_file, quick):
    X, y = blobs
    other = clone(quick).fit(X[50:], y[50:], validation=(X[:50], y[:50]))
    assert other.history_[-1]["validation"]["accuracy"] > 0.9
    clone(quick).fit(*texts, validation=text_file)
    clone(quick).fit(text_file, validation=texts)
    with pytest.raises(TypeError, match="validation"):
        quick.fit(X, y, validation=[X, y])


def test_other_objects_and_one_row(blobs, quick):
    X, y = blobs

    class Like:
        def __array__(self, dtype=None, copy=None):
            return X

    quick.fit(Like(), y)
    assert [quick.predict(X[i : i + 1])[0] for i in range(20)] == quick.predict(X[:20]).tolist()
    unaligned = np.frombuffer(b"x" + X.tobytes(), dtype=np.float32, offset=0, count=0)
    assert unaligned.size == 0
    shifted = np.frombuffer(b"x" + X.tobytes(), dtype=np.uint8)[1:].view(np.float32)
    np.testing.assert_array_equal(quick.predict(shifted.reshape(X.shape)), quick.predict(X))


def test_paths_that_are_none(quick, tmp_path):
    with pytest.raises(FileNotFoundError, match="give a list"):
        quick.fit("the cat purrs")
    with pytest.raises(FileNotFoundError, match="nothing"):
        quick.fit(pathlib.Path(tmp_path / "nothing.svm"))


def test_unused_estimator_is_cheap():
    assert Classifier() is not None
