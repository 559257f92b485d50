"""Small problems, and the losses of a layer written out in plain PyTorch."""

import torch
from torch import Tensor

from cane.torch import CaneOutput

CLASSES, WIDTH, EXAMPLES = 70, 6, 20

# Every kind of shortlist: own and shared candidates, own and shared noises.
SELECTIONS = [
    {"select": "proposal", "proposal": "low-rank"},
    {"select": "proposal", "proposal": "tree"},
    {"select": "proposal", "proposal": "tree", "class_order": torch.arange(CLASSES).flip(0)},
    {"select": "frequent"},
    {"select": "batch"},
    {"select": "beam"},
    {"select": "frequent+batch+proposal", "proposal": "low-rank", "noise": "uniform"},
]
SAMPLED = ["nce", "blackout", "neg", "css", "ove"]


def counts() -> Tensor:
    return torch.arange(CLASSES) % 17


def make_layer(**options) -> CaneOutput:
    """A layer whose tables are all random, so that nothing is zero by chance."""
    torch.manual_seed(3)
    defaults = {"candidates": 9, "noises": 4, "class_counts": counts(), "seed": 5, "rank": 3}
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


def shortlist(layer: CaneOutput, hidden: Tensor, target: Tensor, step: int = 0):
    own = None
    if layer.clusters is not None:
        own = layer.beam(hidden, layer.cluster_scores(hidden), layer.selection.own_candidates)
    with torch.no_grad():
        return layer.selection(hidden, target, torch.tensor(step), own).lists


def all_scores(layer: CaneOutput, hidden: Tensor) -> Tensor:
    """The scores of all classes, with the gradient of plain PyTorch."""
    scores = hidden @ layer.weight.float().t() + layer.class_bias
    if layer.prior is not None:
        scores = scores + prior_scores(layer.prior, hidden)
    if layer.clusters is None:
        return scores
    clusters = layer.clusters.of_classes(torch.arange(layer.num_classes))
    return scores + layer.cluster_scores(hidden)[:, clusters]


def prior_scores(proposal, hidden: Tensor) -> Tensor:
    """What a proposal adds to the scores of all classes; its tables are no part of the gradient."""
    features = hidden @ proposal.projection.detach()
    if not proposal.is_tree:
        return features @ proposal.rows.detach().t() + proposal.bias.detach()
    of_clusters = features @ proposal.cluster_weight.detach().t() + proposal.cluster_bias.detach()
    return of_clusters[:, proposal.clusters.of_classes(torch.arange(len(proposal.rows)))]


def candidates_of(layer: CaneOutput, lists, target: Tensor, example: int) -> list[int]:
    """The candidates of an example by their definition."""
    own = lists.own_classes[example, : lists.own_candidates].tolist()
    found = {name for name in own if name >= 0} | set(layer.selection.frequent.tolist())
    if layer.selection.has_batch:
        others = [int(name) for i, name in enumerate(target) if i != example and name >= 0]
        found |= set(others)
    return sorted(found)


def noises_of(lists, example: int) -> list[tuple[int, float]]:
    """The noises of an example that count, with their log q."""
    first = lists.candidates + 1
    names = lists.columns()[example, first : first + lists.log_q.shape[1] - 1].tolist()
    log_q = lists.log_q[example, 1:].tolist()
    return [(n, q) for n, q in zip(names, log_q, strict=True) if q < float("inf")]


def plain_loss(layer: CaneOutput, scores: Tensor, lists, target: Tensor, example: int) -> Tensor:
    """The loss of one example, from the scores of all classes."""
    s, y = scores[example], int(target[example])
    noises = noises_of(lists, example)
    if layer.method == "cane":
        inside = candidates_of(layer, lists, target, example)
        assert not {name for name, _ in noises} & set(inside)
        total = s[inside].logsumexp(0)
        if y not in inside:
            return torch.logaddexp(total, s[y] - lists.log_q[example, 0]) - s[y]
        terms = [torch.logaddexp(total, s[name] - q) for name, q in noises]
        return torch.stack(terms).mean() - s[y]
    names = [name for name, _ in noises]
    log_q = torch.tensor([q for _, q in noises])
    k, rivals = len(names), layer.num_classes - 1
    label_log_q = lists.log_q[example, 0]
    if layer.method in ("nce", "neg"):
        shift = 0.0 if layer.method == "neg" else 1.0
        log_k = torch.log(torch.tensor(float(k)))
        softplus = torch.nn.functional.softplus
        logits = s[names] - shift * (log_k + log_q)
        return softplus(-(s[y] - shift * (log_k + label_log_q))) + softplus(logits).sum()
    if layer.method == "blackout":
        logits = torch.cat([(s[y] - label_log_q).view(1), s[names] - log_q])
        shares = logits.softmax(0)
        return -shares[0].log() - torch.log1p(-shares[1:]).sum()
    if layer.method == "css":
        scale = torch.log(torch.tensor(rivals / k))
        return torch.cat([s[y].view(1), s[names] + scale]).logsumexp(0) - s[y]
    assert layer.method == "ove"
    return rivals / k * torch.nn.functional.softplus(s[names] - s[y]).sum()


def plain_losses(layer: CaneOutput, scores: Tensor, lists, target: Tensor) -> Tensor:
    """The losses of a batch, zero for padding and for examples that are left out."""
    losses = [
        plain_loss(layer, scores, lists, target, i) if lists.drawn[i] >= 0 else scores.new_zeros(())
        for i in range(len(target))
    ]
    return torch.stack(losses)


def rows_as_table(parameter: Tensor) -> Tensor:
    """The sum of the row gradients of a parameter, as a table."""
    table = torch.zeros(parameter.shape, device=parameter.device)
    for rows, values in parameter.row_gradients:
        assert len(rows[rows >= 0].unique()) == len(rows[rows >= 0])
        table.index_add_(0, rows[rows >= 0], values[rows >= 0])
    return table


def dense(gradient: Tensor) -> Tensor:
    return gradient.to_dense() if gradient.is_sparse else gradient
