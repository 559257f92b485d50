"""Training on: partial_fit with new classes, warm_start."""

import numpy as np
import pytest
import scipy.sparse
from sklearn.base import clone

from cane import Classifier


def test_partial_fit_learns(blobs, quick):
    X, y = blobs
    for _ in range(10):
        for start in range(0, 200, 50):
            quick.partial_fit(X[start : start + 50], y[start : start + 50])
    assert quick.score(X, y) > 0.9
    assert quick.n_iter_ == 1


def test_new_classes(blobs, quick):
    X, y = blobs
    letters = np.array(list("dbca"))[y]
    is_old = y < 2
    quick.partial_fit(X[is_old], letters[is_old])
    assert quick.classes_.tolist() == ["b", "d"]
    for _ in range(10):
        quick.partial_fit(X, letters)
    assert quick.classes_.tolist() == ["a", "b", "c", "d"]
    # The library numbers classes as they came; the columns are in the order of the labels.
    assert quick._labels_by_id.tolist() != quick.classes_.tolist()
    assert quick.score(X, letters) > 0.9
    for scores in (quick.decision_function(X), quick.predict_proba(X)):
        assert scores.shape == (200, 4)
        np.testing.assert_array_equal(quick.classes_[scores.argmax(axis=1)], quick.predict(X))
    classes, probabilities = quick.predict_top_k(X, 4)
    places = np.searchsorted(quick.classes_, classes)
    np.testing.assert_allclose(
        np.take_along_axis(quick.predict_proba(X), places, axis=1), probabilities, atol=1e-5
    )
    sparse = quick.predict_proba(X, top_k=4).toarray()
    np.testing.assert_allclose(sparse, quick.predict_proba(X), atol=1e-5)


def test_new_classes_alone_do_not_make_it_forget(quick):
    rng = np.random.default_rng(0)
    y = np.repeat(np.arange(40), 30)
    X = rng.standard_normal((40, 16))[y] * 2 + rng.standard_normal((len(y), 16)) / 2
    old = y < 30
    for _ in range(5):
        quick.partial_fit(X[old], y[old])
    before = quick.score(X[old], y[old])
    for _ in range(5):
        quick.partial_fit(X[~old], y[~old])
    assert quick.score(X[old], y[old]) > before - 0.05
    assert quick.score(X[~old], y[~old]) > 0.8
    few = Classifier(epochs=5, random_state=0, use_cache=False, memory=5).fit(X, y)
    with pytest.warns(UserWarning, match="has forgotten"):
        few.partial_fit(X[old], y[old] + 100, sample_weight=np.full(old.sum(), 30.0))


def test_longer_labels_and_wider_integers(blobs, quick):
    X, y = blobs
    quick.partial_fit(X, np.array(["a", "b", "c", "d"])[y])
    quick.partial_fit(X, np.array(["a", "b", "c", "a long label"])[y])
    assert "a long label" in quick.classes_.tolist()
    whole = Classifier(random_state=0).partial_fit(X, y.astype(np.int16))
    whole.partial_fit(X, y.astype(np.int64) + 2**40)
    assert whole.classes_.dtype == np.int64
    with pytest.raises(ValueError, match="do not go together"):
        whole.partial_fit(X, y.astype(str))


def test_classes_without_examples(blobs, quick):
    X, y = blobs
    only = y == 1
    quick.partial_fit(X[only], y[only], classes=[0, 1, 2, 3, 9])
    assert quick.classes_.tolist() == [0, 1, 2, 3, 9]
    assert set(quick.predict(X)) <= {0, 1, 2, 3, 9}
    quick.partial_fit(X, y, classes=[0, 11])
    assert 11 in quick.classes_
    with pytest.raises(ValueError, match="only one class"):
        clone(quick).partial_fit(X[only], y[only])


def test_sparse_rows_and_texts(blobs, texts, quick):
    X, y = blobs
    rows = scipy.sparse.csr_array(np.where(np.abs(X) > 2, X, 0))
    sparse = clone(quick)
    for _ in range(10):
        sparse.partial_fit(rows, y)
    assert sparse.score(rows, y) > 0.8
    X, y = texts
    for start in range(0, 60, 20):
        quick.partial_fit(X[start : start + 20], y[start : start + 20])
    assert quick.score(X, y) == 1


def test_weights(blobs, quick):
    X, y = blobs
    weights = (y < 2).astype(float)
    for _ in range(5):
        quick.partial_fit(X, y, sample_weight=weights)
    assert quick.score(X[y < 2], y[y < 2]) > 0.9
    assert quick.score(X[y >= 2], y[y >= 2]) < 0.5
    with pytest.raises(ValueError, match="not supported for partial_fit"):
        Classifier(class_weight="balanced").partial_fit(X, y)
    Classifier(class_weight={0: 2.0}).partial_fit(X, y)


def test_warm_start(blobs, quick):
    X, y = blobs
    cold = clone(quick).set_params(epochs=1, method="softmax", start="zero", lr=0.001)
    warm = clone(cold).set_params(warm_start=True)
    cold.fit(X, y)
    losses = [warm.fit(X, y).history_[-1]["loss"] for _ in range(5)]
    assert losses[0] == cold.history_[-1]["loss"]
    assert losses == sorted(losses, reverse=True)
    assert cold.fit(X, y).history_[-1]["loss"] == losses[0]


def test_warm_start_adds_classes(blobs, quick):
    X, y = blobs
    quick.set_params(warm_start=True).fit(X[y < 3], y[y < 3])
    quick.fit(X, y)
    assert quick.classes_.tolist() == [0, 1, 2, 3]
    assert quick.score(X, y) > 0.9


def test_files(text_file, texts, quick, tmp_path):
    quick.partial_fit(text_file)
    (tmp_path / "more.ft").write_text("__label__cow moos\n" * 20)
    for _ in range(5):
        quick.partial_fit(tmp_path / "more.ft")
        quick.partial_fit(text_file)
    assert quick.classes_.tolist() == ["cat", "cow", "dog"]
    assert quick.score(*texts) == 1


def test_features_must_stay(blobs, quick):
    X, y = blobs
    quick.partial_fit(X, y)
    with pytest.raises(ValueError, match="expecting 5 features"):
        quick.partial_fit(X[:, :3], y)
