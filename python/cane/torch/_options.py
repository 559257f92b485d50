"""The ways of selection, what a layer allows with each method, and the checks of its options."""

import types

import torch
from torch import Tensor

from cane import _core

# The rows of the library's table of methods that have an output layer: all but the online trees.
METHODS = {
    name: types.SimpleNamespace(**row)
    for name, row in _core.methods().items()
    if row["has_objective"] or row["is_hierarchical"]
}
_RANKS = next(field for field in _core.fields("train") if field["name"] == "rank")
MAX_RANK = int(_RANKS["most"])

# What each part of a selection gives: candidates of each example, or of the whole batch.
SELECTIONS = {"proposal": "own", "beam": "own", "frequent": "shared", "batch": "shared"}
DEFAULT_SELECTION = "proposal"
NOISES = ("auto", "proposal", "counts", "uniform")
PROPOSALS = ("auto", "low-rank", "tree")
REDUCTIONS = ("none", "mean", "sum")

# Up to here a pass over all classes at low rank costs less than it gains over a tree: its product
# reads rank numbers for each class, the tree those of a few thousand clusters.
LOW_RANK_CLASSES = 131_072


def one_of(option: str, value: str, values) -> str:
    """The value; an error names the option and what there is."""
    if value not in values:
        raise ValueError(f"{option}: there is no {value!r}; there are {', '.join(values)}")
    return value


def parts_of(select: str, method: str) -> list[str]:
    """The parts of a union such as "frequent+batch+proposal"; none for methods that select none."""
    if not METHODS[method].has_candidates:
        if select != DEFAULT_SELECTION:
            raise ValueError(f'select: {method!r} has no candidates; it goes with method="cane"')
        return []
    parts = [one_of("select", part, SELECTIONS) for part in select.split("+")]
    if len(set(parts)) < len(parts):
        raise ValueError(f"select: {select!r} names a part twice")
    if sum(SELECTIONS[part] == "own" for part in parts) > 1:
        raise ValueError("select: proposal and beam exclude each other")
    return parts


def counts_of_parts(candidates: int | dict[str, int], parts: list[str], classes: int) -> dict:
    """How many candidates each part gives; a number holds for all parts but "batch"."""
    sized = [part for part in parts if part != "batch"]
    if isinstance(candidates, dict):
        if set(candidates) != set(sized):
            raise ValueError(
                f"candidates: must name {', '.join(sized) or 'nothing'}, "
                f"but names {', '.join(candidates) or 'nothing'}"
            )
        counts = dict(candidates)
    else:
        counts = dict.fromkeys(sized, candidates)
    for part, count in counts.items():
        if count < 1:
            raise ValueError(f"candidates: {part} must have at least 1, but has {count}")
    return {part: min(count, classes) for part, count in counts.items()}


def noise_of(noise: str, method: types.SimpleNamespace, parts: list[str], has_counts: bool) -> str:
    """The noise law of the layer: "proposal", "counts" or "uniform"."""
    one_of("noise", noise, NOISES)
    alone = method.has_candidates and parts == ["proposal"]
    if noise == "auto":
        if alone:
            return "proposal"
        return "counts" if has_counts and not method.takes_uniform_noise_only else "uniform"
    if noise == "proposal" and not alone:
        raise ValueError(
            'noise: "proposal" goes with method="cane" and select="proposal"; a union draws from '
            '"counts" or "uniform"'
        )
    if noise == "counts" and not has_counts:
        raise ValueError('noise: "counts" needs class_counts')
    if noise != "uniform" and method.takes_uniform_noise_only:
        raise ValueError("noise: this method is correct for uniform noises only")
    return noise


def proposal_of(proposal: str, classes: int) -> str:
    """The kind of proposal: "low-rank" or "tree"."""
    one_of("proposal", proposal, PROPOSALS)
    if proposal != "auto":
        return proposal
    return "low-rank" if classes <= LOW_RANK_CLASSES else "tree"


def has_prior(prior: bool | None, parts: list[str], is_tied: bool) -> bool:
    """Whether the proposal is part of the scores: where there is one, unless the weight is tied,
    which then is all that an embedding and the scores have in common."""
    if prior and "proposal" not in parts:
        raise ValueError('prior: needs a proposal; it goes with select="proposal" or a union')
    return "proposal" in parts and not is_tied if prior is None else prior


def check_sizes(in_features: int, num_classes: int, noises: int, rank: int) -> None:
    """The numbers that every layer has."""
    if in_features < 1:
        raise ValueError(f"in_features: must be positive, but is {in_features}")
    if not 2 <= num_classes < 2**31:
        raise ValueError(f"num_classes: must be at least 2 and below 2^31, but is {num_classes}")
    if noises < 1:
        raise ValueError(f"noises: must be at least 1, but is {noises}")
    if not 1 <= rank <= MAX_RANK:
        raise ValueError(f"rank: must be between 1 and {MAX_RANK}, but is {rank}")


def check_losses(reduction: str, smoothing: float, method: str, row: types.SimpleNamespace) -> None:
    """What a loss is made of."""
    one_of("reduction", reduction, REDUCTIONS)
    if not 0 <= smoothing < 1:
        raise ValueError(f"label_smoothing: must be at least 0 and below 1, but is {smoothing}")
    if smoothing > 0 and not row.trains_all_classes:
        raise ValueError(
            f"label_smoothing: {method!r} does not look at all classes; "
            'it goes with method="softmax"'
        )


def checked_counts(counts, num_classes: int) -> Tensor | None:
    """The counts as int64 on the CPU."""
    if counts is None:
        return None
    counts = torch.as_tensor(counts).cpu()
    if counts.shape != (num_classes,) or counts.is_floating_point() or counts.min() < 0:
        raise ValueError(
            f"class_counts: must be {num_classes} integers, one for each class, none negative"
        )
    return counts.long()
