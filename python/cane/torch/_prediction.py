"""What a layer predicts: probabilities, normalisers and the best classes, exactly, by blocks of
classes: only `log_prob` of all classes keeps a score for each."""

import math
from collections.abc import Iterator

import torch
from torch import Tensor

from cane.torch import _losses
from cane.torch._losses import blocks, member_scores

# Examples times classes of a tree that are scored at once.
MEMBERS_AT_ONCE = 1 << 23


class Prediction:
    """The predictions of a layer."""

    def _flat(self, hidden: Tensor) -> Tensor:
        if hidden.shape[-1] != self.in_features:
            raise ValueError(
                f"hidden: has {hidden.shape[-1]} features, but in_features is {self.in_features}"
            )
        return hidden.reshape(-1, self.in_features).float()

    def _own_masses(self) -> Tensor:
        """The law of the noises, of the classes whose rows are here."""
        return self.selection.masses

    def _score_blocks(self, hidden: Tensor) -> Iterator[tuple[Tensor, Tensor]]:
        """Classes [n] and their scores [B, n], all in turn; log-probabilities for a tree."""
        with _losses.without_autocast(hidden.device):
            if self.clusters is not None:
                yield from self._tree_blocks(hidden)
                return
            bias = self.class_bias()
            if self.facts.learns_ratio_to_noise:
                bias = bias + self._own_masses().log()
            for part in blocks(hidden, self.weight):
                scores = torch.addmm(bias[part], hidden, self.weight[part].float().t())
                yield torch.arange(part.start, part.stop, device=hidden.device), scores

    def _tree_blocks(self, hidden: Tensor) -> Iterator[tuple[Tensor, Tensor]]:
        clusters = self.clusters
        of_clusters = self.cluster_scores(hidden).log_softmax(1)
        step = max(1, MEMBERS_AT_ONCE // max(1, len(hidden) * clusters.size))
        for begin in range(0, clusters.count, step):
            numbers = torch.arange(begin, min(begin + step, clusters.count), device=hidden.device)
            members = clusters.members(numbers.unsqueeze(0))[0]
            names = members.clamp_min(0).long()
            rows, bias = self.weight[names].float(), self.class_bias()[names]
            scores = torch.addmm(bias, hidden, rows.t()).masked_fill(members < 0, -math.inf)
            scores = scores.unflatten(1, (-1, clusters.size)).log_softmax(2)
            scores = (scores + of_clusters[:, numbers].unsqueeze(2)).flatten(1)
            yield names[members >= 0], scores[:, members >= 0]

    def _scores_of(self, hidden: Tensor, classes: Tensor) -> Tensor:
        """The scores [B, n] of classes [B, n], or [1, n] for all; log-probabilities for a tree."""
        if self.clusters is not None:
            found = hidden.new_empty(classes.shape)
            for names, scores in self._score_blocks(hidden):
                place = torch.full((self.num_classes,), -1, device=hidden.device)
                place[names] = torch.arange(len(names), device=hidden.device)
                at = place[classes]
                found = torch.where(at >= 0, scores.gather(1, at.clamp_min(0)), found)
            return found
        if classes.shape[0] == 1:
            rows, bias = self.weight[classes[0]].float(), self.class_bias()[classes[0]]
            scores = torch.addmm(bias, hidden, rows.t())
        else:
            scores = member_scores(hidden, self.weight, self.bias, classes)
        if self.facts.learns_ratio_to_noise:
            scores = scores + self._own_masses()[classes.clamp_min(0)].log()
        return scores

    def _log_sum(self, hidden: Tensor) -> Tensor:
        """The log of the sum of e^score over all classes [B]; zero for a tree."""
        if self.clusters is not None:
            return hidden.new_zeros(hidden.shape[0])
        total = hidden.new_full((hidden.shape[0],), -math.inf)
        for _, scores in self._score_blocks(hidden):
            total = torch.logaddexp(total, scores.logsumexp(1))
        return total

    def _best(self, hidden: Tensor, k: int) -> tuple[Tensor, Tensor]:
        best = hidden.new_empty((hidden.shape[0], 0))
        classes = torch.empty((hidden.shape[0], 0), dtype=torch.int64, device=hidden.device)
        for names, scores in self._score_blocks(hidden):
            own, places = scores.topk(min(k, scores.shape[1]), 1)
            best, classes = torch.cat([best, own], 1), torch.cat([classes, names[places]], 1)
            best, places = best.topk(min(k, best.shape[1]), 1)
            classes = classes.gather(1, places)
        return best, classes

    def _all_scores(self, hidden: Tensor) -> Tensor:
        """The scores [B, num_classes] of all classes."""
        names, scores = zip(*self._score_blocks(hidden), strict=True)
        scores = torch.cat(scores, 1)
        return scores if self.clusters is None else scores[:, torch.cat(names).argsort()]

    # A layer whose classes are on several ranks predicts for the examples of all of them.
    def _everyone(self, rows: Tensor) -> Tensor:
        return rows

    def _own(self, found: Tensor) -> Tensor:
        return found

    def log_prob(self, hidden: Tensor, classes: Tensor | None = None) -> Tensor:
        """Exact log-probabilities: of all classes [.., num_classes], which is differentiable, or of
        `classes` [.., n], which is not."""
        flat = self._everyone(self._flat(hidden))
        if classes is None:
            scores = self._all_scores(flat)
            scores = scores if self.clusters is not None else scores.log_softmax(1)
            return self._own(scores).reshape(*hidden.shape[:-1], self.num_classes)
        self._check_asked(hidden, classes)
        with torch.no_grad():
            names = self._everyone(classes.reshape(-1, classes.shape[-1]))
            scores = self._scores_of(flat, names) - self._log_sum(flat).unsqueeze(1)
        return self._own(scores).view(classes.shape)

    def _check_asked(self, hidden: Tensor, classes: Tensor) -> None:
        from cane.torch.layer import check_classes

        if tuple(classes.shape[: hidden.dim() - 1]) != tuple(hidden.shape[:-1]):
            raise ValueError(
                f"classes: has shape {tuple(classes.shape)}, but hidden has {tuple(hidden.shape)}"
            )
        is_class = (classes >= 0) & (classes < self.num_classes)
        check_classes("classes", classes, is_class, f"no class of {self.num_classes}")

    @torch.no_grad()
    def log_normalizer(self, hidden: Tensor, exact: bool = True) -> Tensor:
        """The log of the sum of e^score over all classes [..]: exact, or estimated from the list of
        the next step."""
        flat = self._everyone(self._flat(hidden))
        if exact or self.selection is None:
            return self._own(self._log_sum(flat)).view(hidden.shape[:-1])
        if self.facts.learns_ratio_to_noise:
            raise ValueError(f"log_normalizer: {self.method} has no scores that could be summed")
        lists = self.selection.lists(None, self.step)
        scores = self._scores_of(flat, lists.classes.expand(1, -1)) + lists.offsets
        return self._own(scores.logsumexp(1)).view(hidden.shape[:-1])

    @torch.no_grad()
    def top_k(self, hidden: Tensor, k: int, exact: bool = True) -> tuple[Tensor, Tensor]:
        """The k best scores [.., k], best first (log-probabilities for hsm), and their classes.

        With exact=False, which is for "hsm", only the classes of the best clusters are looked at.
        """
        if not 1 <= k <= self.num_classes:
            raise ValueError(f"k: must be between 1 and {self.num_classes}, but is {k}")
        flat = self._everyone(self._flat(hidden))
        scores, classes = self._best(flat, k) if exact else self._search(flat, k)
        shape = (*hidden.shape[:-1], k)
        return self._own(scores).view(shape), self._own(classes).view(shape)

    def _search(self, hidden: Tensor, k: int) -> tuple[Tensor, Tensor]:
        if self.clusters is None:
            raise ValueError(
                f"exact=False: a layer with method {self.method!r} has nothing to search with; take "
                "exact=True"
            )
        of_clusters = self.cluster_scores(hidden).log_softmax(1)
        width = min(self.clusters.count, max(4, math.ceil(4 * k / self.clusters.size)))
        best = of_clusters.topk(width, 1)
        members = self.clusters.members(best.indices)
        inside = member_scores(hidden, self.weight, self.bias, members)
        inside = inside.unflatten(1, (-1, self.clusters.size)).log_softmax(2)
        scores = (inside + best.values.unsqueeze(2)).flatten(1)
        top = scores.topk(k, 1)
        return top.values, members.gather(1, top.indices).long()

    def predict(self, hidden: Tensor, exact: bool = True) -> Tensor:
        """The best class [..]."""
        return self.top_k(hidden, 1, exact)[1].squeeze(-1)
