# Made by tools/make_stubs.py; do not edit.
import os
from typing import Any, Literal, Self

import numpy as np
import scipy.sparse
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator, ClassifierMixin

from cane._explain import Explanation

class Classifier(ClassifierMixin, BaseEstimator):
    classes_: np.ndarray
    n_features_in_: int
    feature_names_in_: np.ndarray
    class_vectors_: np.ndarray
    class_biases_: np.ndarray
    coverage_: float
    history_: list[dict[str, Any]]
    n_iter_: int
    calibration_: dict[str, Any]
    def __init__(
        self,
        method: Literal['auto', 'cane', 'softmax', 'nce', 'neg', 'blackout', 'ove', 'css', 'hsm', 'filter-tree', 'lomtree', 'recall-tree'] = 'auto',
        select: Literal['auto', 'beam', 'narrow', 'tree', 'exact', 'all', 'hsm', 'centroid', 'none', 'frequent', 'batch'] = 'auto',
        candidates: int | None = None,
        encoder: Literal['identity', 'bag', 'mlp', 'auto'] = 'auto',
        epochs: int | None = None,
        random_state: int | np.random.RandomState | None = None,
        n_jobs: int | None = None,
        verbose: int = 0,
        *,
        reuse: int | None = None,
        noises: int | None = None,
        scorer: Literal['auto', 'flat', 'path'] = 'auto',
        beam: int | None = None,
        noise: Literal['auto', 'uniform', 'unigram', 'proposal'] = 'auto',
        noise_terms: Literal['auto', 'separate', 'pooled'] = 'auto',
        noise_power: float = 0.75,
        rank: int | None = None,
        tree: str = 'clustered',
        arity: int = 32,
        pilot: Literal['off', 'on'] = 'on',
        nodes: int | None = None,
        swap_resistance: int = 16,
        dim: int = 128,
        layers: int = 1,
        dropout: float = 0.0,
        start: Literal['zero', 'means', 'auto'] = 'auto',
        lr: float | None = None,
        schedule: Literal['constant', 'linear'] = 'linear',
        whiten: Literal['auto', 'off'] = 'auto',
        optimizer: Literal['auto', 'sgd', 'adagrad'] = 'auto',
        batch: int | None = None,
        l2: float | None = None,
        clip: float = 0.0,
        deterministic: bool = False,
        memory: int | None = None,
        patience: int = 3,
        device: str = 'cpu',
        note: str = '',
        calibrate: bool = True,
        keep_best: bool = True,
        format: Literal['auto', 'svm', 'vw', 'fasttext', 'xmc', 'npy', 'csv', 'tsv', 'jsonl'] = 'auto',
        text_column: str = '',
        label_column: str = '',
        weight_column: str = '',
        features_columns: str = '',
        header: Literal['auto', 'yes', 'no'] = 'auto',
        on_error: Literal['stop', 'skip'] = 'stop',
        multi_label: Literal['auto', 'error', 'first', 'each'] = 'auto',
        cache_directory: str = '',
        use_cache: bool = True,
        tokenizer: Literal['auto', 'spaces', 'words'] = 'auto',
        feature_weights: Literal['auto', 'count', 'binary', 'tfidf'] = 'auto',
        normalize: Literal['auto', 'none', 'l2'] = 'auto',
        min_count: int = 1,
        hash_bits: int = 0,
        word_ngrams: int | None = None,
        char_ngrams: tuple[int, int] | None = None,
        ngram_bits: int = 0,
        ngram_count: int | None = None,
        class_weight: dict[Any, float] | Literal['balanced'] | None = None,
        warm_start: bool = False,
        callbacks: list[Any] | None = None,
        memory_limit: int = 2147483648,
    ) -> None: ...
    def fit(
        self,
        X: Any,
        y: Any = None,
        sample_weight: ArrayLike | None = None,
        *,
        validation: Any = None,
    ) -> Self: ...
    def partial_fit(
        self,
        X: Any,
        y: Any = None,
        classes: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
    ) -> Self: ...
    def predict(self, X: Any) -> np.ndarray: ...
    def predict_top_k(
        self,
        X: Any,
        k: int = 5,
        *,
        beam: int = 0,
        noises: int = 64,
        probability: Literal["none", "estimate", "exact", "auto"] = "auto",
        reject: float = 0.0,
    ) -> tuple[np.ndarray, np.ndarray]: ...
    def predict_proba(
        self, X: Any, top_k: int | None = None
    ) -> np.ndarray | scipy.sparse.csr_array: ...
    def predict_log_proba(self, X: Any) -> np.ndarray: ...
    def decision_function(self, X: Any) -> np.ndarray: ...
    def score(self, X: Any, y: Any = None, sample_weight: ArrayLike | None = None) -> float: ...
    def explain(self, X: Any, n_features: int = 10) -> list[Explanation]: ...
    def save(self, path: str | os.PathLike[str]) -> None: ...
    def export_onnx(self, path: str | os.PathLike[str]) -> None: ...
