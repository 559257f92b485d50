"""What a trained estimator answers."""

import warnings
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.metrics import accuracy_score
from sklearn.utils import check_consistent_length
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from cane import _core
from cane._errors import library_errors, translated
from cane._fitting import labelled_dataset
from cane._inputs import File, Input, Targets, check_against
from cane._labels import checked_labels, encoded, joined_type
from cane._options import checked_options, reading_options
from cane._reading import is_path, read
from cane._training import report_on, threads_of

if TYPE_CHECKING:
    import scipy.sparse

# No class: a place without an answer.
_NONE = np.uint32(0xFFFFFFFF)

# Up to this many classes a search scores them all, which costs next to nothing. So the best
# class of `predict` is the best of `decision_function` and `predict_proba`, too.
_EXACT_CLASSES = 200

# Results over all classes are made in blocks of this many numbers, to bound temporary memory.
_BLOCK = 1 << 22


def _has_probabilities(estimator: "Prediction") -> bool:
    if estimator._model is not None:
        has_them = estimator._model.has_probabilities
    else:
        # A name that is no method is an error of `fit`.
        has_them = _core.methods().get(estimator.method, {}).get("has_probabilities", True)
    if not has_them:
        raise AttributeError("This method has no probabilities: its scores only rank the classes.")
    return True


class Prediction:
    """The part of the estimator that uses its model."""

    _model: Any = None
    # Columns of the rows that need no check but their shape; -1: there are none.
    _plain_columns = -1

    if TYPE_CHECKING:
        method: str
        n_jobs: int | None
        verbose: int
        memory_limit: int
        get_params: Any
        classes_: np.ndarray
        _labels_by_id: np.ndarray
        _columns_by_id: np.ndarray
        _predictors: dict[tuple[Any, ...], Any]

    def _predictor(
        self, top_k: int, probability: str, search: tuple[tuple[str, Any], ...] = ()
    ) -> Any:
        """A predictor, which is made once. It is thread-safe, and so is the dict.

        `search` has other options of the library's, as pairs of name and value.
        """
        key = (top_k, probability, self.n_jobs, search)
        predictor = self._predictors.get(key)
        if predictor is None:
            classes = self._model.num_classes
            options = {
                "top_k": top_k,
                "beam": classes if classes <= _EXACT_CLASSES or top_k == classes else 0,
                "probability": probability,
                "threads": threads_of(self.n_jobs),
                **dict(search),
            }
            with library_errors():
                predictor = _core.Predictor(self._model, options)
            if len(self._predictors) >= 16:
                self._predictors.clear()
            self._predictors[key] = predictor
        return predictor

    def _is_plain(self, X: Any) -> bool:
        """Whether X can go to the library as it is; this is all that one row waits for."""
        return (
            type(X) is np.ndarray
            and X.dtype == np.float32
            and X.ndim == 2
            and X.shape[1] == self._plain_columns
            and X.shape[0] > 0
            and X.flags.c_contiguous
            and X.flags.aligned
        )

    def _read(self, X: Any) -> Input:
        """X, checked against what the model was trained on."""
        check_is_fitted(self)
        examples = read(X, estimator=self, verbose=self.verbose)
        if isinstance(examples, File):
            options = reading_options(self.get_params(deep=False)) | {"require_labels": False}
            report_on(examples.dataset(Targets(), options, self._model))
            return examples
        check_against(self, examples, self._model)
        return examples

    def _best(
        self,
        X: Any,
        top_k: int,
        probability: str,
        search: tuple[tuple[str, Any], ...] = (),
    ) -> tuple[np.ndarray, np.ndarray | None]:
        """The ids of the best classes, and their probabilities if any are asked for."""
        if self._is_plain(X):
            predictor = self._predictor(top_k, probability, search)
            ids = np.empty((X.shape[0], top_k), dtype=np.uint32)
            found = np.empty(ids.shape, np.float32) if probability != "none" else None
            try:
                predictor.predict_dense(X, ids, None, found)
            except _core.Error as error:
                raise translated(error, (X,)) from None
            return ids, found
        examples = self._read(X)
        ids = np.empty((examples.size, top_k), dtype=np.uint32)
        found = np.empty(ids.shape, np.float32) if probability != "none" else None
        examples.predict(self._predictor(top_k, probability, search), ids, None, found)
        return ids, found

    def predict(self, X: Any) -> np.ndarray:
        """The best class of each example.

        Parameters
        ----------
        X : {array-like, sparse matrix, table, texts, path}
            Examples of the kind that the estimator was trained on; a file may lack labels.

        Returns
        -------
        y : ndarray of shape (n_samples,)
            Classes.
        """
        ids, _ = self._best(X, 1, "none")
        return self._labels_by_id.take(ids[:, 0])

    def predict_top_k(
        self, X: Any, k: int = 5, **search: Any
    ) -> tuple[np.ndarray, np.ndarray]:
        """The best classes of each example, best first.

        Parameters
        ----------
        X : {array-like, sparse matrix, table, texts, path}
            Examples.
        k : int, default=5
            How many classes, at most as many as there are.
        **search
            `beam`, `noises`, `probability` and `reject` of the program's `cane predict`. With
            `reject`, an example whose best class is less probable has no answer, and that
            probability in the first place.

        Returns
        -------
        classes : ndarray of shape (n_samples, k)
            Classes. A method that reaches only some of the classes may have fewer than `k` answers
            for an example; the places that are left, and those of rejected examples, are None, in
            an array of objects.
        probabilities : ndarray of shape (n_samples, k), float32
            Their probabilities: exact where that costs no more than a few searches, otherwise
            estimated; NaN for methods without probabilities.
        """
        if self._model is None:
            check_is_fitted(self)
        self._check_k(k)
        how = "auto" if self._model.has_probabilities else "none"
        others: tuple[tuple[str, Any], ...] = ()
        if search:
            how = search.pop("probability", how)
            others = tuple(sorted(checked_options("predict", search).items()))
        ids, found = self._best(X, k, how, others)
        if found is None:
            found = np.full(ids.shape, np.nan, dtype=np.float32)
        try:
            return self._labels_by_id.take(ids), found
        except IndexError:
            # _NONE is beyond all classes; to look for it each time would cost one row much.
            missing = ids == _NONE
            labels = self._labels_by_id.astype(object).take(np.where(missing, 0, ids))
            labels[missing] = None
            return labels, found

    def _check_k(self, k: Any) -> None:
        if isinstance(k, bool) or not isinstance(k, (int, np.integer)):
            raise TypeError(f"The number of classes must be an int. Got {k!r} instead.")
        if not 1 <= k <= len(self._labels_by_id):
            raise ValueError(
                f"The number of classes must be from 1 to {len(self._labels_by_id)}, which is how "
                f"many the model has. Got {k} instead."
            )

    def _over_all_classes(self, X: Any, probability: str) -> np.ndarray:
        """Probabilities, or scores with `probability` "none", of all classes in their order."""
        examples = self._read(X)
        classes = self._model.num_classes
        if examples.size * classes * 8 > self.memory_limit:
            raise ValueError(
                f"The result for {examples.size:,} examples and {classes:,} classes would take "
                f"{examples.size * classes * 8 / 2**30:.1f} GiB; `memory_limit` allows "
                f"{self.memory_limit / 2**30:.1f} GiB. Use predict_top_k(X, k) or "
                "predict_proba(X, top_k=k), or give fewer examples at a time."
            )
        result = np.empty((examples.size, classes))
        predictor = self._predictor(classes, probability)
        step = max(1, _BLOCK // classes)
        for start in range(0, examples.size, step):
            stop = min(start + step, examples.size)
            part = examples if step >= examples.size else examples.rows(start, stop)
            ids = np.empty((stop - start, classes), dtype=np.uint32)
            found = np.empty(ids.shape, dtype=np.float32)
            if probability == "none":
                part.predict(predictor, ids, found, None)
            else:
                part.predict(predictor, ids, None, found)
            self._spread(ids, found, result[start:stop], -np.inf if probability == "none" else 0)
        return result

    def _spread(self, ids: np.ndarray, found: np.ndarray, into: np.ndarray, other: float) -> None:
        """Writes what was found for the classes into their columns."""
        missing = ids == _NONE
        if missing.any():
            into[:] = other
            rows, places = np.nonzero(~missing)
            into[rows, self._columns_by_id[ids[rows, places]]] = found[rows, places]
        else:
            np.put_along_axis(into, self._columns_by_id[ids], found, axis=1)

    def decision_function(self, X: Any) -> np.ndarray:
        """The scores of all classes.

        Parameters
        ----------
        X : {array-like, sparse matrix, table, texts, path}
            Examples.

        Returns
        -------
        scores : ndarray of shape (n_samples, n_classes) or (n_samples,)
            In the order of `classes_`. For two classes, by how much the second is better than the
            first. A class that the method does not reach has -inf.
        """
        scores = self._over_all_classes(X, "none")
        if scores.shape[1] == 2:
            return scores[:, 1] - scores[:, 0]
        return scores

    @available_if(_has_probabilities)
    def predict_proba(
        self, X: Any, top_k: int | None = None
    ) -> "np.ndarray | scipy.sparse.csr_array":
        """The probabilities of all classes, or of the best ones.

        Parameters
        ----------
        X : {array-like, sparse matrix, table, texts, path}
            Examples.
        top_k : int or None, default=None
            With a number, only this many most probable classes of each example are in the
            result, which is sparse. Without, all classes are scored, and a result of more than
            `memory_limit` bytes is refused.

        Returns
        -------
        probabilities : ndarray or csr_array of shape (n_samples, n_classes)
            In the order of `classes_`; each row of an ndarray has the sum 1.
        """
        if top_k is None:
            probabilities = self._over_all_classes(X, "exact")
            # They come as float32, whose sum is 1 to seven digits only.
            probabilities /= probabilities.sum(axis=1, keepdims=True)
            return probabilities
        from scipy.sparse import csr_array

        check_is_fitted(self)
        self._check_k(top_k)
        ids, found = self._best(X, int(top_k), "auto")
        assert found is not None
        shape = (len(ids), self._model.num_classes)
        is_there = ids != _NONE
        indptr = np.concatenate(([0], is_there.sum(axis=1).cumsum()))
        columns = self._columns_by_id[ids[is_there]]
        result = csr_array((found[is_there], columns, indptr), shape=shape)
        result.sort_indices()
        return result

    @available_if(_has_probabilities)
    def predict_log_proba(self, X: Any) -> np.ndarray:
        """The logarithms of the probabilities of all classes.

        Parameters
        ----------
        X : {array-like, sparse matrix, table, texts, path}
            Examples.

        Returns
        -------
        log_probabilities : ndarray of shape (n_samples, n_classes)
            In the order of `classes_`.
        """
        with np.errstate(divide="ignore"):
            return np.log(self.predict_proba(X))

    def score(self, X: Any, y: Any = None, sample_weight: Any = None) -> float:
        """The share of right answers.

        Parameters
        ----------
        X : {array-like, sparse matrix, table, texts, path}
            Examples.
        y : array-like of shape (n_samples,) or None, default=None
            Their labels; None if X is a file that has them. Labels that the training did not see
            count as errors, with a warning.
        sample_weight : array-like of shape (n_samples,) or None, default=None
            How much each example counts.

        Returns
        -------
        accuracy : float
            From 0 to 1.
        """
        check_is_fitted(self)
        if is_path(X):
            return self._score_of_file(X, y, sample_weight)
        y = checked_labels(y)
        joined_type(self.classes_.dtype, y.dtype)
        answers = self.predict(X)
        check_consistent_length(answers, y)
        _warn_of_unseen(np.setdiff1d(encoded(y)[0], self.classes_))
        return float(accuracy_score(y, answers, sample_weight=sample_weight))

    def _score_of_file(self, path: Any, y: Any, sample_weight: Any) -> float:
        if sample_weight is not None:
            raise ValueError("The weights of a file's examples are in the file: `weight_column`.")
        dataset = labelled_dataset(self, path, y, self._model, self.classes_.dtype)
        answers = np.empty((dataset.size, 1), dtype=np.uint32)
        with library_errors():
            self._predictor(1, "none").predict_dataset(dataset, answers, None, None)
        _warn_of_unseen(dataset.report["unseen_label_names"])
        # A label that the training did not see is _NONE, which is no answer.
        return float(np.mean(answers[:, 0] == dataset.classes))


def _warn_of_unseen(labels: Any) -> None:
    if len(labels) == 0:
        return
    shown = ", ".join(repr(label) for label in np.asarray(labels)[:5].tolist())
    more = ", ..." if len(labels) > 5 else ""
    warnings.warn(
        f"y has labels that the training did not see: {shown}{more}. They count as errors.",
        UserWarning,
        stacklevel=3,
    )
