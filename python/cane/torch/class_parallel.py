"""`ClassParallelOutput`: the classes of an output layer divided among the ranks of a process group.

Each rank owns a range of classes and keeps their rows and the optimiser's state alone. For a step the
hidden states and targets of all ranks are gathered; each rank proposes candidates among its own
classes; the best of all ranks are the candidates, and the noises are those that one process draws,
so that all ranks have the same shortlists. Each rank scores the classes it owns, the scores are summed,
and the loss is computed everywhere. The way back reaches the rank's own rows, and the gradients of the
hidden states are summed over the ranks. It is Partial FC without its bias: no class is left out.
"""

import math
import types

import torch
import torch.distributed as dist
from torch import Tensor, nn

from cane.torch import _evaluation, _options
from cane.torch._class_shares import ParallelProposal, ParallelSoftmax, Share, scores_of_all
from cane.torch._collectives import GatherExamples, OwnPart, gathered, own_part, summed
from cane.torch._selection import Selection
from cane.torch._shortlist import losses_of
from cane.torch._tables import ClassTables
from cane.torch.layer import CaneOutput

__all__ = ["ClassParallelOutput"]


class ClassParallelOutput(CaneOutput):
    """A `CaneOutput` whose classes are divided among the ranks of `process_group`.

    Every rank makes it with the same arguments and calls it with as many examples of its own. The
    arguments are those of `CaneOutput`, without `tied_weight`, `class_order` and `label_smoothing`;
    `select` may be "proposal" (low rank), "frequent", "batch" or a union, and `method` is any but
    "hsm".

    `log_prob`, `top_k`, `predict` and `log_normalizer` are called by all ranks together, too.
    `state_dict()` is the rank's own part; `full_state_dict()` is that of a `CaneOutput`, and
    `load_full_state_dict()` takes one, on any number of ranks.
    """

    def __init__(
        self,
        in_features: int,
        num_classes: int,
        *,
        process_group=None,
        candidates=64,
        noises=16,
        select=_options.DEFAULT_SELECTION,
        method="cane",
        class_counts=None,
        bias=True,
        noise="auto",
        noise_power=0.75,
        rank=32,
        prior=None,
        reduction="mean",
        ignore_index=-100,
        seed=1,
        row_gradients=False,
        dtype=torch.float32,
        device=None,
    ) -> None:
        _options.check_sizes(in_features, num_classes, noises, rank)
        row = _options.METHODS[_options.one_of("method", method, _options.METHODS)]
        if row.is_hierarchical:
            raise ValueError(f"method: {method!r} is a tree, which cannot be divided by classes")
        _options.check_losses(reduction, 0.0, method, row)
        share = Share(num_classes, process_group or dist.group.WORLD)
        ClassTables.__init__(self, in_features, share.last - share.first, bias, None, dtype, device)
        self.share, self.num_classes, self.method = share, num_classes, method
        self.reduction, self.ignore_index = reduction, ignore_index
        self.label_smoothing, self.row_gradients = 0.0, row_gradients
        self.is_ratio_to_noise = row.learns_ratio_to_noise
        self.trains_all_classes = row.trains_all_classes
        self._make_selection(
            row,
            candidates,
            noises,
            select,
            class_counts,
            noise,
            noise_power,
            rank,
            prior,
            seed,
            device,
        )
        self.register_buffer("step", torch.zeros((), dtype=torch.int64, device=device))
        self.attach_rows()

    def _make_selection(
        self,
        row,
        candidates,
        noises,
        select,
        class_counts,
        noise,
        noise_power,
        rank,
        prior,
        seed,
        device,
    ) -> None:
        self.selection = None
        if not row.has_noises:
            return
        parts = _options.parts_of(select, self.method)
        self.has_prior = _options.has_prior(prior, parts, is_tied=False)
        if "beam" in parts:
            raise ValueError('select: "beam" goes down a tree, which cannot be divided by classes')
        counts = _options.counts_of_parts(candidates, parts, self.num_classes) if parts else {}
        class_counts = _options.checked_counts(class_counts, self.num_classes)
        noise = _options.noise_of(noise, row, parts, class_counts is not None)
        proposal = None
        if "proposal" in parts:
            proposal = ParallelProposal(self.in_features, rank, self.share, class_counts, device)
        self.selection = Selection(
            self.num_classes,
            self.method,
            parts,
            counts,
            noise,
            noises,
            noise_power,
            seed,
            class_counts,
            proposal,
            device,
        )

    def _losses(self, hidden: Tensor, labels: Tensor, step: Tensor):
        group = self.share.group
        self._check_sizes(hidden)
        everyone = GatherExamples.apply(hidden, group)
        all_labels = gathered(labels, group)
        losses, beside = self._losses_of_all(everyone, all_labels, step)
        beside = None if beside is None else OwnPart.apply(beside, group)
        return OwnPart.apply(losses, group), beside

    def _losses_of_all(self, hidden: Tensor, labels: Tensor, step: Tensor):
        if self.trains_all_classes:
            losses = ParallelSoftmax.apply(hidden, self.weight, self.class_bias, labels, self.share)
            return losses, None
        lists, features = self.selection(hidden, labels, step, None)
        rows = self.rows if self.row_gradients else None
        scores = self.shortlist_scores(hidden, None, lists, rows)
        losses = losses_of(scores, lists, self.num_classes, self.method)
        if features is None:
            return losses, None
        return losses, self.selection.proposal.losses(features, lists, labels, self.row_gradients)

    def shortlist_scores(self, hidden: Tensor, of_clusters, lists, rows=None) -> Tensor:
        scores = scores_of_all(hidden, self.weight, self.class_bias, lists, rows, self.share)
        return scores if self.prior is None else scores + self.prior.prior(hidden, lists)

    def class_rows(self):
        raise TypeError(
            "class_rows: the classes are on several ranks; load the full_state_dict() into a "
            "CaneOutput"
        )

    def prepare_rows(self, examples: int) -> None:
        super().prepare_rows(examples * self.share.ranks)

    def _check_sizes(self, hidden: Tensor) -> None:
        if hidden.device.type != "cpu":
            return  # reading the sizes would wait for the device
        sizes = gathered(torch.tensor([hidden.shape[0]]), self.share.group)
        if (sizes != hidden.shape[0]).any():
            raise ValueError(
                f"hidden: ranks have {sizes.tolist()} examples, but must have as many each"
            )

    def _local_view(self):
        """The classes of this rank, as the functions of _evaluation take a layer."""
        masses = None if self.selection is None else self.share.part(self.selection.masses)
        return types.SimpleNamespace(
            num_classes=self.weight.shape[0],
            weight=self.weight,
            class_bias=self.class_bias,
            clusters=None,
            is_tree=False,
            is_ratio_to_noise=self.is_ratio_to_noise,
            prior=self.prior,
            selection=types.SimpleNamespace(masses=masses),
        )

    def _everyone(self, hidden: Tensor) -> Tensor:
        flat = self._flat(hidden).detach()
        self._check_sizes(flat)
        return gathered(flat, self.share.group)

    def _log_normalizer_of(self, everyone: Tensor) -> Tensor:
        own = _evaluation.log_normalizer(self._local_view(), everyone)
        return gathered(own, self.share.group).view(self.share.ranks, -1).logsumexp(0)

    @torch.no_grad()
    def log_normalizer(self, hidden: Tensor, exact: bool = True) -> Tensor:
        everyone = self._everyone(hidden)
        if exact:
            found = self._log_normalizer_of(everyone)
        else:
            if self.selection is None:
                raise ValueError("exact=False: the full softmax draws no noises to estimate with")
            labels = torch.full((len(everyone),), -1, dtype=torch.int64, device=everyone.device)
            lists, _ = self.selection(everyone, labels, self.step, None)
            scores = self.shortlist_scores(everyone, None, lists)
            found = self.selection.log_normalizer(scores, lists)
        return own_part(found, self.share.group).view(hidden.shape[:-1])

    @torch.no_grad()
    def log_prob(self, hidden: Tensor, classes: Tensor | None = None) -> Tensor:
        """Exact log-probabilities, of all classes or of `classes` [.., n]; not differentiable."""
        group = self.share.group
        everyone = self._everyone(hidden)
        log_normalizer = self._log_normalizer_of(everyone).unsqueeze(1)
        if classes is None:
            view = self._local_view()
            scores = torch.cat([s for _, s in _evaluation._score_blocks(view, everyone)], 1)
            scores = self.share.whole((scores - log_normalizer).t()).t()
            return own_part(scores, group).reshape(*hidden.shape[:-1], self.num_classes)
        local = self.share.localized(gathered(classes.reshape(-1, classes.shape[-1]), group))
        scores = _evaluation.class_scores(self._local_view(), everyone, local)
        scores = summed(scores.masked_fill(local < 0, 0.0), group) - log_normalizer
        return own_part(scores, group).reshape(classes.shape)

    @torch.no_grad()
    def top_k(self, hidden: Tensor, k: int, exact: bool = True) -> tuple[Tensor, Tensor]:
        """The k best scores [.., k], best first, and their classes."""
        if not exact:
            raise ValueError("exact=False: a layer that is divided by classes scores all of them")
        if not 1 <= k <= self.num_classes:
            raise ValueError(f"k: must be between 1 and {self.num_classes}, but is {k}")
        everyone = self._everyone(hidden)
        view = self._local_view()
        scores, classes = _evaluation.top_k(view, everyone, min(k, view.num_classes))
        missing = (0, k - scores.shape[1])
        scores = nn.functional.pad(scores, missing, value=-math.inf)
        classes = nn.functional.pad(classes + self.share.first, missing)
        ranks, group = self.share.ranks, self.share.group
        scores = torch.cat(gathered(scores, group).chunk(ranks), 1)
        classes = torch.cat(gathered(classes, group).chunk(ranks), 1)
        best = own_part(scores, group).topk(k, 1)
        found = own_part(classes, group).gather(1, best.indices)
        shape = (*hidden.shape[:-1], k)
        return best.values.view(shape), found.view(shape)

    def _divided(self) -> set[str]:
        """The names of the state that has a row for each class of the rank."""
        names = {"weight", "bias", "selection.proposal.rows", "selection.proposal.bias"}
        return names & set(self.state_dict())

    def full_state_dict(self) -> dict[str, Tensor]:
        """The state of a `CaneOutput` with all classes, on every rank."""
        divided = self._divided()
        return {
            name: self.share.whole(value) if name in divided else value.detach().clone()
            for name, value in self.state_dict().items()
        }

    def load_full_state_dict(self, state: dict[str, Tensor]) -> None:
        """Takes this rank's part of the state of a `CaneOutput`, or of `full_state_dict()`."""
        divided = self._divided()
        self.load_state_dict(
            {
                name: self.share.part(value) if name in divided else value
                for name, value in state.items()
            }
        )
