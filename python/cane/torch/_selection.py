"""The list of a batch: classes whose scores are columns of one matrix that all examples share, and how
a label that is in none of them takes the place of a noise (docs/mathematics.md#pooled).

The columns are first shared classes S, which count as they are: the most frequent ones, and the labels
of the batch, of which an example's own counts for it only if another example has it too. Then come n
slots of noises, drawn from a law q over the classes that are not frequent, lessened by log(n q). A
label in S is there. Another one takes the place of one slot, that of the example's number in the
batch, which does not depend on the label. A slot whose class is in S is dead for the example.
"""

import math
from typing import NamedTuple

import torch
from torch import Tensor

# The share of noises that is drawn uniformly where the law is skewed, which bounds 1 / q
# (src/core/noise/noise_source.h).
NOISE_FLOOR = 0.1
# Added to a score that does not count, instead of infinity, which has no differences.
DEAD = -1e30
_BITS = 53


class Lists(NamedTuple):
    """A batch's list; None stands for what no example has."""

    classes: Tensor  # [C], the columns
    offsets: Tensor  # [C], added to the scores of the columns
    dead: list[Tensor]  # [B] each: columns that do not count for one example, C for none
    label_at: Tensor  # [B], the column of the label, C if it is in none
    label_offset: Tensor  # [B], added to the score of a label that is in none


def _shifted(words: Tensor, bits: int) -> Tensor:
    """A shift to the right that brings in zeros."""
    return (words >> bits) & ((1 << (64 - bits)) - 1)


def _signed(word: int) -> int:
    return word - (1 << 64) if word >= 1 << 63 else word


def _mixed(words: Tensor) -> Tensor:
    """The mixing function of SplitMix64."""
    words = (words ^ _shifted(words, 30)) * _signed(0xBF58476D1CE4E5B9)
    words = (words ^ _shifted(words, 27)) * _signed(0x94D049BB133111EB)
    return words ^ _shifted(words, 31)


def random_words(seed: int, step: Tensor, place: Tensor) -> Tensor:
    """Random int64, one for each place, a pure function of the arguments on every device: a stream of
    SplitMix64 that begins where seed and step say."""
    golden = _signed(0x9E3779B97F4A7C15)
    begin = _mixed(step * golden + _signed(seed * 0xD1342543DE82EF95 % 2**64))
    return _mixed(place * golden + begin)


def law_of(counts: Tensor | None, power: float, frequent: Tensor, classes: int) -> Tensor:
    """The probabilities [classes], float32, of drawing each class: 0 for the frequent ones, and for
    the others in proportion to their counts to the power, with a uniform share."""
    weights = torch.ones(classes, dtype=torch.float64)
    if counts is not None:
        weights = counts.double().clamp_min(1) ** power
    outside = torch.ones(classes, dtype=torch.bool).index_fill_(0, frequent.long(), False)
    weights = weights * outside
    weights /= weights.sum().clamp_min(1e-300)
    floor = outside / outside.sum().clamp_min(1)
    return ((1 - NOISE_FLOOR) * weights + NOISE_FLOOR * floor).float()


class Selection(torch.nn.Module):
    """The frequent classes and the law of the noises, as buffers."""

    def __init__(
        self,
        num_classes: int,
        parts: list[str],
        frequent: int,
        noises: int | None,
        class_counts: Tensor | None,
        noise: str,
        noise_power: float,
        seed: int,
        device=None,
    ) -> None:
        super().__init__()
        self.noises, self.noise_power, self.seed = noises, noise_power, seed
        self.has_batch = "batch" in parts
        names = torch.empty(0, dtype=torch.int32)
        if frequent > 0:
            # Equal counts: the lower class, on every device.
            order = class_counts.argsort(descending=True, stable=True)
            names = order[:frequent].sort().values.to(torch.int32)
        law = law_of(class_counts if noise == "counts" else None, noise_power, names, num_classes)
        self.register_buffer("frequent", names.to(device))
        self.register_buffer("masses", law.to(device))
        self.register_buffer("cumulated", self._cumulated(), persistent=False)

    def _cumulated(self) -> Tensor:
        """The law summed up, as integers, which compare alike on every device."""
        masses = self.masses.cpu().double()
        total = masses.cumsum(0)
        total = (total / total[-1].clamp_min(1e-300) * 2**_BITS).round().long()
        return total.to(self.masses.device)

    def _load_from_state_dict(self, state, prefix, *arguments) -> None:
        # What the first layers had in addition can be computed, and lists of another size are those
        # of this layer's options.
        for name in ("cells", "outcomes", "columns"):
            state.pop(f"{prefix}{name}", None)
        saved = state.get(f"{prefix}frequent")
        if saved is not None and saved.shape != self.frequent.shape:
            state[f"{prefix}frequent"], state[f"{prefix}masses"] = self.frequent, self.masses
        elif saved is not None:
            order = saved.sort()
            state[f"{prefix}frequent"] = order.values
        super()._load_from_state_dict(state, prefix, *arguments)
        self.cumulated = self._cumulated()

    def slots_of(self, examples: int) -> int:
        """How many slots a batch has; 0 where all classes are listed."""
        # What examples of a batch have in common, their draws, is felt the less the more slots there
        # are for each; beyond a few thousand they cost more than they bring.
        outside = self.masses.shape[0] - self.frequent.shape[0]
        if self.noises is not None:
            return self.noises if outside > 0 else 0
        slots = min(max(8 * examples, 1024), 8192)
        return slots if slots < outside else 0

    def draw(self, step: Tensor, count: int) -> Tensor:
        """The classes of the slots [count]."""
        slots = torch.arange(count, device=self.masses.device)
        bits = _shifted(random_words(self.seed, step, slots), 64 - _BITS)
        drawn = torch.searchsorted(self.cumulated, bits, right=True)
        return drawn.clamp_max(self.masses.shape[0] - 1)

    @torch.no_grad()
    def lists(self, labels: Tensor | None, step: Tensor) -> Lists:
        """The list of a batch with these labels, negative for padding; None: of no example."""
        frequent = self.frequent.long()
        slots = self.slots_of(1024 if labels is None else len(labels))
        if slots == 0:
            frequent = torch.arange(self.masses.shape[0], device=frequent.device)
        drawn = self.draw(step, slots)
        log_slots = self.masses.log() + math.log(max(1, slots))
        offsets = torch.cat([log_slots.new_zeros(len(frequent)), -log_slots[drawn]])
        classes = torch.cat([frequent, drawn])
        if labels is None:
            return Lists(classes, offsets, [], None, None)
        of_labels = -log_slots[labels.clamp_min(0)]
        if self.has_batch and slots > 0:
            return self._with_batch(labels, frequent, drawn, offsets, of_labels)
        at, is_there = _places(frequent, labels)
        label_at = at.masked_fill(~is_there | (labels < 0), len(classes))
        dead = [_taken(label_at, slots, len(classes))] if slots > 0 else []
        return Lists(classes, offsets, dead, label_at, of_labels.clamp_max(-DEAD))

    def _with_batch(self, labels, frequent, drawn, offsets, of_labels) -> Lists:
        fixed, examples, slots = len(frequent), len(labels), len(drawn)
        at, is_frequent = _places(frequent, labels)
        # A label has the column of the first example that has it.
        ordered, order = labels.sort(stable=True)
        begins = torch.searchsorted(ordered, labels)
        owners = torch.searchsorted(ordered, labels, right=True) - begins
        own = torch.arange(examples, device=labels.device)
        first_owner = order[begins]
        lives = (labels >= 0) & ~is_frequent & (first_owner == own)
        classes = torch.cat([frequent, torch.where(labels < 0, drawn[:1], labels), drawn])
        is_listed = _places(ordered, drawn)[1]
        batch_offsets = torch.zeros(examples, device=labels.device).masked_fill(~lives, DEAD)
        slot_offsets = offsets[fixed:].masked_fill(is_listed, DEAD)
        none = len(classes)
        is_single = lives & (owners == 1)
        label_at = torch.where(is_frequent, at, fixed + first_owner)
        label_at = label_at.masked_fill((labels < 0) | is_single, none)
        dead = [(fixed + own).masked_fill(~is_single, none)]
        dead += [_taken(label_at, slots, none)]
        # To the only example with a label its class is one outside S: slots that have drawn it, beside
        # the one it takes, count with it.
        sorted_drawn = drawn.sort().values
        times = torch.searchsorted(sorted_drawn, labels, right=True)
        times = times - torch.searchsorted(sorted_drawn, labels)
        times = times - (drawn[own % slots] == labels).long()
        label_offset = (times + 1).clamp_min(1).float().log() + of_labels
        return Lists(
            classes,
            torch.cat([offsets[:fixed], batch_offsets, slot_offsets]),
            dead,
            label_at,
            label_offset.clamp_max(-DEAD),
        )


def _taken(label_at: Tensor, slots: int, columns: int) -> Tensor:
    """The columns of the slots, the last ones, whose places labels take; `columns` where none."""
    taken = columns - slots + torch.arange(len(label_at), device=label_at.device) % slots
    return taken.masked_fill(label_at != columns, columns)


def _places(ascending: Tensor, classes: Tensor) -> tuple[Tensor, Tensor]:
    """Where classes stand in a list, and whether they do."""
    if len(ascending) == 0:
        return torch.zeros_like(classes), torch.zeros_like(classes, dtype=torch.bool)
    at = torch.searchsorted(ascending, classes).clamp_max(len(ascending) - 1)
    return at, ascending[at] == classes
