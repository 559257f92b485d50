"""A layer and the model file made of it predict the same."""

import numpy as np
import pytest

torch = pytest.importorskip("torch")
cane_torch = pytest.importorskip("cane.torch")

import cane  # noqa: E402
from cane import _core  # noqa: E402

FEATURES, CLASSES = 6, 129  # with clusters of 16 the last has one class
COUNTS = (500 / (1 + torch.arange(CLASSES))).long() + 1
ORDER = torch.randperm(CLASSES, generator=torch.Generator().manual_seed(8))

LAYERS = {
    "softmax": {"method": "softmax"},
    "no bias": {"method": "softmax", "bias": False},
    "bfloat16": {"method": "softmax", "dtype": torch.bfloat16},
    "cane": {"class_counts": COUNTS},
    "lists": {"select": "frequent+batch", "candidates": 20, "noises": 30, "class_counts": COUNTS},
    "slots": {"noises": 30},
    "hsm": {"method": "hsm"},
    "hsm, ordered": {"method": "hsm", "class_order": ORDER},
    "nce": {"method": "nce", "class_counts": COUNTS},
    "blackout": {"method": "blackout", "class_counts": COUNTS},
    "neg": {"method": "neg", "class_counts": COUNTS, "noise_power": 0.6},
    "neg, uniform": {"method": "neg"},
    "css": {"method": "css"},
    "ove": {"method": "ove"},
}


def layer_of(options):
    torch.manual_seed(6)
    layer = cane_torch.CaneOutput(FEATURES, CLASSES, **options)
    for parameter in layer.parameters():
        parameter.data.copy_(torch.randn(parameter.shape))
    return layer


def hidden():
    return torch.randn(40, FEATURES, generator=torch.Generator().manual_seed(7))


def test_methods_are_those_of_the_library():
    from cane.torch._options import FACTS, METHODS

    found = _core.methods()
    layers = {name for name, row in found.items() if row["has_objective"] or row["is_hierarchical"]}
    assert layers == set(METHODS)
    for name, facts in METHODS.items():
        assert vars(facts) == {fact: found[name][fact] for fact in FACTS}


@pytest.mark.parametrize("name", LAYERS)
def test_a_file_predicts_what_the_layer_predicts(name, tmp_path):
    layer = layer_of(LAYERS[name])
    layer.save_model(tmp_path / "model", class_counts=COUNTS)
    model = cane.load(tmp_path / "model")
    expected = layer.log_prob(hidden()).exp().detach().numpy()
    found = model.predict_proba(hidden().numpy())
    assert np.abs(found - expected).max() < 1e-5
    assert (model.predict(hidden().numpy()) == layer.predict(hidden()).numpy()).mean() > 0.9


@pytest.mark.parametrize("name", LAYERS)
def test_a_layer_made_of_a_file_is_the_one_that_wrote_it(name, tmp_path):
    options = LAYERS[name]
    layer = layer_of(options)
    layer.save_model(tmp_path / "model", class_counts=COUNTS)
    again = cane_torch.load_model(tmp_path / "model")
    assert again.method == layer.method
    torch.testing.assert_close(
        again.log_prob(hidden()), layer.log_prob(hidden()), rtol=1e-5, atol=1e-5
    )
    target = torch.randint(CLASSES, (40,), generator=torch.Generator().manual_seed(9))
    again(hidden(), target).loss.backward()  # it can be trained further
    assert again.weight.grad is not None


def test_labels_and_counts_are_kept(tmp_path):
    labels = [f"name {number}" for number in range(CLASSES)]
    cane_torch.save_model(layer_of({"method": "softmax"}), tmp_path / "model", labels, COUNTS)
    model = _core.Model.load(str(tmp_path / "model"))
    assert list(model.labels) == labels
    assert list(model.class_counts) == COUNTS.tolist()
    assert cane_torch.load_model(tmp_path / "model").labels == tuple(labels)


def test_a_model_that_cane_has_trained_becomes_a_layer(tmp_path):
    generator = np.random.default_rng(3)
    centres = generator.normal(size=(30, FEATURES))
    y = generator.integers(30, size=1500)
    X = (centres[y] + generator.normal(size=(1500, FEATURES)) * 0.3).astype(np.float32)
    for options in (
        {"method": "softmax"},
        {"select": "narrow", "rank": 4},
        {"select": "tree", "arity": 4},
        {"select": "beam", "arity": 3},
        {"select": "exact", "scorer": "path"},
    ):
        options = {"method": "cane", **options}
        model = cane.Classifier(**options, epochs=3, random_state=1).fit(X, y)
        model.save(tmp_path / "model")
        layer = cane_torch.load_model(tmp_path / "model")
        found = layer.predict(torch.from_numpy(X)).numpy()
        assert (np.array(layer.labels)[found].astype(int) == model.predict(X)).mean() > 0.97


@pytest.mark.parametrize(
    "call, message",
    [
        (
            lambda path: layer_of({"method": "softmax"}).save_model(path, labels=["a"]),
            "labels: there are 1",
        ),
        (
            lambda path: layer_of({"method": "softmax"}).save_model(path, labels=["a"] * CLASSES),
            "twice",
        ),
    ],
)
def test_what_does_not_fit_is_refused(call, message, tmp_path):
    with pytest.raises(ValueError, match=message):
        call(tmp_path / "model")
    assert not (tmp_path / "model").exists()


def test_a_layer_with_numbers_that_are_not_finite_is_not_saved(tmp_path):
    layer = layer_of({"method": "softmax"})
    layer.weight.data[3, 1] = float("nan")
    with pytest.raises(ValueError, match="row 3 that is not finite"):
        layer.save_model(tmp_path / "model")


@pytest.mark.parametrize(
    "options, message",
    [
        ({"method": "cane", "select": "hsm"}, "part of every score"),
        ({"method": "hsm", "arity": 4}, "its tree"),
    ],
)
def test_models_that_are_no_layer_are_refused(options, message, tmp_path):
    generator = np.random.default_rng(3)
    X, y = generator.normal(size=(300, 4)).astype(np.float32), generator.integers(30, size=300)
    cane.Classifier(**options, epochs=1).fit(X, y).save(tmp_path / "model")
    with pytest.raises(ValueError, match=message):
        cane_torch.load_model(tmp_path / "model")
