"""From X, y and weights to a model."""

import dataclasses
import json
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from sklearn.utils import check_consistent_length
from sklearn.utils.class_weight import compute_class_weight
from sklearn.utils.validation import _check_sample_weight

from cane import _core
from cane._errors import library_errors
from cane._inputs import File, Input, Targets, Texts, check_against
from cane._labels import TYPE_ATTRIBUTE, checked_labels, encoded, joined_type, labels_of, names_of
from cane._options import data_options, reading_options, train_options
from cane._reading import existing_path, is_path, read
from cane._training import (
    Observer,
    choose_features,
    report_on,
    run,
    seed_of,
    threads_of,
)

NAMES_ATTRIBUTE = "python.feature_names"

# Whole weights become copies of the examples, up to this factor in size.
_MOST_COPIES = 8


def _scaled(weights: np.ndarray) -> np.ndarray:
    """Weights that are 1 on average, as the steps of a training expect.

    Whole weights stay as they are, because they become copies: examples that count twice are then
    the same as examples that are there twice.
    """
    if np.all(weights == np.rint(weights)) and weights.sum() <= _MOST_COPIES * len(weights):
        return weights
    return weights * (np.count_nonzero(weights) / weights.sum())


def labelled_dataset(estimator: Any, X: Any, y: Any, through: Any, label_type: np.dtype) -> Any:
    """Examples with labels, read through a model or through training data.

    Parameters
    ----------
    estimator : Classifier
        Whose parameters say how files are read.
    X, y : Any
        As for `Classifier.fit`.
    through : _core.Model or _core.Dataset
        What has the labels and features.
    label_type : dtype
        The type that its labels have in Python.
    """
    options = reading_options(estimator.get_params(deep=False))
    examples = read(X, estimator=estimator, verbose=estimator.verbose)
    model = through if isinstance(through, _core.Model) else None
    check_against(estimator, examples, model, reset=False)
    targets = Targets()
    if isinstance(examples, File):
        if y is not None:
            options["labels_path"] = existing_path(y, "y")
    else:
        y = checked_labels(y)
        check_consistent_length(np.empty((examples.size, 0)), y)
        labels, codes = encoded(y.astype(joined_type(label_type, y.dtype)))
        targets = Targets(codes, names_of(labels))
    dataset = examples.dataset(targets, options, through)
    report_on(dataset)
    return dataset


def _pair(validation: Any) -> tuple[Any, Any]:
    """X and y of validation data; a file has both."""
    if is_path(validation):
        return validation, None
    if isinstance(validation, tuple) and len(validation) == 2:
        return validation
    raise TypeError(
        "The 'validation' parameter must be a tuple (X, y) or the path of a file. Got "
        f"{type(validation).__name__} instead."
    )


def _without(dataset: Any, weights: np.ndarray | None) -> Any:
    """The examples that count for something; the others would still be part of class means."""
    if weights is None or weights.all():
        return dataset
    with library_errors():
        return dataset.subset(np.flatnonzero(weights).astype(np.uint32))


@dataclasses.dataclass(slots=True)
class Prepared:
    """What a training needs."""

    examples: Input
    dataset: Any
    options: dict[str, Any]  # with which the data was read
    config: dict[str, Any]
    label_type: np.dtype | None  # of the labels in Python; None: follows from their names

    def type_of_labels(self) -> np.dtype:
        """The type of the labels in Python, whether it was given or not."""
        if self.label_type is None:
            return labels_of(self.dataset.labels, None).dtype
        return self.label_type


class Fitting:
    """The part of the estimator that trains its model."""

    if TYPE_CHECKING:
        _model: Any
        classes_: np.ndarray
        callbacks: Any
        class_weight: Any
        n_jobs: int | None
        random_state: Any
        verbose: int
        get_params: Any

    def _fit(
        self,
        X: Any,
        y: Any,
        sample_weight: Any,
        *,
        model: Any,
        validation: Any = None,
        classes: Any = None,
        is_part: bool = False,
    ) -> Self:
        """Trains a new model, or the given one on; `is_part`: for one epoch over some examples."""
        observer = Observer(self)
        ready = self._prepared(
            X, y, sample_weight, observer, model=model, classes=classes, is_part=is_part
        )
        held_out = None
        if validation is not None:
            held_out = labelled_dataset(
                self, *_pair(validation), ready.dataset, ready.type_of_labels()
            )
        result = run(observer, ready.dataset, ready.config, held_out, model)
        if model is not None and result["interrupted"] and result["epochs"] == 0:
            observer.end()
            return self  # as it was: nothing untrained replaces a model
        self._adopt(result["model"], ready.label_type, ready.examples)
        self.history_ = observer.history
        self.n_iter_ = result["epochs"]
        if observer.history:
            self.coverage_ = observer.history[-1]["coverage"]
        observer.end()
        return self

    def _prepared(
        self,
        X: Any,
        y: Any,
        sample_weight: Any,
        observer: Observer,
        *,
        model: Any = None,
        classes: Any = None,
        is_part: bool = False,
        choose: Callable[..., tuple[dict[str, Any], dict[str, Any]]] = choose_features,
    ) -> Prepared:
        """Everything that a training needs, checked and read."""
        given = self.get_params(deep=False)
        config = train_options(given) | {"seed": seed_of(self.random_state)}
        if is_part:
            config |= {"epochs": 1, "calibrate": False, "pilot": "off"}
        # A model that is there keeps how features are made.
        options = data_options(given) if model is None else reading_options(given)
        examples = read(X, estimator=self, verbose=self.verbose)
        check_against(self, examples, model)
        size = None if isinstance(examples, File) else examples.size
        options |= {"threads": threads_of(self.n_jobs, size), "add_labels": model is not None}
        if isinstance(examples, File):
            targets = Targets()
            label_type = None if model is None else self.classes_.dtype
            self._take_labels_of_file(y, sample_weight, config, options)
        else:
            targets, label_type = self._targets(examples, y, sample_weight, classes, model, is_part)
        observer.begin()
        if model is None:
            options, config = choose(examples.for_choosing(targets), options, config, observer)
        dataset = examples.dataset(targets, options, model)
        report_on(dataset)
        if dataset.num_classes < 2:
            raise ValueError(self._too_few_classes(dataset.labels))
        if is_part:
            dataset = _without(dataset, targets.weights)
        else:
            # The training then depends on which examples there are but not on their order.
            with library_errors():
                dataset = dataset.canonical(options["threads"])
        config["threads"] = threads_of(self.n_jobs, dataset.size)
        return Prepared(examples, dataset, options, config, label_type)

    def _take_labels_of_file(
        self, y: Any, sample_weight: Any, config: dict[str, Any], options: dict[str, Any]
    ) -> None:
        if sample_weight is not None or isinstance(self.class_weight, dict):
            raise ValueError(
                "The weights of a file's examples are in the file: see `weight_column`. Besides, "
                "class_weight='balanced' is possible."
            )
        if y is not None:
            options["labels_path"] = existing_path(y, "y")
        config["class_weight"] = "none" if self.class_weight is None else self.class_weight

    def _targets(
        self,
        examples: Input,
        y: Any,
        sample_weight: Any,
        classes: Any,
        model: Any,
        is_part: bool,
    ) -> tuple[Targets, np.dtype]:
        """Classes, names and weights of training examples, and the type of all labels."""
        if y is None:
            raise ValueError(
                f"This {type(self).__name__} estimator requires y to be passed, but the target y "
                "is None."
            )
        y = checked_labels(y)
        if len(y) != examples.size:
            check_consistent_length(np.empty((examples.size, 0)), y)
        seen = y if classes is None else np.concatenate((y, checked_labels(classes)))
        label_type = seen.dtype
        if model is not None:
            label_type = joined_type(self.classes_.dtype, label_type)
            seen = seen.astype(label_type)
        labels, codes = encoded(seen)
        codes = codes[: len(y)]
        weights = self._weights(y, codes, sample_weight)
        counts = np.bincount(codes, weights, minlength=len(labels))
        if model is None and np.count_nonzero(counts) < 2 and (not is_part or len(labels) < 2):
            raise ValueError(self._too_few_classes(labels[counts > 0].tolist()))
        if weights is not None:
            weights = (weights if is_part else _scaled(weights)).astype(np.float32)
        return Targets(codes, names_of(labels), weights), label_type

    def _weights(self, y: np.ndarray, codes: np.ndarray, sample_weight: Any) -> np.ndarray | None:
        """How much each example counts, by `sample_weight` and `class_weight`."""
        if sample_weight is None and self.class_weight is None:
            return None
        weights = _check_sample_weight(sample_weight, y, dtype=np.float64, ensure_non_negative=True)
        if self.class_weight is not None:
            classes, places = encoded(y)
            by_class = compute_class_weight(self.class_weight, classes=classes, y=y)
            weights = weights * by_class[places]
        if not weights.any():
            raise ValueError("Sample weights must contain at least one non-zero number.")
        return weights

    def _too_few_classes(self, labels: list[Any]) -> str:
        return (
            f"{type(self).__name__} needs samples of at least 2 classes in the data, but the data "
            f"contains only one class: {labels[0]!r}"
        )

    def _adopt(
        self, model: Any, label_type: np.dtype | None = None, examples: Input | None = None
    ) -> None:
        """Takes a model with all that follows from it."""
        attributes = dict(model.attributes)
        if label_type is not None:
            attributes[TYPE_ATTRIBUTE] = label_type.str
        labels = labels_of(model.labels, attributes.get(TYPE_ATTRIBUTE))
        if isinstance(examples, (File, Texts)):
            self.__dict__.pop("feature_names_in_", None)
            self.__dict__.pop("n_features_in_", None)
        if examples is None and NAMES_ATTRIBUTE in attributes:
            names = json.loads(attributes[NAMES_ATTRIBUTE])
            self.feature_names_in_ = np.array(names, dtype=object)
        if hasattr(self, "feature_names_in_"):
            attributes[NAMES_ATTRIBUTE] = json.dumps(self.feature_names_in_.tolist())
        else:
            attributes.pop(NAMES_ATTRIBUTE, None)
        if not model.takes_text:
            self.n_features_in_ = model.dimension
        with library_errors():
            self._model = model.with_attributes(attributes)
        self._labels_by_id = labels
        order = np.argsort(labels, kind="stable")
        self.classes_ = labels[order]
        self._columns_by_id = np.empty(len(order), dtype=np.intp)
        self._columns_by_id[order] = np.arange(len(order))
        is_plain = not model.takes_text and not hasattr(self, "feature_names_in_")
        self._plain_columns = model.dimension if is_plain else -1
        self._predictors: dict[tuple[Any, ...], Any] = {}
