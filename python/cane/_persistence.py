"""Models in files: the same safetensors files as those of the program `cane`."""

import os
from typing import Any

from cane import _core
from cane._classifier import Classifier
from cane._errors import library_errors
from cane._options import parameters_of
from cane._reading import existing_path


def load(path: str | os.PathLike[str]) -> Classifier:
    """Read a model that `Classifier.save` or the program `cane` has written.

    Parameters
    ----------
    path : str or PathLike
        The file.

    Returns
    -------
    estimator : Classifier
        A trained estimator. Its parameters are the options of the training; how features are made
        is in the model alone. For a file of the program, labels that are all whole numbers are
        integers, others str.
    """
    with library_errors():
        model = _core.Model.load(existing_path(path, "path"))
    parameters: dict[str, Any] = parameters_of("train", model.config)
    estimator = Classifier(random_state=model.config["seed"], **parameters)
    estimator._adopt(model)
    return estimator
