"""Labels of all types come back as they were."""

import numpy as np
import pytest
from sklearn.base import clone

import cane
from cane._labels import joined_type, labels_of

LABELS = {
    "int64": np.array([10, -3, 7, 0]),
    "uint8": np.array([10, 3, 7, 0], dtype=np.uint8),
    "float": np.array([1.0, 0.0, 2.0, 1e15]),
    "bool": np.array([True, False, True, False]),
    "str": np.array(["b", "ä", "with blank", "c"]),
    "object": np.array(["b", "ä", "with blank", "c"], dtype=object),
}


@pytest.mark.parametrize("kind", LABELS)
def test_labels_survive(blobs, quick, tmp_path, kind):
    X, y = blobs
    y = LABELS[kind][y]
    quick.fit(X, y)
    assert quick.classes_.dtype == y.dtype
    np.testing.assert_array_equal(quick.classes_, np.unique(y))
    assert quick.score(X, y) > 0.9
    quick.save(tmp_path / "model")
    loaded = cane.load(tmp_path / "model")
    assert loaded.classes_.dtype == y.dtype or y.dtype.kind == "U"
    np.testing.assert_array_equal(loaded.predict(X), quick.predict(X))


def test_types_of_a_file_without_attributes():
    assert labels_of(["3", "-10", "0"], None).dtype == np.int64
    assert labels_of(["3", "03"], None).tolist() == ["3", "03"]
    assert labels_of(["3", "-0"], None).dtype.kind == "U"
    assert labels_of(["12345678901234567890", "1"], None).dtype.kind == "U"


def test_attributes_that_do_not_fit_any_more():
    assert labels_of(["3", "new"], "<i8").tolist() == ["3", "new"]
    assert labels_of(["3", "4"], "no type").tolist() == [3, 4]


def test_types_that_go_together():
    assert joined_type(np.dtype("i4"), np.dtype("i8")) == np.dtype("i8")
    assert joined_type(np.dtype("U3"), np.dtype("O")).kind == "U"
    assert joined_type(np.dtype("O"), np.dtype("U3")) == np.dtype("O")
    assert joined_type(np.dtype("f8"), np.dtype("i4")) == np.dtype("f8")
    for known, new in (("i8", "U3"), ("i8", "f8"), ("?", "i4"), ("U1", "?")):
        with pytest.raises(ValueError, match="do not go together"):
            joined_type(np.dtype(known), np.dtype(new))


def test_objects_must_be_texts(blobs, quick):
    X, y = blobs
    with pytest.raises(ValueError, match=r"Unknown label type.*y\[2\] is NoneType"):
        quick.fit(X, np.array(["a", "b", None, "c"], dtype=object)[y])
    with pytest.raises(ValueError, match="Unknown label type"):
        quick.fit(X, y.astype(object))


def test_types_of_pandas(blobs, quick):
    pandas = pytest.importorskip("pandas")
    X, y = blobs
    assert quick.fit(X, pandas.Series(y, dtype="Int64")).classes_.dtype == np.int64
    assert quick.fit(X, pandas.Series(y > 1, dtype="boolean")).classes_.dtype == bool
    letters = np.array(list("abcd"))[y]
    assert quick.fit(X, pandas.Categorical(letters)).classes_.tolist() == list("abcd")
    with pytest.raises(ValueError, match="NaN"):
        quick.fit(X, pandas.Series(letters).where(y > 0))


def test_unseen_labels_count_as_errors(blobs, quick):
    X, y = blobs
    quick.fit(X[y < 3], y[y < 3])
    with pytest.warns(UserWarning, match=r"did not see: 3\. They count as errors"):
        share = quick.score(X, y)
    assert 0.6 < share <= 0.75
    with pytest.raises(ValueError, match="do not go together"):
        quick.score(X, y.astype(str))


def test_unseen_labels_of_a_file(texts, text_file, quick, tmp_path):
    quick.fit(*texts)
    other = tmp_path / "more.ft"
    other.write_text(text_file.read_text() + "__label__cow moos\n" * 60)
    with pytest.warns(UserWarning, match="did not see: 'cow'"):
        assert quick.score(other) == 0.5


def test_class_vectors_are_in_the_order_of_classes(blobs, quick):
    X, y = blobs
    letters = np.array(list("dacb"))[y]
    quick.set_params(method="softmax").fit(X, letters)
    scores = X @ quick.class_vectors_.T + quick.class_biases_
    np.testing.assert_allclose(scores, quick.decision_function(X), rtol=1e-4, atol=1e-4)
    assert quick.class_vectors_.shape == (4, 5)
    assert 0 <= quick.coverage_ <= 1
    hierarchical = clone(quick).set_params(method="hsm").fit(X, y)
    assert not hasattr(hierarchical, "class_vectors_")
