"""Exact predictions, by blocks of classes: only log_prob of all classes keeps a score for each."""

import math
from collections.abc import Iterator

import torch
from torch import Tensor

from cane.torch._shortlist import class_scores_alone

_SCORES_AT_A_TIME = 1 << 23


def _steps(total: int, size: int) -> Iterator[slice]:
    for begin in range(0, total, size):
        yield slice(begin, min(begin + size, total))


def _score_blocks(layer, hidden: Tensor) -> Iterator[tuple[Tensor, Tensor]]:
    """Classes [n] and their scores [B, n], together all classes; log-probabilities for a tree."""
    size = max(256, _SCORES_AT_A_TIME // max(1, hidden.shape[0]))
    clusters = layer.clusters
    if clusters is None:
        for part in _steps(layer.num_classes, size):
            weight, bias = layer.weight[part].float(), layer.class_bias[part]
            scores = torch.nn.functional.linear(hidden, weight, bias).float()
            if layer.prior is not None:
                scores = scores + layer.prior.prior_of_range(hidden, part.start, part.stop)
            if layer.is_ratio_to_noise:
                scores = scores + layer.selection.masses[part].log()
            yield torch.arange(part.start, part.stop, device=hidden.device), scores
        return
    of_clusters = layer.cluster_scores(hidden)
    if layer.is_tree:
        of_clusters = of_clusters.log_softmax(1)
    for part in _steps(clusters.count, max(1, size // clusters.size)):
        numbers = torch.arange(part.start, part.stop, device=hidden.device)
        members = clusters.members(numbers.unsqueeze(0))[0]
        rows = members.clamp_min(0).long()
        weight, bias = layer.weight[rows].float(), layer.class_bias[rows]
        scores = torch.nn.functional.linear(hidden, weight, bias).float()
        scores = scores.masked_fill(members < 0, -math.inf).unflatten(1, (-1, clusters.size))
        if layer.is_tree:
            scores = scores.log_softmax(2)
        scores = (scores + of_clusters[:, part].unsqueeze(2)).flatten(1)
        yield rows[members >= 0], scores[:, members >= 0]


def log_normalizer(layer, hidden: Tensor) -> Tensor:
    """The log of the sum of e^score over all classes [B]; zero for a tree."""
    if layer.is_tree:
        return hidden.new_zeros(hidden.shape[0])
    total = hidden.new_full((hidden.shape[0],), -math.inf)
    for _, scores in _score_blocks(layer, hidden):
        total = torch.logaddexp(total, scores.logsumexp(1))
    return total


def log_prob(layer, hidden: Tensor) -> Tensor:
    """Log-probabilities [B, K] of all classes; differentiable."""
    blocks = list(_score_blocks(layer, hidden))
    scores = torch.cat([scores for _, scores in blocks], 1)
    classes = torch.cat([classes for classes, _ in blocks])
    if layer.clusters is not None:
        scores = scores[:, classes.argsort()]
    return scores if layer.is_tree else scores.log_softmax(1)


def class_scores(layer, hidden: Tensor, classes: Tensor) -> Tensor:
    """The scores [B, n] of classes [B, n]; log-probabilities for a tree."""
    scores = class_scores_alone(hidden, layer.weight, layer.class_bias, classes.to(torch.int32))
    if layer.prior is not None:
        scores = scores + layer.prior.prior_of_classes(hidden, classes)
    if layer.is_ratio_to_noise:
        scores = scores + layer.selection.masses[classes.long().clamp_min(0)].log()
    if layer.clusters is None:
        return scores
    of_clusters = layer.cluster_scores(hidden)
    clusters = layer.clusters.of_classes(classes)
    if layer.is_tree:
        of_clusters = of_clusters.log_softmax(1)
        sums = torch.full_like(of_clusters, math.inf)
        for column in range(classes.shape[1]):
            numbers = clusters[:, column : column + 1]
            members = layer.clusters.members(numbers)
            inside = class_scores_alone(hidden, layer.weight, layer.class_bias, members)
            sums.scatter_(1, numbers, inside.logsumexp(1, keepdim=True))
        scores = scores - sums.gather(1, clusters)
    return scores + of_clusters.gather(1, clusters)


def top_k(layer, hidden: Tensor, k: int) -> tuple[Tensor, Tensor]:
    """The k best scores and their classes, best first."""
    best = hidden.new_empty((hidden.shape[0], 0))
    classes = torch.empty((hidden.shape[0], 0), dtype=torch.int64, device=hidden.device)
    for names, scores in _score_blocks(layer, hidden):
        best = torch.cat([best, scores], 1)
        classes = torch.cat([classes, names.expand(hidden.shape[0], -1)], 1)
        best, places = best.topk(min(k, best.shape[1]), 1)
        classes = classes.gather(1, places)
    return best, classes


def top_k_of(layer, hidden: Tensor, classes: Tensor, k: int) -> tuple[Tensor, Tensor]:
    """The k best of classes [B, n], -1 where there is none."""
    scores = class_scores(layer, hidden, classes).masked_fill(classes < 0, -math.inf)
    best, places = scores.topk(k, 1)
    return best, classes.long().gather(1, places)
