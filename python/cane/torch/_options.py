"""What a layer allows with each method, and the checks of its options."""

import types

import torch
from torch import Tensor

# Facts of the library's table of methods, of those that have an output layer; a test compares them.
# They are written here so that the layer runs where nothing of `cane` is compiled.
FACTS = (
    "has_candidates",
    "has_noises",
    "trains_all_classes",
    "takes_uniform_noise_only",
    "learns_ratio_to_noise",
    "is_hierarchical",
)
METHODS = {
    name: types.SimpleNamespace(**{fact: fact in facts for fact in FACTS})
    for name, facts in {
        "cane": ("has_candidates", "has_noises"),
        "softmax": ("trains_all_classes",),
        "nce": ("has_noises",),
        "neg": ("has_noises", "learns_ratio_to_noise"),
        "blackout": ("has_noises",),
        "ove": ("has_noises", "takes_uniform_noise_only"),
        "css": ("has_noises", "takes_uniform_noise_only"),
        "hsm": ("is_hierarchical",),
    }.items()
}
SELECTIONS = ("frequent", "batch")
NOISES = ("auto", "counts", "uniform")
REDUCTIONS = ("none", "mean", "sum")

DEFAULT_FREQUENT = 1024

_OWN_CANDIDATES = (
    "candidates of each example's own are gone: at equal time, columns that the batch shares learn "
    'more; take select="frequent" with class_counts, "batch" or "none"'
)
# Options that there were, and why they are gone.
RETIRED = {"proposal": _OWN_CANDIDATES, "rank": _OWN_CANDIDATES}


def refuse_retired(options: dict) -> None:
    """An error for options that there were, and for those that there never were."""
    for name in options:
        if name in RETIRED:
            raise ValueError(f"{name}: {RETIRED[name]}")
        raise TypeError(f"CaneOutput has no argument {name!r}")


def one_of(option: str, value: str, values) -> str:
    """The value; an error names the option and what there is."""
    if value not in values:
        raise ValueError(f"{option}: there is no {value!r}; there are {', '.join(values)}")
    return value


def parts_of(select: str, method: str, has_counts: bool) -> list[str]:
    """The parts of a union such as "frequent+batch"; none for methods that have no candidates."""
    if not METHODS[method].has_candidates:
        if select != "auto":
            raise ValueError(f'select: {method!r} has no candidates; it goes with method="cane"')
        return []
    if select == "auto":
        return ["frequent"] if has_counts else []
    if select == "none":
        return []
    parts = select.split("+")
    for part in parts:
        if part in ("proposal", "beam"):
            raise ValueError(f"select: {part!r}: {_OWN_CANDIDATES}")
        one_of("select", part, ("auto", "none", *SELECTIONS))
        if part not in SELECTIONS or parts.count(part) > 1:
            raise ValueError(f"select: {select!r} is no union; one is frequent+batch")
    if "frequent" in parts and not has_counts:
        raise ValueError('select: "frequent" needs class_counts')
    return parts


def frequent_of(candidates, noises, parts: list[str], classes: int) -> int:
    """How many frequent classes are listed."""
    if isinstance(candidates, dict):
        if set(candidates) != {"frequent"} & set(parts):
            raise ValueError(f"candidates: names {', '.join(candidates)}, which select does not")
        candidates = candidates.get("frequent")
    for option, number in (("candidates", candidates), ("noises", noises)):
        if number is not None and number < 1:
            raise ValueError(f"{option}: must be at least 1, but is {number}")
    if "frequent" not in parts:
        return 0
    return min(DEFAULT_FREQUENT if candidates is None else candidates, classes)


def noise_of(noise: str, method: str, has_counts: bool) -> str:
    """The noise law of the layer: "counts" or "uniform"."""
    if noise == "proposal":
        raise ValueError(f"noise: {_OWN_CANDIDATES}")
    one_of("noise", noise, NOISES)
    is_uniform = METHODS[method].takes_uniform_noise_only
    if noise == "auto":
        return "counts" if has_counts and not is_uniform else "uniform"
    if noise == "counts" and not has_counts:
        raise ValueError('noise: "counts" needs class_counts')
    if noise == "counts" and is_uniform:
        raise ValueError(f"noise: {method!r} is correct for uniform noises only")
    return noise


def check_sizes(in_features: int, num_classes: int) -> None:
    """The numbers that every layer has."""
    if in_features < 1:
        raise ValueError(f"in_features: must be positive, but is {in_features}")
    if not 2 <= num_classes < 2**31:
        raise ValueError(f"num_classes: must be at least 2 and below 2^31, but is {num_classes}")


def check_losses(reduction: str, smoothing: float, method: str) -> None:
    """What a loss is made of."""
    one_of("method", method, METHODS)
    one_of("reduction", reduction, REDUCTIONS)
    if not 0 <= smoothing < 1:
        raise ValueError(f"label_smoothing: must be at least 0 and below 1, but is {smoothing}")
    if smoothing > 0 and not METHODS[method].trains_all_classes:
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
