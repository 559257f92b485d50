"""What a layer predicts: probabilities, normalisers and the best classes."""

import torch
from torch import Tensor

from cane.torch import _evaluation
from cane.torch._step import check_classes


class Prediction:
    """The predictions of a layer, on top of its tables and its selection."""

    def _flat(self, hidden: Tensor) -> Tensor:
        if hidden.shape[-1] != self.in_features:
            raise ValueError(
                f"hidden: has {hidden.shape[-1]} features, but in_features is {self.in_features}"
            )
        return hidden.reshape(-1, self.in_features).float()

    def log_prob(self, hidden: Tensor, classes: Tensor | None = None) -> Tensor:
        """Exact log-probabilities: of all classes [.., num_classes], which is differentiable, or of
        `classes` [.., n], which is not."""
        flat = self._flat(hidden)
        if classes is None:
            return _evaluation.log_prob(self, flat).view(*hidden.shape[:-1], -1)
        if tuple(classes.shape[: hidden.dim() - 1]) != tuple(hidden.shape[:-1]):
            raise ValueError(
                f"classes: has shape {tuple(classes.shape)}, but hidden has {tuple(hidden.shape)}"
            )
        is_class = (classes >= 0) & (classes < self.num_classes)
        check_classes("classes", classes, is_class, f"no class of {self.num_classes}")
        with torch.no_grad():
            names = classes.reshape(flat.shape[0], -1)
            scores = _evaluation.class_scores(self, flat, names)
            scores = scores - _evaluation.log_normalizer(self, flat).unsqueeze(1)
        return scores.view(classes.shape)

    @torch.no_grad()
    def log_normalizer(self, hidden: Tensor, exact: bool = True) -> Tensor:
        """The log of the sum of e^score over all classes [..]: exact, or estimated from the
        candidates and noises of the next step."""
        flat = self._flat(hidden)
        shape = hidden.shape[:-1]
        if exact or self.selection is None:
            return _evaluation.log_normalizer(self, flat).view(shape)
        if self.is_ratio_to_noise:
            raise ValueError(f"log_normalizer: {self.method} has no scores that could be summed")
        labels = torch.full((flat.shape[0],), -1, dtype=torch.int64, device=flat.device)
        own, of_clusters = None, None
        if self.clusters is not None:
            of_clusters = self.cluster_scores(flat)
            own = self.beam(flat, of_clusters, self.selection.own_candidates)
        lists, _ = self.selection(flat, labels, self.step, own)
        scores = self.shortlist_scores(flat, of_clusters, lists)
        return self.selection.log_normalizer(scores, lists).view(shape)

    @torch.no_grad()
    def top_k(self, hidden: Tensor, k: int, exact: bool = True) -> tuple[Tensor, Tensor]:
        """The k best classes [.., k], best first, and their scores (log-probabilities for hsm).

        With exact=False only the candidates of the proposal, the beam or the tree are scored.
        """
        if not 1 <= k <= self.num_classes:
            raise ValueError(f"k: must be between 1 and {self.num_classes}, but is {k}")
        flat = self._flat(hidden)
        if exact:
            scores, classes = _evaluation.top_k(self, flat, k)
        else:
            scores, classes = _evaluation.top_k_of(self, flat, self._search(flat, k), k)
        shape = (*hidden.shape[:-1], k)
        return scores.view(shape), classes.view(shape)

    def _search(self, hidden: Tensor, k: int) -> Tensor:
        if self.clusters is not None:
            return self.beam(hidden, self.cluster_scores(hidden), k)
        if self.selection is None or self.selection.proposal is None:
            raise ValueError(
                f"exact=False: a layer with method {self.method!r} and this selection has nothing "
                "to search with; take exact=True"
            )
        proposal = self.selection.proposal
        features = proposal.features(hidden)
        high, _ = proposal.masses(features)
        return proposal.candidates(features, high, max(k, self.selection.counts["proposal"]))

    def predict(self, hidden: Tensor, exact: bool = True) -> Tensor:
        """The best class [..]."""
        return self.top_k(hidden, 1, exact)[1].squeeze(-1)
