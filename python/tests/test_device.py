"""Training on a device: the option, its errors, and a training on the emulated one of the tests."""

import os
import pathlib
import pickle

import numpy as np
import pytest

import cane

PLUGINS = os.environ.get("CANE_TEST_PLUGINS", "")


@pytest.fixture
def rows():
    random = np.random.default_rng(0)
    centres = random.standard_normal((12, 8), dtype=np.float32)
    y = np.repeat(np.arange(12), 30)
    return centres[y] + 0.2 * random.standard_normal((len(y), 8), dtype=np.float32), y


def use_plugins(monkeypatch, folder):
    monkeypatch.setenv("CANE_PLUGIN_PATH", str(folder))


def test_a_missing_plugin_is_a_device_error_with_the_remedy(rows, monkeypatch, tmp_path):
    use_plugins(monkeypatch, tmp_path)
    with pytest.raises(cane.DeviceError, match=r"`device='cuda'`: the plug-in .* is not installed"):
        cane.Classifier(device="cuda").fit(*rows)
    assert issubclass(cane.DeviceError, cane.Error)
    assert issubclass(cane.DeviceError, RuntimeError)


def test_an_unknown_device_is_a_value_error(rows):
    with pytest.raises(ValueError, match="`device`: unknown value 'gpu'"):
        cane.Classifier(device="gpu").fit(*rows)


def test_what_a_device_lacks_is_a_value_error(rows, monkeypatch, tmp_path):
    use_plugins(monkeypatch, tmp_path)
    with pytest.raises(ValueError, match="does not train"):
        cane.Classifier(device="cuda", method="recall-tree").fit(*rows)


@pytest.mark.skipif(not PLUGINS, reason="CANE_TEST_PLUGINS does not name the tests' plug-ins")
def test_it_trains_on_the_emulated_device_and_predicts_without_it(rows, monkeypatch, tmp_path):
    X, y = rows
    use_plugins(monkeypatch, pathlib.Path(PLUGINS) / "host")
    model = cane.Classifier(device="cuda", epochs=5, random_state=0).fit(X, y)
    assert model.get_params()["device"] == "cuda"
    use_plugins(monkeypatch, tmp_path)
    assert pickle.loads(pickle.dumps(model)).score(X, y) > 0.95
    model.save(tmp_path / "m.safetensors")
    assert cane.load(tmp_path / "m.safetensors").device == "cpu"
