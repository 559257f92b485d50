"""Bad input gets an error that helps, in the words of Python."""

import numpy as np
import pytest
import scipy.sparse
from sklearn.exceptions import DataConversionWarning, NotFittedError

import cane
from cane import Classifier, _core
from cane._errors import in_python, translated


def test_names_of_fields_become_names_of_parameters():
    assert in_python("`seed`: bad") == "`random_state`: bad"
    assert in_python("`threads 3`, `weights tfidf`") == "`n_jobs=3`, `feature_weights='tfidf'`"
    assert in_python("needs `select tree`") == "needs `select='tree'`"
    assert in_python("`lr`: it must be above 0, or auto") == "`lr`: it must be above 0, or None"
    assert in_python("as `cane train` says, `word`") == "as `cane train` says, `word`"


def test_classes_of_errors():
    assert type(translated(_core.Error("a"))) is cane.Error
    assert issubclass(cane.Error, ValueError)
    assert cane.Error.__module__ == "cane"


@pytest.mark.parametrize(
    ("parameters", "error", "words"),
    [
        ({"method": "sofmax"}, ValueError, "method.*softmax"),
        ({"epochs": 0}, ValueError, "epochs"),
        ({"epochs": -1}, ValueError, "epochs"),
        ({"epochs": 1.5}, TypeError, "'epochs' parameter must be an int or None. Got 1.5"),
        ({"epochs": "many"}, TypeError, "epochs"),
        ({"candidates": "many"}, TypeError, "'candidates' parameter must be an int or None"),
        ({"lr": -1.0}, ValueError, "lr"),
        ({"lr": "fast"}, TypeError, "'lr' parameter must be a number or None"),
        ({"deterministic": 1}, TypeError, "'deterministic' parameter must be a bool"),
        ({"char_ngrams": 3}, TypeError, "'char_ngrams' parameter must be a pair"),
        ({"feature_weights": "idf"}, ValueError, "feature_weights"),
        ({"random_state": "x"}, ValueError, "cannot be used to seed"),
        ({"n_jobs": 0}, ValueError, "n_jobs"),
        ({"class_weight": "fair"}, ValueError, "class_weight"),
    ],
)
def test_parameters(texts, parameters, error, words):
    with pytest.raises(error, match=words):
        Classifier(**parameters).fit(*texts)


def test_what_is_not_finite(blobs, quick):
    X, y = blobs
    quick.fit(X, y)
    for bad, words in ((np.nan, "Input X contains NaN"), (np.inf, "Input X contains infinity")):
        broken = X.copy()
        broken[3, 2] = bad
        for given in (broken, broken.astype(np.float64), scipy.sparse.csr_array(broken)):
            with pytest.raises(ValueError, match=words):
                quick.fit(given, y)
            with pytest.raises(ValueError, match=words):
                quick.predict(given)
            with pytest.raises(ValueError, match=words):
                quick.predict_proba(given)
    huge = X.astype(np.float64)
    huge[0, 0] = 1e300
    with pytest.raises(ValueError, match="too large"):
        quick.fit(huge, y)
    with pytest.raises(ValueError, match="too large"):
        quick.predict(huge)
    huge[0, 0] = 3e38
    with pytest.raises(ValueError, match="too large"):
        quick.fit(huge.astype(np.float32), y)


def test_shapes(blobs, quick):
    X, y = blobs
    with pytest.raises(ValueError, match="Reshape your data"):
        quick.fit(X[:, 0], y)
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        quick.fit(X, y[:-1])
    with pytest.raises(ValueError, match=r"sample_weight\.shape"):
        quick.fit(X, y, sample_weight=[1, 2])
    with pytest.raises(ValueError, match="0 sample"):
        quick.fit(X[:0], y[:0])
    quick.fit(X, y)
    with pytest.raises(ValueError, match="X has 4 features, but Classifier is expecting 5"):
        quick.predict(X[:, :4])
    with pytest.raises(ValueError, match="0 sample"):
        quick.predict(X[:0])
    with pytest.warns(DataConversionWarning):
        quick.fit(X, y[:, None])


def test_labels(blobs, quick):
    X, y = blobs
    with pytest.raises(ValueError, match="requires y"):
        quick.fit(X)
    with pytest.raises(ValueError, match="only one class: 1"):
        quick.fit(X, np.ones(len(X), dtype=int))
    with pytest.raises(ValueError, match="Unknown label type"):
        quick.fit(X, y + 0.5)
    with pytest.raises(ValueError, match="Input y contains NaN"):
        quick.fit(X, np.where(y == 0, np.nan, y))
    with pytest.raises(ValueError, match="Negative values"):
        quick.fit(X, y, sample_weight=-np.ones(len(y)))


def test_unfitted(blobs):
    X, y = blobs
    names = ("predict", "predict_proba", "decision_function", "predict_top_k", "explain")
    for name in names:
        with pytest.raises(NotFittedError):
            getattr(Classifier(), name)(X)
    with pytest.raises(NotFittedError):
        Classifier().save("model")
    with pytest.raises(NotFittedError):
        Classifier().score(X, y)
    assert not hasattr(Classifier(), "class_vectors_")


def test_numbers_for_texts_and_texts_for_numbers(blobs, texts, quick):
    quick.fit(*texts)
    with pytest.raises(ValueError, match="trained on texts, but X has numbers"):
        quick.predict(blobs[0])
    quick.fit(*blobs)
    with pytest.raises(ValueError, match="trained on numbers, but X has texts"):
        quick.predict(texts[0])
    with pytest.raises(TypeError, match=r"X\[1\] is int"):
        quick.fit(["a", 1], [0, 1])
    with pytest.raises(TypeError, match="must be str"):
        quick.fit([b"a", b"b"], [0, 1])


@pytest.mark.parametrize("missing", [None, float("nan")])
@pytest.mark.parametrize("place", [0, 2])
def test_missing_texts(missing, place, quick):
    X = ["a b", "c d", "a b", "c d"]
    X[place] = missing
    with pytest.raises(ValueError, match=rf"X\[{place}\] is missing"):
        quick.fit(X, [0, 1, 0, 1])
    pandas = pytest.importorskip("pandas")
    table = pandas.DataFrame({"text": X, "number": [1.0, 2.0, 3.0, 4.0]})
    with pytest.raises(ValueError, match="columns of text"):
        quick.fit(table, [0, 1, 0, 1])
    with pytest.raises(ValueError, match=f"Row {place} of column 'text' of X is missing"):
        quick.fit(table[["text"]], [0, 1, 0, 1])
    # Lists of arrays are numbers.
    quick.fit([np.array([1.0, 2.0]), np.array([2.0, 1.0])] * 2, [0, 1, 0, 1])


def test_files(text_file, quick, tmp_path):
    with pytest.raises(ValueError, match="weight_column"):
        quick.fit(text_file, sample_weight=[1])
    with pytest.raises(ValueError, match="weight_column"):
        Classifier(class_weight={"cat": 2}).fit(text_file)
    (tmp_path / "noise").write_bytes(bytes(range(256)))
    with pytest.raises(cane.Error, match="noise"):
        quick.fit(tmp_path / "noise")
    (tmp_path / "one.ft").write_text("__label__cat a\n__label__cat b\n")
    with pytest.raises(ValueError, match="class"):
        quick.fit(tmp_path / "one.ft")


def test_top_k_out_of_range(blobs, quick):
    quick.fit(*blobs)
    for k in (0, 5):
        with pytest.raises(ValueError, match="from 1 to 4"):
            quick.predict_top_k(blobs[0], k)
    with pytest.raises(TypeError, match="must be an int"):
        quick.predict_top_k(blobs[0], 1.5)


def test_a_failed_fit_leaves_the_model(blobs, quick):
    X, y = blobs
    expected = quick.fit(X, y).predict_proba(X)
    with pytest.raises(ValueError):
        quick.set_params(epochs=0).fit(X, y)
    np.testing.assert_array_equal(quick.predict_proba(X), expected)
