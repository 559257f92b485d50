"""The losses of a batch over its list, with their gradients: scores of the columns are one matrix
product, so is each way back, and the rows of labels that are in no column are gathered.

Forward makes the matrix of scores once and turns it into d loss / d score. Backward leaves gradients of
rows, not of the whole tables: as sparse tensors, or in the lists `row_gradients` of the parameters.
"""

import contextlib
import math
from typing import NamedTuple

import torch
from torch import Tensor
from torch.autograd.function import once_differentiable
from torch.nn import functional

from cane.torch._selection import DEAD, Lists


class Slopes(NamedTuple):
    """Losses [B], and d loss / d score: of the columns [B, C], times a factor [B], and of labels that
    are in no column [B]."""

    losses: Tensor
    columns: Tensor
    factor: Tensor
    label: Tensor


def pooled(scores: Tensor, label: Tensor, lists: Lists, ranks=None) -> Slopes:
    """Candidates and all slots in one softmax, a label that is in no column in the place of a slot:
    the log of its normaliser less the score of the label (docs/mathematics.md#pooled)."""
    is_out = lists.label_at == scores.shape[1]
    at = lists.label_at.masked_fill(is_out, 0).unsqueeze(1)
    best, where = scores.max(1, keepdim=True)
    shares = torch.softmax(scores, 1)
    log_sum = (best - shares.gather(1, where).log()).squeeze(1)
    of_label = label + lists.label_offset
    total = torch.where(is_out, torch.logaddexp(log_sum, of_label), log_sum)
    losses = total - label
    one = (~is_out).to(scores.dtype).unsqueeze(1)
    shares.scatter_add_(1, at, -one)
    factor = torch.where(is_out, (log_sum - total).exp(), torch.ones_like(total))
    slope = torch.where(is_out, (of_label - total).exp() - 1, torch.zeros_like(total))
    return Slopes(losses, shares, factor, slope)


def _contrast(scores: Tensor, label: Tensor, lists: Lists, **_) -> Tensor:
    """Noise-contrastive estimation: the label told from the noises by their log-odds."""
    return functional.softplus(-label - lists.label_offset) + functional.softplus(scores).sum(1)


def _negative_sampling(scores: Tensor, label: Tensor, lists: Lists, **_) -> Tensor:
    """The same without the shift by log(n q)."""
    return functional.softplus(-label) + functional.softplus(scores - lists.offsets).sum(1)


def _blackout(scores: Tensor, label: Tensor, lists: Lists, **_) -> Tensor:
    """A softmax over label and noises, each noise told from all."""
    logits = torch.cat([(label + lists.label_offset).unsqueeze(1), scores], 1)
    log_share = logits.log_softmax(1)
    # 1 - share loses all digits at the most probable place: there it is the share of the others.
    top = log_share.argmax(1, keepdim=True)
    others = logits.scatter(1, top, DEAD)
    log_rest = others.logsumexp(1, keepdim=True) - logits.logsumexp(1, keepdim=True)
    of_noises = torch.log1p(-log_share.scatter(1, top, DEAD).exp()).scatter(1, top, log_rest)
    return -log_share[:, 0] - of_noises[:, 1:].sum(1)


def _rivals(scores, label, lists: Lists, labels: Tensor, num_classes: int) -> tuple[Tensor, Tensor]:
    """Uniform noises without those that are the label, and what one of them stands for, as a log."""
    is_rival = lists.classes != labels.unsqueeze(1)
    count = is_rival.sum(1, keepdim=True)
    # An example whose noises are all its label learns nothing.
    scale = ((num_classes - 1) / count.clamp_min(1)).log()
    return (scores - lists.offsets).masked_fill(~is_rival, DEAD), scale


def _complementary_sum(scores, label, lists: Lists, **given) -> Tensor:
    """The softmax with an estimate of the sum over the rivals."""
    rivals, scale = _rivals(scores, label, lists, **given)
    return torch.cat([label.unsqueeze(1), rivals + scale], 1).logsumexp(1) - label


def _one_vs_each(scores, label, lists: Lists, **given) -> Tensor:
    """A bound of the softmax, pair by pair."""
    rivals, scale = _rivals(scores, label, lists, **given)
    return scale.exp().squeeze(1) * functional.softplus(rivals - label.unsqueeze(1)).sum(1)


CONTRASTS = {
    "nce": _contrast,
    "neg": _negative_sampling,
    "blackout": _blackout,
    "css": _complementary_sum,
    "ove": _one_vs_each,
}


def contrasted(method: str, scores: Tensor, label: Tensor, lists: Lists, **given) -> Slopes:
    """Loss and slopes of a method that tells the label from noises."""
    # What checkpointing keeps of the tensors of a graph is not for this one.
    keep = torch.autograd.graph.saved_tensors_hooks(lambda tensor: tensor, lambda tensor: tensor)
    with torch.enable_grad(), keep:
        scores, label = scores.requires_grad_(), label.requires_grad_()
        losses = CONTRASTS[method](scores, label, lists, **given)
        columns, of_label = torch.autograd.grad(losses.sum(), (scores, label))
    return Slopes(losses.detach(), columns, torch.ones_like(losses), of_label)


def product_type(hidden: Tensor) -> torch.dtype:
    """The type of the factors of matrix products: that of hidden states, or of autocast."""
    if hidden.dtype in (torch.bfloat16, torch.float16):
        return hidden.dtype
    kind = hidden.device.type
    if hasattr(torch, "get_autocast_dtype"):  # PyTorch 2.4
        if torch.is_autocast_enabled(kind):
            return torch.get_autocast_dtype(kind)
    elif kind == "cuda" and torch.is_autocast_enabled():
        return torch.get_autocast_gpu_dtype()
    elif kind == "cpu" and torch.is_autocast_cpu_enabled():
        return torch.get_autocast_cpu_dtype()
    return torch.float32


def without_autocast(device: torch.device):
    """Where autocast is, scores are made without it."""
    if device.type in ("cpu", "cuda"):
        return torch.autocast(device.type, enabled=False)
    return contextlib.nullcontext()


def products(hidden: Tensor, rows: Tensor, added: Tensor) -> Tensor:
    """hidden @ rows.t() + added [C] as float32; the factors have one type."""
    if hidden.dtype == torch.float32:
        return torch.addmm(added, hidden, rows.t())
    return (hidden @ rows.t()) + added


class Sink:
    """Where the gradients of the rows of a weight and its bias go."""

    def __init__(self, weight: Tensor, bias: Tensor | None, records: bool) -> None:
        self.shapes = weight.shape, None if bias is None else bias.shape
        self.types = weight.dtype, None if bias is None else bias.dtype
        self.records = None
        if records:
            self.records = tuple(
                None if table is None else table.row_gradients for table in (weight, bias)
            )

    def take(self, rows: Tensor, values: Tensor) -> tuple[Tensor | None, Tensor | None]:
        """The gradients of weight and bias, from values [R, D + 1 or more], the bias after D."""
        width = self.shapes[0][1]
        parts = values[:, :width], values[:, width]
        gradients = []
        for place, part in enumerate(parts):
            if self.shapes[place] is None:
                gradients.append(None)
            elif self.records is not None:
                self.records[place].append((rows, part))
                gradients.append(None)
            else:
                sparse = torch.sparse_coo_tensor(
                    rows.unsqueeze(0), part.to(self.types[place]), self.shapes[place]
                )
                gradients.append(sparse)
        return gradients[0], gradients[1]


def with_ones(hidden: Tensor, factor: Tensor) -> Tensor:
    """Hidden states and a column of ones for the biases, times a factor [B]; the width is a multiple
    of 8, which fast products want."""
    width = hidden.shape[1]
    wide = hidden.new_zeros((hidden.shape[0], (width + 8) // 8 * 8))
    wide[:, :width] = hidden * factor.unsqueeze(1)
    wide[:, width] = factor
    return wide


class ListLoss(torch.autograd.Function):
    """The loss [B] of each example over the list of its batch."""

    @staticmethod
    def forward(ctx, hidden, weight, bias, labels, lists, slopes_of, sink):
        kind = product_type(hidden)
        half = hidden.to(kind)
        with without_autocast(hidden.device):
            columns = weight[lists.classes].to(kind)
            added = lists.offsets if bias is None else lists.offsets + bias[lists.classes]
            scores = products(half, columns, added)
            for dead in lists.dead:
                _put(scores, dead, DEAD)
            # A label that has no row here stands for a row that has a gradient anyway.
            listed = functional.pad(lists.classes, (0, 1))[0]
            names = torch.where(labels < 0, listed, labels)
            rows = weight[names]
            label = (hidden.float() * rows.float()).sum(1)
            if bias is not None:
                label = label + bias[names]
            slopes = slopes_of(scores, label, lists)
        shares = slopes.columns.to(kind)
        ctx.save_for_backward(hidden, columns, rows, shares, slopes.factor, slopes.label)
        ctx.classes, ctx.names, ctx.sink = lists.classes, names, sink
        return slopes.losses

    @staticmethod
    @once_differentiable
    def backward(ctx, gradient):
        hidden, columns, rows, shares, factor, label = ctx.saved_tensors
        factor, label = gradient * factor, gradient * label
        in_hidden = (shares @ columns).float() * factor.unsqueeze(1)
        in_hidden += rows.float() * label.unsqueeze(1)
        plain = hidden.float()
        of_columns = shares.t() @ with_ones(plain, factor).to(shares.dtype)
        values = torch.cat([of_columns.float(), with_ones(plain, label)])
        in_weight, in_bias = ctx.sink.take(torch.cat([ctx.classes, ctx.names]), values)
        return in_hidden.to(hidden.dtype), in_weight, in_bias, None, None, None, None


def _put(scores: Tensor, column: Tensor, value: float) -> None:
    """Sets the score of each example in a column [B], where there is that column."""
    if scores.shape[1] == 0:
        return
    is_there = column < scores.shape[1]
    at = column.masked_fill(~is_there, 0).unsqueeze(1)
    scores.scatter_(1, at, scores.gather(1, at).masked_fill(is_there.unsqueeze(1), value))


class MemberLoss(torch.autograd.Function):
    """The softmax loss [B] over a few classes of each example's own [B, m], -1 where there is none."""

    @staticmethod
    def forward(ctx, hidden, weight, bias, members, label_at, sink):
        scores, plain = member_scores(hidden, weight, bias, members), hidden.float()
        losses = functional.cross_entropy(scores, label_at, reduction="none")
        shares = scores.softmax(1)
        shares.scatter_add_(1, label_at.unsqueeze(1), -torch.ones_like(shares[:, :1]))
        ctx.save_for_backward(plain, weight, members, shares)
        ctx.kind, ctx.sink = hidden.dtype, sink
        return losses

    @staticmethod
    @once_differentiable
    def backward(ctx, gradient):
        hidden, weight, members, shares = ctx.saved_tensors
        shares = shares * gradient.unsqueeze(1)
        names = torch.where(members < 0, members[:, :1], members).long()
        in_hidden = torch.empty_like(hidden)
        for part in _parts(names, hidden.shape[1]):
            rows = weight[names[part]].float()
            in_hidden[part] = torch.bmm(shares[part].unsqueeze(1), rows).squeeze(1)
        wide = with_ones(hidden, torch.ones_like(gradient))
        values = (shares.unsqueeze(2) * wide.unsqueeze(1)).flatten(0, 1)
        in_weight, in_bias = ctx.sink.take(names.flatten(), values)
        return in_hidden.to(ctx.kind), in_weight, in_bias, None, None, None


def _parts(classes: Tensor, width: int) -> list[slice]:
    """Examples whose rows are gathered together."""
    size = max(1, (1 << 24) // max(1, classes.shape[1] * width))
    return [slice(begin, begin + size) for begin in range(0, classes.shape[0], size)]


def member_scores(hidden: Tensor, weight, bias: Tensor | None, classes: Tensor) -> Tensor:
    """The scores [B, m] of classes [B, m], minus infinity where there is none."""
    names = classes.clamp_min(0).long()
    plain = hidden.float().unsqueeze(2)
    parts = [
        torch.bmm(weight[names[part]].float(), plain[part]).squeeze(2)
        for part in _parts(names, hidden.shape[1])
    ]
    scores = torch.cat(parts) if parts else hidden.new_empty(classes.shape, dtype=torch.float32)
    scores = scores if bias is None else scores + bias[names]
    return scores.masked_fill(classes < 0, -math.inf)


class FullLoss(torch.autograd.Function):
    """The full softmax [B], by blocks of classes whose scores are computed again on the way back.

    `ranks` divides the classes: each rank sums over its own, and knows no label of another's."""

    @staticmethod
    def forward(ctx, hidden, weight, bias, labels, smoothing, ranks):
        kind = product_type(hidden)
        half = hidden.to(kind)
        total = hidden.new_full((len(hidden),), -math.inf, dtype=torch.float32)
        mean = torch.zeros_like(total)
        with without_autocast(hidden.device):
            for part in blocks(hidden, weight):
                scores = products(half, weight[part].to(kind), bias[part])
                total = torch.logaddexp(total, scores.logsumexp(1))
                if smoothing > 0:
                    mean = mean + scores.sum(1) / len(weight)
            is_own = labels >= 0
            names = labels.clamp_min(0)
            label = (hidden.float() * weight[names].float()).sum(1) + bias[names]
            if ranks is not None:
                total = ranks.log_sum(total)
                label = ranks.sum(label.masked_fill(~is_own, 0.0))
        ctx.save_for_backward(hidden, weight, bias, names, total, is_own)
        ctx.smoothing, ctx.kind = smoothing, kind
        return total - (1 - smoothing) * label - smoothing * mean

    @staticmethod
    @once_differentiable
    def backward(ctx, gradient):
        hidden, weight, bias, names, total, is_own = ctx.saved_tensors
        kind, smoothing = ctx.kind, ctx.smoothing
        half, wide = hidden.to(kind), with_ones(hidden.float(), gradient).to(kind)
        in_hidden = torch.zeros(hidden.shape, device=hidden.device)
        in_weight = torch.empty(weight.shape, device=weight.device)
        in_bias = torch.empty_like(bias)
        width = hidden.shape[1]
        for part in blocks(hidden, weight):
            rows = weight[part].to(kind)
            shares = (products(half, rows, bias[part]) - total.unsqueeze(1)).exp()
            at = names - part.start
            is_here = is_own & (at >= 0) & (at < len(rows))
            one = is_here.float().mul(smoothing - 1).unsqueeze(1)
            shares.scatter_add_(1, at.masked_fill(~is_here, 0).unsqueeze(1), one)
            if smoothing > 0:
                shares -= smoothing / len(weight)
            shares = shares.to(kind)
            in_hidden += (shares @ rows).float()
            of_rows = shares.t() @ wide
            in_weight[part], in_bias[part] = of_rows[:, :width].float(), of_rows[:, width].float()
        in_hidden = (in_hidden * gradient.unsqueeze(1)).to(hidden.dtype)
        return in_hidden, in_weight.to(weight.dtype), in_bias, None, None, None


def blocks(hidden: Tensor, weight: Tensor) -> list[slice]:
    """Ranges of classes whose scores for all examples are made at once."""
    size = max(256, (1 << 26) // max(1, hidden.shape[0]))
    classes = weight.shape[0]
    return [slice(begin, min(begin + size, classes)) for begin in range(0, classes, size)]
