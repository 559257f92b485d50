"""Small problems, and the losses of a layer written out, example by example, in plain PyTorch."""

import math

import torch
from torch import Tensor

from cane.torch import CaneOutput

CLASSES, WIDTH, EXAMPLES = 70, 6, 20


def counts() -> Tensor:
    return torch.arange(CLASSES) % 17


# Every kind of list.
SELECTIONS = [
    {"class_counts": counts()},
    {"select": "frequent", "class_counts": counts(), "candidates": 9},
    {"select": "none", "class_counts": counts()},
    {"select": "none", "noises": 3},
    {"select": "batch"},
    {"select": "batch", "noises": 200},
    {"select": "frequent+batch", "class_counts": counts(), "candidates": 9, "noise": "uniform"},
]
SAMPLED = ["nce", "blackout", "neg", "css", "ove"]


def make_layer(**options) -> CaneOutput:
    """A layer whose tables are all random, so that nothing is zero by chance."""
    torch.manual_seed(3)
    lists_all = options.keys() == {"class_counts"} or options.get("method") in ("softmax", "hsm")
    defaults = {"seed": 5} if lists_all else {"seed": 5, "noises": 11}
    layer = CaneOutput(WIDTH, CLASSES, **{**defaults, **options})
    with torch.no_grad():
        for parameter in layer.parameters():
            parameter.normal_(std=0.7)
    return layer


def batch(padding: int = 0) -> tuple[Tensor, Tensor]:
    """Hidden states and targets, some of which occur twice; the last ones are padding."""
    torch.manual_seed(4)
    hidden = torch.randn(EXAMPLES, WIDTH)
    target = torch.randint(0, CLASSES, (EXAMPLES,))
    target[:4] = torch.tensor([7, 7, 15, 15])
    target[EXAMPLES - padding :] = -100
    return hidden.requires_grad_(), target


def all_scores(layer: CaneOutput, hidden: Tensor) -> Tensor:
    """The scores of all classes, with the gradient of plain PyTorch."""
    return hidden @ layer.weight.float().t() + layer.class_bias()


def shared_classes(layer: CaneOutput, target: Tensor, example: int) -> list[int]:
    """The classes S of an example, by their definition."""
    if layer.selection.slots_of(EXAMPLES) == 0:
        return list(range(CLASSES))
    found = set(layer.selection.frequent.tolist())
    if layer.selection.has_batch:
        found |= {int(y) for i, y in enumerate(target) if i != example and y >= 0}
    return sorted(found)


def plain_loss(layer: CaneOutput, scores: Tensor, drawn: list[int], target, example) -> Tensor:
    """The loss of one example, from the scores of all classes and the slots of the batch."""
    s, y, n = scores[example], int(target[example]), len(drawn)
    q = layer.selection.masses.double()
    if layer.method == "cane":
        shared = shared_classes(layer, target, example)
        terms = [s[k] for k in shared]
        slots = list(drawn)
        if y not in shared:
            slots[example % n] = y
        terms += [s[t] - math.log(n * q[t]) for t in slots if t not in shared]
        return torch.stack(terms).logsumexp(0) - s[y]
    rivals = layer.num_classes - 1
    if layer.method in ("css", "ove"):
        names = [t for t in drawn if t != y]
        if layer.method == "ove":
            return rivals / len(names) * torch.nn.functional.softplus(s[names] - s[y]).sum()
        scaled = s[names] + math.log(rivals / len(names))
        return torch.cat([s[y].view(1), scaled]).logsumexp(0) - s[y]
    log_q = q.log().float()
    softplus = torch.nn.functional.softplus
    if layer.method in ("nce", "neg"):
        shift = 0.0 if layer.method == "neg" else 1.0
        logits = s - shift * (math.log(n) + log_q)
        return softplus(-logits[y]) + softplus(logits[drawn]).sum()
    assert layer.method == "blackout"
    shares = (s - log_q)[[y, *drawn]].softmax(0)
    return -shares[0].log() - torch.log1p(-shares[1:]).sum()


def drawn_by(layer: CaneOutput, step: int = 0) -> list[int]:
    """The slots of a batch."""
    slots = layer.selection.slots_of(EXAMPLES)
    return layer.selection.draw(torch.tensor(step), slots).tolist()


def plain_losses(layer: CaneOutput, scores: Tensor, target: Tensor, step: int = 0) -> Tensor:
    """The losses of a batch, zero for padding."""
    drawn = drawn_by(layer, step)
    losses = [
        plain_loss(layer, scores, drawn, target, i) if y >= 0 else scores.new_zeros(())
        for i, y in enumerate(target)
    ]
    return torch.stack(losses)


def rows_as_table(parameter: Tensor) -> Tensor:
    """The sum of the row gradients of a parameter, as a table."""
    table = torch.zeros(parameter.shape, device=parameter.device)
    for rows, values in parameter.row_gradients:
        table.index_add_(0, rows, values)
    return table


def dense(gradient: Tensor) -> Tensor:
    return gradient.to_dense() if gradient.is_sparse else gradient
