"""Proposals: cheap models of p(class given x) that are trained together with the layer, by their own
likelihood on hidden states that do not feel it. The best classes of a proposal are the candidates,
and noises are drawn from it outside them. As a prior a proposal is part of the scores of the layer:
what classes that are seldom drawn score is then what the proposal has learned about them, and not
what their own rows, which few examples have corrected, make of it."""

import math

import torch
from torch import Tensor

from cane.torch._clusters import Clusters, cluster_size
from cane.torch._row_gradients import RowBuffers
from cane.torch._shortlist import (
    Shortlist,
    class_scores_alone,
    losses_of,
    scores_of,
    tree_losses,
)

# The classes that are summed and searched as one: with C candidates, C blocks are looked into.
_BLOCK = 64


class Proposal(torch.nn.Module):
    """A softmax at low rank over all classes, or a softmax over clusters and one in each."""

    def __init__(
        self,
        kind: str,
        in_features: int,
        num_classes: int,
        rank: int,
        order: Tensor | None,
        class_counts: Tensor | None,
        device=None,
    ) -> None:
        super().__init__()
        self.is_tree = kind == "tree"
        size = cluster_size(num_classes) if self.is_tree else _BLOCK
        self.clusters = Clusters(num_classes, size, order if self.is_tree else None, device)
        self.projection = torch.nn.Parameter(torch.empty((in_features, rank), device=device))
        self.rows = torch.nn.Parameter(torch.empty((num_classes, rank), device=device))
        self.bias = torch.nn.Parameter(torch.empty(num_classes, device=device))
        if self.is_tree:
            count = self.clusters.count
            self.cluster_weight = torch.nn.Parameter(torch.empty((count, rank), device=device))
            self.cluster_bias = torch.nn.Parameter(torch.empty(count, device=device))
        self.buffers_of_rows = RowBuffers(num_classes, rank, device)
        self.reset_parameters(class_counts)

    @torch.no_grad()
    def reset_parameters(self, class_counts: Tensor | None) -> None:
        """A proposal starts with the class frequencies, independent of x."""
        torch.nn.init.normal_(self.projection, std=1 / math.sqrt(self.projection.shape[0]))
        torch.nn.init.zeros_(self.rows)
        torch.nn.init.zeros_(self.bias)
        if self.is_tree:
            torch.nn.init.zeros_(self.cluster_weight)
            torch.nn.init.zeros_(self.cluster_bias)
        if class_counts is None:
            return
        shares = class_counts.to(self.bias.device).double().clamp_min(1)
        shares = shares / shares.sum()
        self.bias.copy_(shares.log())
        if self.is_tree:
            of_class = self.clusters.of_classes(torch.arange(len(shares), device=shares.device))
            masses = shares.new_zeros(self.clusters.count).index_add_(0, of_class, shares)
            self.cluster_bias.copy_(masses.log())

    def features(self, hidden: Tensor) -> Tensor:
        """The hidden states [B, D] at low rank; they get no gradient."""
        return (hidden.detach() @ self.projection.to(hidden.dtype)).float()

    def _cluster_scores(self, features: Tensor) -> Tensor:
        return torch.nn.functional.linear(features, self.cluster_weight, self.cluster_bias).float()

    @torch.no_grad()
    def masses(self, features: Tensor) -> tuple[Tensor, Tensor]:
        """For each block the bound by which it is searched, and its log-mass: [B, blocks]."""
        if self.is_tree:
            log_mass = self._cluster_scores(features).log_softmax(1)
            return log_mass, log_mass
        return torch.ops.cane.proposal_blocks(features, self.rows, self.bias, self.clusters.size)

    @torch.no_grad()
    def candidates(self, features: Tensor, high: Tensor, count: int) -> Tensor:
        """The most probable classes [B, count] int32, -1 where there are fewer.

        At low rank they are exactly these: the best `count` classes lie in the `count` blocks with
        the largest scores. In a tree they are the best of the most probable clusters.
        """
        opened = count if not self.is_tree else max(4, math.ceil(4 * count / self.clusters.size))
        best = high.topk(min(opened, self.clusters.count), 1)
        members = self.clusters.members(best.indices)
        scores = class_scores_alone(features, self.rows, self.bias, members)
        if self.is_tree:
            inside = scores.unflatten(1, (-1, self.clusters.size)).log_softmax(2)
            scores = (inside + best.values.unsqueeze(2)).flatten(1)
        top = scores.topk(min(count, scores.shape[1]), 1)
        classes = members.gather(1, top.indices)
        return classes.masked_fill(top.values == -math.inf, -1)

    @torch.no_grad()
    def noises(
        self,
        features: Tensor,
        log_mass: Tensor,
        candidates: Tensor,
        labels: Tensor,
        count: int,
        seed: int,
        step: Tensor,
    ) -> tuple[Tensor, Tensor]:
        """Noises [B, count] outside the candidates, and log q of label and noises."""
        tables = (features, self.rows, self.bias, self.clusters.order, self.clusters.places)
        size = self.clusters.size
        outside = torch.ops.cane.proposal_outside(*tables, log_mass, size, self.is_tree, candidates)
        return torch.ops.cane.proposal_noises(
            *tables, outside, size, candidates, labels, count, seed, step
        )

    def losses(self, features: Tensor, lists: Shortlist, labels: Tensor, records: bool) -> Tensor:
        """The losses that train it: exact for a tree, else that of CANE on the same shortlist."""
        rows = self.buffers_of_rows if records else None
        if self.is_tree:
            return tree_losses(
                features,
                self._cluster_scores(features),
                self.rows,
                self.bias,
                self.clusters,
                labels,
                rows,
            )
        scores = scores_of(features, self.rows, self.bias, lists, rows)
        return losses_of(scores, lists, self.clusters.num_classes, "cane")

    def prior(self, hidden: Tensor, lists: Shortlist) -> Tensor:
        """What it adds to the scores of a shortlist [B, stride]. Hidden states feel it; its tables
        do not, which learn by their own loss alone."""
        features = self._prior_features(hidden)
        if self.is_tree:
            return self._prior_of(features, lists.columns())
        of_shared = self._prior_of_table(features, lists.shared_classes.long().clamp_min(0))
        return lists.in_columns(self._prior_of(features, lists.own_classes), of_shared, 0.0)

    def prior_of_classes(self, hidden: Tensor, classes: Tensor) -> Tensor:
        """What it adds to the scores of classes [B, n]; any number where there is none."""
        return self._prior_of(self._prior_features(hidden), classes)

    def prior_of_range(self, hidden: Tensor, first: int, last: int) -> Tensor:
        """What it adds to the scores of the classes from `first` to before `last`."""
        classes = torch.arange(first, last, device=hidden.device)
        return self._prior_of_table(self._prior_features(hidden), classes)

    def folded(self) -> tuple[Tensor, Tensor]:
        """The prior as rows [K, in_features] and biases [K], to be added to those of the layer."""
        classes = torch.arange(self.clusters.num_classes, device=self.rows.device)
        rows, bias = self._prior_table(classes)
        return rows @ self.projection.detach().t(), bias

    def _prior_features(self, hidden: Tensor) -> Tensor:
        return (hidden @ self.projection.detach().to(hidden.dtype)).float()

    def _prior_table(self, classes: Tensor) -> tuple[Tensor, Tensor]:
        # In a tree it is the score of the cluster: what a member adds is known to scale within its
        # cluster only, and to sum over each cluster would cost more than the rows of the layer.
        if self.is_tree:
            clusters = self.clusters.of_classes(classes)
            return self.cluster_weight.detach()[clusters], self.cluster_bias.detach()[clusters]
        return self.rows.detach()[classes], self.bias.detach()[classes]

    def _prior_of_table(self, features: Tensor, classes: Tensor) -> Tensor:
        return torch.nn.functional.linear(features, *self._prior_table(classes)).float()

    def _prior_of(self, features: Tensor, classes: Tensor) -> Tensor:
        if self.is_tree:
            tables = (self.cluster_weight.detach(), self.cluster_bias.detach())
            scores = torch.nn.functional.linear(features, *tables).float()
            return scores.gather(1, self.clusters.of_classes(classes))
        rows, bias = self._prior_table(classes.long().clamp_min(0))
        return (rows * features.unsqueeze(1)).sum(2) + bias

    def reserve(self, examples: int, lists_own: int, shared: int, own_noises: int, slots) -> None:
        """Room for the rows of a backward pass; see RowBuffers.reserve."""
        if self.is_tree:
            lists_own, shared, own_noises = self.clusters.size + 1, 1, 0
        self.buffers_of_rows.reserve(examples, lists_own, shared, own_noises, slots)
