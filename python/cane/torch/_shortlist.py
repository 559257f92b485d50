"""The shortlists of a batch and their losses, on top of the operators."""

from typing import NamedTuple

import torch
from torch import Tensor

from cane.torch._clusters import Clusters
from cane.torch._row_gradients import RowBuffers
from cane.torch._shapes import vectors


class Shortlist(NamedTuple):
    """For each example the classes that count, in the columns that operators.h describes."""

    own_classes: Tensor
    shared_classes: Tensor
    visible_after: Tensor
    log_q: Tensor
    label_at: Tensor
    drawn: Tensor
    own_candidates: int
    fixed: int
    own_noises: int
    shared_noises: int

    @property
    def candidates(self) -> int:
        """The columns of candidates, which come first."""
        return self.own_candidates + self.shared_classes.shape[0] - 1 - self.shared_noises

    def columns(self) -> Tensor:
        """The class in each column of the scores [B, stride], -1 where there is none."""
        shared = self.shared_classes.unsqueeze(0).expand(self.own_classes.shape[0], -1)
        return self.in_columns(self.own_classes, shared, -1)

    def in_columns(self, own: Tensor, shared: Tensor, nothing: float) -> Tensor:
        """What belongs to own classes [B, ..] and to shared ones [B, ..] in the columns of the
        scores [B, stride]; `nothing` is in those that are padding."""
        split = shared.shape[1] - 1 - self.shared_noises
        first, label = self.own_candidates, self.own_candidates + 1
        parts = [own[:, :first], shared[:, :split], own[:, first:label], shared[:, split + 1 :]]
        columns = torch.cat([*parts, own[:, label:]], 1)
        missing = vectors(columns.shape[1]) - columns.shape[1]
        return torch.nn.functional.pad(columns, (0, missing), value=nothing)


def scores_of(
    hidden: Tensor, weight: Tensor, bias: Tensor, lists: Shortlist, rows: RowBuffers | None = None
) -> Tensor:
    """The scores [B, stride] of a shortlist; backward gives rows where there are buffers."""
    buffers = (None, None, None) if rows is None else rows.arguments()
    return torch.ops.cane.class_scores(
        hidden,
        weight,
        bias,
        lists.own_classes,
        lists.shared_classes,
        lists.own_noises,
        lists.shared_noises,
        *buffers,
    )


def losses_of(scores: Tensor, lists: Shortlist, num_classes: int, method: str) -> Tensor:
    """The loss of each example."""
    return torch.ops.cane.shortlist_loss(
        scores,
        lists.visible_after,
        lists.log_q,
        lists.label_at,
        lists.drawn,
        lists.own_candidates,
        lists.fixed,
        num_classes,
        method,
    )[0]


def own_classes_alone(classes: Tensor, labels: Tensor, label_at: Tensor) -> Shortlist:
    """A softmax over an example's own classes [B, n], the label at the position label_at."""
    is_padding = labels < -1
    none = -classes.new_ones(1)
    return Shortlist(
        own_classes=torch.nn.functional.pad(
            classes.masked_fill(is_padding.unsqueeze(1), -1), (0, 1), value=-1
        ),
        shared_classes=none,
        visible_after=classes.new_empty(0),
        log_q=torch.zeros((classes.shape[0], 1), device=classes.device),
        label_at=label_at.to(torch.int32),
        drawn=-is_padding.to(torch.int32),
        own_candidates=classes.shape[1],
        fixed=0,
        own_noises=0,
        shared_noises=0,
    )


def class_scores_alone(hidden: Tensor, weight: Tensor, bias: Tensor, classes: Tensor) -> Tensor:
    """The scores [B, n] of classes [B, n], minus infinity where there is none."""
    labels = torch.zeros(classes.shape[0], dtype=torch.int64, device=classes.device)
    return scores_of(hidden, weight, bias, own_classes_alone(classes, labels, labels))[
        :, : classes.shape[1]
    ]


def tree_losses(
    hidden: Tensor,
    cluster_scores: Tensor,
    weight: Tensor,
    bias: Tensor,
    clusters: Clusters,
    labels: Tensor,
    rows: RowBuffers | None,
) -> Tensor:
    """-log p(cluster of the label) - log p(label given its cluster), zero for padding."""
    cluster = clusters.of_classes(labels)
    of_cluster = torch.nn.functional.cross_entropy(cluster_scores, cluster, reduction="none")
    lists = own_classes_alone(
        clusters.members(cluster.unsqueeze(1)), labels, clusters.position_of(labels)
    )
    of_member = losses_of(
        scores_of(hidden, weight, bias, lists, rows), lists, clusters.num_classes, "cane"
    )
    return of_cluster.masked_fill(labels < 0, 0.0) + of_member
