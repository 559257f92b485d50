"""What is different with many classes."""

import numpy as np
import pytest
import scipy.sparse

import cane
from cane import Classifier, _core

CLASSES = 2000


@pytest.fixture(scope="module")
def many():
    """An estimator of 2,000 classes, with its data."""
    random = np.random.RandomState(0)
    y = np.arange(2 * CLASSES) % CLASSES
    X = random.normal(size=(CLASSES, 32))[y] + 0.2 * random.normal(size=(2 * CLASSES, 32))
    X = X.astype(np.float32)
    estimator = Classifier(epochs=5, random_state=0, pilot="off", memory_limit=20_000_000)
    return estimator.fit(X, y), X, y


def test_top_k(many):
    estimator, X, y = many
    classes, probabilities = estimator.predict_top_k(X, 10)
    assert classes.shape == probabilities.shape == (len(X), 10)
    assert np.mean(classes[:, 0] == y) > 0.8
    np.testing.assert_array_equal(classes[:, 0], estimator.predict(X))
    assert np.all(np.diff(probabilities, axis=1) <= 1e-6)
    assert all(len(set(row)) == 10 for row in classes)
    assert probabilities.sum(axis=1).max() < 1.2


def test_memory_limit(many):
    estimator, X, _ = many
    for name in ("predict_proba", "predict_log_proba", "decision_function"):
        with pytest.raises(ValueError, match=r"memory_limit.*predict_top_k"):
            getattr(estimator, name)(X)
    probabilities = estimator.predict_proba(X[:1000])
    assert probabilities.shape == (1000, CLASSES)
    np.testing.assert_allclose(probabilities.sum(axis=1), 1, rtol=1e-12)
    assert Classifier().memory_limit == 2 * 2**30


def test_sparse_probabilities(many):
    estimator, X, _ = many
    sparse = estimator.predict_proba(X, top_k=10)
    assert isinstance(sparse, scipy.sparse.csr_array)
    assert sparse.shape == (len(X), CLASSES)
    assert sparse.nnz == 10 * len(X)
    assert sparse.has_sorted_indices
    classes, probabilities = estimator.predict_top_k(X, 10)
    best = np.asarray(sparse.argmax(axis=1)).ravel()
    np.testing.assert_array_equal(estimator.classes_[best], classes[:, 0])
    assert sparse.max() == probabilities.max()


def test_blocks_do_not_matter(many, monkeypatch):
    estimator, X, _ = many
    expected = estimator.decision_function(X[:100])
    for form in (np.asarray, scipy.sparse.csr_array):
        whole = estimator.predict_proba(form(X[:100]))
        monkeypatch.setattr("cane._prediction._BLOCK", 7 * CLASSES)
        np.testing.assert_array_equal(estimator.predict_proba(form(X[:100])), whole)
        monkeypatch.undo()
    monkeypatch.setattr("cane._prediction._BLOCK", 7 * CLASSES)
    np.testing.assert_array_equal(estimator.decision_function(X[:100]), expected)


def test_methods_without_probabilities(blobs):
    X, y = blobs
    estimator = Classifier("filter-tree", epochs=2, random_state=0).fit(X, y)
    classes, probabilities = estimator.predict_top_k(X, 4)
    assert classes.shape == (200, 4)
    assert np.isnan(probabilities).all()
    np.testing.assert_array_equal(classes[:, 0], estimator.predict(X))
    with pytest.raises(AttributeError, match="has no attribute 'predict_proba'"):
        estimator.predict_proba(X)


@pytest.mark.parametrize("method", ["lomtree", "recall-tree"])
def test_methods_that_reach_some_classes(method):
    random = np.random.RandomState(0)
    y = np.arange(2000) % 100
    X = (random.normal(size=(100, 8))[y] + 0.3 * random.normal(size=(2000, 8))).astype(np.float32)
    estimator = Classifier(method, epochs=2, random_state=0).fit(X, y)
    classes, probabilities = estimator.predict_top_k(X, 100)
    missing = np.equal(classes, None)
    assert np.all(probabilities[missing] == 0)
    np.testing.assert_array_equal(classes[:, 0], estimator.predict(X))
    np.testing.assert_allclose(estimator.predict_proba(X).sum(axis=1), 1)
    assert estimator.decision_function(X).shape == (2000, 100)


def test_one_row_goes_straight_to_the_library(many, monkeypatch):
    estimator, X, _ = many
    expected = estimator.predict(X[:1])

    def fail(*_args, **_options):
        raise AssertionError("a plain row was checked and converted")

    monkeypatch.setattr("cane._prediction.read", fail)
    np.testing.assert_array_equal(estimator.predict(X[:1]), expected)


def test_search_options(many):
    estimator, X, _ = many
    classes, probabilities = estimator.predict_top_k(X, 3, probability="exact", beam=50)
    np.testing.assert_array_equal(classes[:, 0], estimator.predict_top_k(X, 3)[0][:, 0])
    middle = np.median(probabilities[:, 0])
    kept, sure = estimator.predict_top_k(X, 1, probability="exact", beam=50, reject=float(middle))
    rejected = np.equal(kept[:, 0], None)
    assert 0 < rejected.sum() < len(X)
    np.testing.assert_array_equal(rejected, sure[:, 0] < np.float32(middle))
    with pytest.raises(TypeError, match="is no option"):
        estimator.predict_top_k(X, 3, width=9)


def test_evaluate(many):
    estimator, X, y = many
    measures = cane.evaluate(estimator, X, y, top_k=[1, 3], details=True)
    assert measures["accuracy"] == pytest.approx(estimator.score(X, y))
    assert measures["top"][3] >= measures["top"][1] == measures["accuracy"]
    assert measures["log_loss"] > 0
    assert set(measures) == {*_core.measures(), "details"}
    assert len(measures["details"]["classes"]) == len(estimator.classes_)


def test_onnx(blobs, tmp_path):
    X, y = blobs
    path = tmp_path / "model.onnx"
    Classifier("softmax", epochs=1, random_state=0).fit(X, y).export_onnx(path)
    assert path.stat().st_size > 0
