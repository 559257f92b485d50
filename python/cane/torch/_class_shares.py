"""The parts of a layer whose classes are divided among ranks: which classes a rank owns, and scores,
proposals and the full softmax over rows that lie on several ranks."""

import math

import torch
import torch.distributed as dist
from torch import Tensor, nn

from cane.torch._collectives import SharedByRanks, SumOverRanks, first_rank, gathered, summed
from cane.torch._proposal import _BLOCK, Proposal
from cane.torch._shortlist import Shortlist, class_scores_alone, losses_of, scores_of


class Share:
    """The classes that a rank owns: whole blocks of the proposal, the last rank has the rest."""

    def __init__(self, classes: int, group) -> None:
        self.group = group
        self.rank, self.ranks = dist.get_rank(group), dist.get_world_size(group)
        self.size = math.ceil(classes / self.ranks / _BLOCK) * _BLOCK
        self.first = self.rank * self.size
        self.last = min(self.first + self.size, classes)
        self.classes = classes
        if classes <= (self.ranks - 1) * self.size:
            raise ValueError(
                f"num_classes: {classes} are too few for {self.ranks} ranks, which own multiples of "
                f"{_BLOCK} classes; take fewer ranks, or CaneOutput"
            )

    def localized(self, classes: Tensor) -> Tensor:
        """The rows of classes on this rank, -1 for those of other ranks."""
        owned = (classes >= self.first) & (classes < self.last)
        return torch.where(owned, classes - self.first, -torch.ones_like(classes))

    def part(self, table: Tensor) -> Tensor:
        return table[self.first : self.last]

    def whole(self, table: Tensor) -> Tensor:
        """The tables of all ranks as one [classes, ..]."""
        missing = self.size - table.shape[0]
        padding = table.detach().new_zeros((missing, *table.shape[1:]))
        return gathered(torch.cat([table.detach(), padding]), self.group)[: self.classes]


def scores_of_all(hidden, weight, bias, lists: Shortlist, rows, share: Share) -> Tensor:
    """The scores of a shortlist whose rows lie on several ranks."""
    own = lists._replace(
        own_classes=share.localized(lists.own_classes),
        shared_classes=share.localized(lists.shared_classes),
    )
    scores = scores_of(hidden, weight, bias, own, rows)
    scores = torch.where(own.columns() >= 0, scores, torch.zeros_like(scores))
    scores = SumOverRanks.apply(scores, share.group)
    return scores.masked_fill(lists.columns() < 0, -math.inf)


class ParallelProposal(Proposal):
    """A proposal at low rank over the classes of a rank; the projection is the same on all."""

    def __init__(self, in_features, rank, share: Share, class_counts, device) -> None:
        super().__init__(
            "low-rank", in_features, share.last - share.first, rank, None, None, device
        )
        self.share = share
        if class_counts is not None:
            shares = class_counts.double().clamp_min(1)
            self.bias.data.copy_(share.part((shares / shares.sum()).log()))
        dist.broadcast(self.projection.data, first_rank(share.group), group=share.group)

    def features(self, hidden: Tensor) -> Tensor:
        return SharedByRanks.apply(super().features(hidden), self.share.group)

    @torch.no_grad()
    def candidates(self, features: Tensor, high: Tensor, count: int) -> Tensor:
        own = super().candidates(features, high, min(count, self.rows.shape[0]))
        scores = class_scores_alone(features, self.rows, self.bias, own)
        own = torch.where(own >= 0, own + self.share.first, own)
        missing = (0, count - own.shape[1])
        own = nn.functional.pad(own, missing, value=-1)
        scores = nn.functional.pad(scores, missing, value=-math.inf)
        ranks = self.share.ranks
        all_scores = torch.cat(gathered(scores, self.share.group).chunk(ranks), 1)
        all_classes = torch.cat(gathered(own, self.share.group).chunk(ranks), 1)
        top = all_scores.topk(count, 1)
        return all_classes.gather(1, top.indices).masked_fill(top.values == -math.inf, -1)

    @torch.no_grad()
    def noises(self, features, log_mass, candidates, labels, count, seed, step):
        """As one process draws them: a rank finds those that fall to its own classes."""
        share = self.share
        local = share.localized(candidates)
        tables = (features, self.rows, self.bias, self.clusters.order, self.clusters.places)
        outside = torch.ops.cane.proposal_outside(
            *tables, log_mass, self.clusters.size, False, local
        )
        masses = gathered(outside.logsumexp(1), share.group).view(share.ranks, -1)
        none = torch.full_like(masses[:1], -math.inf)
        before = torch.cat([none, masses[: share.rank]]).logsumexp(0)
        after = torch.cat([none, masses[share.rank + 1 :]]).logsumexp(0)
        own_labels = torch.where(labels == -2, labels, share.localized(labels))
        classes, log_q = torch.ops.cane.proposal_noises(
            *tables,
            outside,
            self.clusters.size,
            local,
            own_labels,
            count,
            seed,
            step,
            torch.stack([before, after], 1),
        )
        classes = torch.where(classes >= 0, classes + share.first, classes)
        dist.all_reduce(classes, dist.ReduceOp.MAX, group=share.group)
        dist.all_reduce(log_q, dist.ReduceOp.MIN, group=share.group)
        return classes, log_q

    def losses(self, features: Tensor, lists: Shortlist, labels: Tensor, records: bool) -> Tensor:
        rows = self.buffers_of_rows if records else None
        scores = scores_of_all(features, self.rows, self.bias, lists, rows, self.share)
        return losses_of(scores, lists, self.share.classes, "cane")

    def prior(self, hidden: Tensor, lists: Shortlist) -> Tensor:
        tables = (self.rows.detach(), self.bias.detach())
        return scores_of_all(self._prior_features(hidden), *tables, lists, None, self.share)


class ParallelSoftmax(torch.autograd.Function):
    """The losses of the full softmax: each rank sums over its own classes, by blocks."""

    @staticmethod
    def forward(context, hidden, weight, bias, labels, share):
        local = torch.where(labels == -2, labels, share.localized(labels))
        # Every example needs a normaliser here, whether this rank owns its label or not.
        _, log_normalizer = torch.ops.cane.softmax_loss(
            hidden, weight, bias, local.clamp_min(0), 0.0
        )
        parts = gathered(log_normalizer, share.group).view(share.ranks, -1)
        log_normalizer = parts.logsumexp(0)
        own = class_scores_alone(hidden, weight, bias, local.clamp_min(-1).int().unsqueeze(1))
        score = summed(own.squeeze(1).masked_fill(local < 0, 0.0), share.group)
        context.save_for_backward(hidden, weight, bias, labels, local, log_normalizer)
        return (log_normalizer - score).masked_fill(labels < 0, 0.0)

    @staticmethod
    def backward(context, gradient):
        hidden, weight, bias, labels, local, log_normalizer = context.saved_tensors
        gradient = gradient.masked_fill(labels < 0, 0.0)
        # The operator subtracts one at the label: class 0 stands for the labels of other ranks, and
        # what it was given too much is put back.
        in_hidden, in_weight, in_bias = torch.ops.cane.softmax_loss_backward(
            gradient, hidden, weight, bias, local.clamp_min(0), log_normalizer, 0.0
        )
        put_back = torch.where(local < 0, gradient, torch.zeros_like(gradient))
        in_hidden = in_hidden + put_back.unsqueeze(1) * weight[0].float()
        in_weight[0] += (put_back.unsqueeze(1) * hidden).sum(0).to(in_weight.dtype)
        in_bias[0] += put_back.sum()
        return in_hidden, in_weight, in_bias, None, None
