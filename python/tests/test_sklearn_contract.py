"""scikit-learn's contract: its own checks, and its own tools around the estimator."""

import inspect
import pickle

import joblib
import numpy as np
import pytest
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks
from sklearn.utils.validation import check_is_fitted

from cane import Classifier, _core
from cane._options import parameters


@parametrize_with_checks([Classifier(), Classifier(method="cane"), Classifier(method="hsm")])
def test_checks_of_scikit_learn(estimator, check):
    check(estimator)


def test_no_check_is_expected_to_fail():
    assert not Classifier().__sklearn_tags__()._skip_test
    assert not Classifier().__sklearn_tags__().no_validation


def test_signature_has_every_option():
    members = inspect.signature(Classifier).parameters
    first = ["method", "select", "candidates", "encoder", "epochs", "random_state", "n_jobs"]
    assert list(members)[:8] == [*first, "verbose"]
    assert Classifier("softmax", epochs=3).get_params()["method"] == "softmax"
    renamed = {"seed": "random_state", "threads": "n_jobs", "weights": "feature_weights"}
    left_out = {"resume", "checkpoint_every", "labels_path", "parallel"}
    for kind in ("train", "data"):
        for field in _core.fields(kind):
            if field["group"] and field["name"] not in left_out:
                name = renamed.get(field["name"], field["name"])
                assert name in members
                if name not in ("random_state", "n_jobs", "class_weight"):
                    assert members[name].default == field["default"]
    with pytest.raises(TypeError, match="epoch"):
        Classifier(epoch=3)


def test_documentation_has_every_parameter():
    for name in parameters():
        assert f"\n    {name} : " in Classifier.__doc__


def test_clone_and_set_params():
    estimator = Classifier(epochs=3).set_params(lr=0.5)
    assert clone(estimator).get_params() == estimator.get_params()
    assert repr(estimator) == "Classifier(epochs=3, lr=0.5)"


def test_in_a_pipeline_and_a_grid_search(blobs, quick):
    pipeline = make_pipeline(StandardScaler(), quick)
    grid = GridSearchCV(pipeline, {"classifier__epochs": [1, 5]}, cv=3)
    grid.fit(*blobs)
    assert grid.best_score_ > 0.9
    assert np.mean(cross_val_score(quick, *blobs, cv=3, scoring="neg_log_loss")) > -0.5


def test_in_a_calibrated_classifier(blobs, quick):
    calibrated = CalibratedClassifierCV(quick, cv=3).fit(*blobs)
    assert calibrated.score(*blobs) > 0.9
    np.testing.assert_allclose(calibrated.predict_proba(blobs[0]).sum(axis=1), 1)


@pytest.mark.parametrize("keep", ["pickle", "joblib"])
def test_a_copy_answers_the_same(blobs, quick, tmp_path, keep):
    quick.fit(*blobs)
    quick.predict(blobs[0])
    if keep == "pickle":
        copy = pickle.loads(pickle.dumps(quick))
    else:
        joblib.dump(quick, tmp_path / "estimator")
        copy = joblib.load(tmp_path / "estimator")
    np.testing.assert_array_equal(copy.predict_proba(blobs[0]), quick.predict_proba(blobs[0]))
    assert copy.get_params() == quick.get_params()
    assert copy.coverage_ == quick.coverage_
    check_is_fitted(copy.partial_fit(*blobs))


def test_class_weight_balances_classes(quick):
    random = np.random.RandomState(0)
    y = (np.arange(300) % 10 == 0).astype(int)
    X = (y[:, None] + 2 * random.normal(size=(300, 3))).astype(np.float32)
    plain = clone(quick).fit(X, y).predict(X).mean()
    balanced = clone(quick).set_params(class_weight="balanced").fit(X, y)
    assert balanced.predict(X).mean() > plain + 0.1
    by_hand = clone(quick).set_params(class_weight={0: 1 / 270, 1: 1 / 30}).fit(X, y)
    np.testing.assert_array_equal(by_hand.predict(X), balanced.predict(X))


def test_sample_weight_is_repetition(blobs, quick):
    X, y = blobs
    weights = np.random.RandomState(1).randint(0, 4, size=len(y))
    weighted = clone(quick).fit(X, y, sample_weight=weights)
    repeated = clone(quick).fit(X.repeat(weights, axis=0), y.repeat(weights))
    np.testing.assert_array_equal(weighted.predict_proba(X), repeated.predict_proba(X))


def test_random_state(blobs, quick):
    X, y = blobs
    quick.set_params(method="cane", candidates=1, pilot="off")
    first = clone(quick).fit(X, y).decision_function(X)
    np.testing.assert_array_equal(first, clone(quick).fit(X, y).decision_function(X))
    np.random.seed(7)
    drawn = clone(quick).set_params(random_state=None).fit(X, y).decision_function(X)
    np.random.seed(7)
    again = clone(quick).set_params(random_state=None).fit(X, y).decision_function(X)
    np.testing.assert_array_equal(drawn, again)


def test_deterministic_on_any_number_of_jobs():
    random = np.random.RandomState(0)
    y = random.randint(20, size=4000)
    X = (random.normal(size=(20, 8))[y] + random.normal(size=(4000, 8))).astype(np.float32)
    made = [
        Classifier(epochs=2, random_state=3, deterministic=True, n_jobs=jobs).fit(X, y)
        for jobs in (1, 2, 3)
    ]
    for other in made[1:]:
        np.testing.assert_array_equal(other.decision_function(X), made[0].decision_function(X))


def test_the_html_box_does_not_make_the_class_vectors(blobs, quick, monkeypatch):
    quick.fit(*blobs)
    monkeypatch.setattr(quick, "_model", object())
    assert "class_vectors_" not in dir(quick)
    assert "Classifier" in quick._repr_html_()


def test_probabilities_are_there_as_the_model_says(blobs, quick):
    methods = next(field for field in _core.fields("train") if field["name"] == "method")
    for method, _ in methods["values"]:
        estimator = clone(quick).set_params(method=method, epochs=1)
        before = hasattr(estimator, "predict_proba")
        estimator.fit(*blobs)
        assert hasattr(estimator, "predict_proba") == before == estimator._model.has_probabilities
        assert hasattr(estimator, "predict_log_proba") == before
        assert estimator.predict(blobs[0]).shape == (200,)
        assert estimator.decision_function(blobs[0]).shape == (200, 4)
