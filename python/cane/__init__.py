"""Classification with thousands to millions of classes.

`Classifier` is an estimator of scikit-learn that trains with CANE (Candidates vs. Noises
Estimation) and eleven other methods; `load` reads a model file, `compare` and `tune` look for the
best options, `calibrate` and `quantize` change a trained model.

Importing `cane` costs little: scikit-learn, SciPy, pandas and the rest are loaded when they are
first used.
"""

import importlib
import logging
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from cane._classifier import Classifier as Classifier
    from cane._compare import compare as compare
    from cane._errors import DeviceError as DeviceError
    from cane._errors import Error as Error
    from cane._evaluate import evaluate as evaluate
    from cane._explain import Explanation as Explanation
    from cane._persistence import load as load
    from cane._transform_model import calibrate as calibrate
    from cane._transform_model import quantize as quantize
    from cane._tune import tune as tune
    from cane.callbacks import Callback as Callback
    from cane.callbacks import EarlyStopping as EarlyStopping

    __version__: str

_MODULES = {
    "Callback": "cane.callbacks",
    "Classifier": "cane._classifier",
    "DeviceError": "cane._errors",
    "EarlyStopping": "cane.callbacks",
    "Error": "cane._errors",
    "Explanation": "cane._explain",
    "calibrate": "cane._transform_model",
    "compare": "cane._compare",
    "evaluate": "cane._evaluate",
    "load": "cane._persistence",
    "quantize": "cane._transform_model",
    "tune": "cane._tune",
}

__all__ = [
    "Callback",
    "Classifier",
    "DeviceError",
    "EarlyStopping",
    "Error",
    "Explanation",
    "calibrate",
    "compare",
    "evaluate",
    "load",
    "quantize",
    "tune",
]

# A library stays silent until its user asks for the messages.
logging.getLogger("cane").addHandler(logging.NullHandler())


def __getattr__(name: str) -> Any:
    if name == "__version__":
        from cane import _core

        value: Any = _core.version()
    elif name in _MODULES:
        value = getattr(importlib.import_module(_MODULES[name]), name)
    else:
        raise AttributeError(f"module 'cane' has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__, "__version__"})
