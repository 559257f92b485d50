"""`ClassParallelOutput`: the classes of an output layer divided among the ranks of a process group.

Each rank owns a range of classes and keeps their rows and the optimiser's state alone. For a step the
hidden states and targets of all ranks are gathered; all ranks make the same list of them, the one that
one process makes, and each scores the columns it owns. What the ranks add up are one normaliser and the
score of one label for each example. The way back reaches the rank's own rows, and the gradients of the
hidden states are summed over the ranks. It is Partial FC without its bias: no class is left out.
"""

import functools
import math

import torch
import torch.distributed as dist
from torch import Tensor, nn

from cane.torch import _options
from cane.torch._collectives import GatherExamples, OwnPart, gathered, own_part, summed
from cane.torch._losses import FullLoss, ListLoss, Slopes
from cane.torch._selection import DEAD, Lists
from cane.torch.layer import CaneOutput

__all__ = ["ClassParallelOutput"]


class Share:
    """The classes that a rank owns: equal ranges, the last rank has the rest."""

    def __init__(self, classes: int, group) -> None:
        self.group = group
        self.rank, self.ranks = dist.get_rank(group), dist.get_world_size(group)
        self.size = math.ceil(classes / self.ranks)
        self.first = self.rank * self.size
        self.last = min(self.first + self.size, classes)
        self.classes = classes
        if classes <= (self.ranks - 1) * self.size:
            raise ValueError(f"num_classes: {classes} are too few for {self.ranks} ranks")

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

    def sum(self, values: Tensor) -> Tensor:
        return summed(values, self.group)

    def log_sum(self, values: Tensor) -> Tensor:
        return gathered(values, self.group).view(self.ranks, -1).logsumexp(0)


def pooled_over_ranks(scores: Tensor, label: Tensor, lists: Lists, share: Share, is_own, is_in):
    """`_losses.pooled`, where a rank has some of the columns and knows the scores of some labels."""
    label = share.sum(label.masked_fill(~is_own, 0.0))
    columns = scores.logsumexp(1) if scores.shape[1] > 0 else torch.full_like(label, DEAD)
    columns = share.log_sum(columns)
    of_label = label + lists.label_offset
    total = torch.where(is_in, columns, torch.logaddexp(columns, of_label))
    shares = (scores - total.unsqueeze(1)).exp()
    is_here = lists.label_at < scores.shape[1]
    if scores.shape[1] > 0:
        at = lists.label_at.masked_fill(~is_here, 0).unsqueeze(1)
        shares.scatter_add_(1, at, -is_here.to(shares.dtype).unsqueeze(1))
    slope = ((of_label - total).exp() - 1).masked_fill(is_in | ~is_own, 0.0)
    return Slopes(total - label, shares, torch.ones_like(total), slope)


class ClassParallelOutput(CaneOutput):
    """A `CaneOutput` whose classes are divided among the ranks of `process_group`.

    Every rank makes it with the same arguments and calls it with as many examples of its own. The
    arguments are those of `CaneOutput`, without `tied_weight`, `class_order` and `label_smoothing`;
    `method` is "cane" or "softmax".

    `log_prob`, `top_k`, `predict` and `log_normalizer` are called by all ranks together, too.
    `state_dict()` is the rank's own part; `full_state_dict()` is that of a `CaneOutput`, and
    `load_full_state_dict()` takes one, on any number of ranks.
    """

    def __init__(
        self, in_features: int, num_classes: int, *, process_group=None, method="cane", **options
    ) -> None:
        for name in ("tied_weight", "class_order", "label_smoothing"):
            if name in options:
                raise ValueError(f"{name}: not possible where the classes are divided")
        _options.one_of("method", method, _options.METHODS)
        if method not in ("cane", "softmax"):
            raise ValueError(
                f"method: {method!r} cannot be divided by classes; take cane or softmax"
            )
        self.__dict__["share"] = Share(num_classes, process_group or dist.group.WORLD)
        super().__init__(in_features, num_classes, method=method, **options)

    def _rows_here(self) -> int:
        return self.share.last - self.share.first

    def _losses(self, hidden: Tensor, labels: Tensor, step: Tensor) -> Tensor:
        group = self.share.group
        self._check_sizes(hidden)
        everyone = GatherExamples.apply(hidden, group)
        return OwnPart.apply(self._losses_of_all(everyone, gathered(labels, group), step), group)

    def _losses_of_all(self, hidden: Tensor, labels: Tensor, step: Tensor) -> Tensor:
        share = self.share
        local = share.localized(labels)
        if self.facts.trains_all_classes:
            return FullLoss.apply(hidden, self.weight, self.class_bias(), local, 0.0, share)
        lists = self.selection.lists(labels, step)
        is_in = lists.label_at < len(lists.classes)
        mine = share.localized(lists.classes)
        is_mine = mine >= 0
        count = is_mine.sum()
        # The number of each column among those of the rank; the last is that of no column.
        number = torch.where(is_mine, is_mine.cumsum(0) - 1, count)
        number = torch.cat([number, count.unsqueeze(0)])
        # How many there are is what the host has to wait for.
        lists = lists._replace(
            classes=mine[is_mine],
            offsets=lists.offsets[is_mine],
            dead=[number[dead] for dead in lists.dead],
            label_at=number[lists.label_at],
        )
        slopes_of = functools.partial(
            pooled_over_ranks, share=share, is_own=local >= 0, is_in=is_in
        )
        return ListLoss.apply(hidden, self.weight, self.bias, local, lists, slopes_of, self._sink())

    def class_rows(self):
        raise TypeError(
            "class_rows: the classes are on several ranks; load the full_state_dict() into a "
            "CaneOutput"
        )

    def _check_sizes(self, hidden: Tensor) -> None:
        if hidden.device.type != "cpu":
            return  # reading the sizes would wait for the device
        sizes = gathered(torch.tensor([hidden.shape[0]]), self.share.group)
        if (sizes != hidden.shape[0]).any():
            raise ValueError(
                f"hidden: ranks have {sizes.tolist()} examples, but must have as many each"
            )

    def _everyone(self, rows: Tensor) -> Tensor:
        self._check_sizes(rows)
        return gathered(rows, self.share.group)

    def _own(self, found: Tensor) -> Tensor:
        return own_part(found, self.share.group)

    @torch.no_grad()
    def _all_scores(self, hidden: Tensor) -> Tensor:
        return self.share.whole(super()._all_scores(hidden).t()).t()

    def _log_sum(self, hidden: Tensor) -> Tensor:
        return self.share.log_sum(super()._log_sum(hidden))

    def _scores_of(self, hidden: Tensor, classes: Tensor) -> Tensor:
        local = self.share.localized(classes)
        scores = super()._scores_of(hidden, local.clamp_min(0))
        return self.share.sum(scores.masked_fill(local < 0, 0.0))

    def _best(self, hidden: Tensor, k: int) -> tuple[Tensor, Tensor]:
        scores, classes = super()._best(hidden, min(k, self.weight.shape[0]))
        missing = (0, k - scores.shape[1])
        scores = nn.functional.pad(scores, missing, value=-math.inf)
        classes = nn.functional.pad(classes + self.share.first, missing)
        scores = torch.cat(gathered(scores, self.share.group).chunk(self.share.ranks), 1)
        classes = torch.cat(gathered(classes, self.share.group).chunk(self.share.ranks), 1)
        best = scores.topk(k, 1)
        return best.values, classes.gather(1, best.indices)

    def full_state_dict(self) -> dict[str, Tensor]:
        """The state of a `CaneOutput` with all classes, on every rank."""
        return {
            name: self.share.whole(value) if name in ("weight", "bias") else value.detach().clone()
            for name, value in self.state_dict().items()
        }

    def load_full_state_dict(self, state: dict[str, Tensor]) -> None:
        """Takes this rank's part of the state of a `CaneOutput`, or of `full_state_dict()`."""
        self.load_state_dict(
            {
                name: self.share.part(value) if name in ("weight", "bias") else value
                for name, value in state.items()
            }
        )
