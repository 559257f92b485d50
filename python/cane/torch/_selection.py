"""Which classes compete with the label: candidates, which never depend on it, and noises."""

import math
from typing import NamedTuple

import torch
from torch import Tensor

from cane.torch._options import METHODS
from cane.torch._proposal import Proposal
from cane.torch._shortlist import Shortlist


class Selected(NamedTuple):
    """The shortlists, and what the proposal made of the hidden states, if there is one."""

    lists: Shortlist
    features: Tensor | None


class Selection(torch.nn.Module):
    """The noise law and the candidates of the batch, as buffers, and the proposal."""

    def __init__(
        self,
        num_classes: int,
        method: str,
        parts: list[str],
        counts: dict[str, int],
        noise: str,
        noises: int,
        noise_power: float,
        seed: int,
        class_counts: Tensor | None,
        proposal: Proposal | None,
        device=None,
    ) -> None:
        super().__init__()
        self.num_classes = num_classes
        self.method = method
        self.counts = counts
        self.has_batch = "batch" in parts
        self.draws_own = noise == "proposal"
        self.noises = noises
        self.noise_power = noise_power
        self.seed = seed
        self.proposal = proposal
        frequent = torch.empty(0, dtype=torch.int32)
        if "frequent" in parts:
            if class_counts is None:
                raise ValueError('select: "frequent" needs class_counts')
            # Equal counts: the lower class, on every device.
            order = class_counts.argsort(descending=True, stable=True)
            frequent = order[: counts["frequent"]].to(torch.int32)
        weights = class_counts if noise == "counts" else torch.ones(num_classes, dtype=torch.int64)
        law = torch.ops.cane.noise_law(weights, noise_power if noise == "counts" else 0.0, frequent)
        columns = torch.ops.cane.columns_of_classes(frequent, num_classes)
        buffers = dict(zip(("cells", "outcomes", "masses"), law, strict=True))
        for name, value in {**buffers, "frequent": frequent, "columns": columns}.items():
            self.register_buffer(name, value.to(device))

    @property
    def own_candidates(self) -> int:
        """How many candidates an example has of its own."""
        return self.counts.get("proposal", self.counts.get("beam", 0))

    def shape(self, examples: int) -> tuple[int, int, int]:
        """The places of own classes, of shared ones, and own noises of a batch."""
        own_noises = self.noises if self.draws_own else 0
        shared = len(self.frequent) + (examples if self.has_batch else 0)
        return (
            self.own_candidates + 1 + own_noises,
            shared + 1 + self.noises - own_noises,
            own_noises,
        )

    def forward(self, hidden: Tensor, labels: Tensor, step: Tensor, own: Tensor | None) -> Selected:
        """The shortlists; `own` are candidates that the layer has found itself."""
        features = None
        log_mass = None
        if self.proposal is not None:
            features = self.proposal.features(hidden)
            high, log_mass = self.proposal.masses(features.detach())
            own = self.proposal.candidates(features.detach(), high, self.counts["proposal"])
        with torch.no_grad():
            lists = self._shortlist(features, log_mass, labels, step, own)
        return Selected(lists, features)

    def _shortlist(self, features, log_mass, labels, step, own) -> Shortlist:
        examples = labels.shape[0]
        own = self.frequent.new_empty((examples, 0)) if own is None else own
        own_noises = self.frequent.new_empty((examples, 0))
        shared_noises = self.frequent.new_empty(0)
        log_q = None
        if self.draws_own:
            own_noises, log_q = self.proposal.noises(
                features.detach(), log_mass, own, labels, self.noises, self.seed, step
            )
        else:
            shared_noises = torch.ops.cane.draw_noises(
                self.cells, self.outcomes, self.seed, step, None, self.noises
            )
        shared, visible_after, columns = self.frequent, self.frequent.new_empty(0), self.columns
        if self.has_batch:
            batch, visible_after, columns = torch.ops.cane.batch_classes(
                labels, self.columns, self.frequent.shape[0]
            )
            shared = torch.cat([self.frequent, batch])
        own_classes, shared_classes, log_q, label_at, drawn = torch.ops.cane.shortlist(
            labels,
            own,
            shared,
            visible_after,
            own_noises,
            shared_noises,
            columns,
            self.masses,
            log_q,
            self.method,
        )
        return Shortlist(
            own_classes,
            shared_classes,
            visible_after,
            log_q,
            label_at,
            drawn,
            own.shape[1],
            self.frequent.shape[0],
            own_noises.shape[1],
            self.noises - own_noises.shape[1],
        )

    def log_normalizer(self, scores: Tensor, lists: Shortlist) -> Tensor:
        """An estimate [B] of the log of the sum over all classes of e^score.

        The candidates count as they are, the mean over the noises of e^score / q stands for all
        other classes.
        """
        first = lists.candidates + 1
        noises = scores[:, first : first + self.noises]
        log_q = lists.log_q[:, 1:]
        is_noise = torch.isfinite(log_q)
        terms = torch.where(is_noise, noises - log_q, torch.full_like(noises, -math.inf))
        count = is_noise.sum(1).clamp_min(1)
        outside = terms.logsumexp(1) - count.log()
        if not METHODS[self.method].has_candidates:
            return outside
        # Labels of the batch are no candidates where there are no labels.
        seen = lists.own_candidates + lists.fixed
        return torch.logaddexp(outside, scores[:, :seen].logsumexp(1))
