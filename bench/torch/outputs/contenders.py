"""The output layers that are compared, each as a module: `layer(hidden, target)` is the mean loss,
`layer.scores(hidden)` are the scores of all classes, `layer.optimizer(rule, rate)` updates its weights by the
rule "SGD", "Adagrad" or "Adam"."""

import importlib.util
import math
import re

import torch
from torch import nn
from torch.nn import functional

import cane.torch


class Full(nn.Module):
    """The full softmax as it is usually written."""

    def __init__(self, features, classes, given, counts):
        super().__init__()
        weight = torch.empty(classes, features, device=given.device).uniform_(-1, 1)
        self.weight = nn.Parameter(weight / features**0.5)
        self.bias = nn.Parameter(torch.zeros(classes, device=given.device))
        self.classes, self.given = classes, given

    def forward(self, hidden, target):
        return functional.cross_entropy(self.scores(hidden), target)

    def scores(self, hidden):
        return functional.linear(
            hidden, self.weight.to(hidden.dtype), self.bias.to(hidden.dtype)
        ).float()

    def optimizer(self, rule, rate):
        # The same rule for dense gradients, of which a CUDA graph can be made.
        return getattr(cane.torch, f"Row{rule}")(self.parameters(), lr=rate)

    records = True


class Compiled(Full):
    """The same, compiled."""

    def __init__(self, *arguments):
        super().__init__(*arguments)
        self.compiled = torch.compile(super().forward)

    def forward(self, hidden, target):
        return self.compiled(hidden, target)


class CutCrossEntropy(Full):
    """Apple's kernel that never writes the scores."""

    def forward(self, hidden, target):
        from cut_cross_entropy import linear_cross_entropy

        return linear_cross_entropy(
            hidden, self.weight.to(hidden.dtype), target, bias=self.bias.to(hidden.dtype)
        )


class Liger(Full):
    """Liger's fused linear cross entropy."""

    def forward(self, hidden, target):
        from liger_kernel.transformers import LigerFusedLinearCrossEntropyLoss

        return LigerFusedLinearCrossEntropyLoss()(
            self.weight.to(hidden.dtype), hidden, target, self.bias.to(hidden.dtype)
        )


class Sampled(Full):
    """A softmax over the label and classes that the batch shares, drawn by their frequency; scores are
    corrected by log q. Rows have sparse gradients."""

    def __init__(self, features, classes, given, counts):
        super().__init__(features, classes, given, counts)
        law = (counts if counts is not None else torch.ones(classes)).double().clamp_min(1)
        law = law / law.sum()
        self.register_buffer("log_law", law.log().float())
        self.register_buffer("cumulated", law.cumsum(0))

    def forward(self, hidden, target):
        drawn = torch.rand(
            min(self.given.sampled, self.classes), device=hidden.device, dtype=torch.float64
        )
        drawn = torch.searchsorted(self.cumulated, drawn).clamp_max(self.classes - 1)
        return self.over(hidden, target, drawn, self.log_law[drawn] + math.log(len(drawn)))

    def over(self, hidden, target, drawn, log_q):
        """The loss over the label and these classes, of which `log_q` were expected."""
        classes = torch.cat([target, drawn])
        rows = functional.embedding(classes, self.weight, sparse=True).to(hidden.dtype)
        biases = self.bias[classes]
        count = len(target)
        own = (hidden * rows[:count]).sum(1).float() + biases[:count]
        others = (hidden @ rows[count:].t()).float() + biases[count:] - log_q
        others = others.masked_fill(drawn == target.unsqueeze(1), -math.inf)
        if self.corrects:
            own = own - self.log_law[target] - math.log(len(drawn))
        return (torch.cat([own.unsqueeze(1), others], 1).logsumexp(1) - own).mean()

    def optimizer(self, rule, rate):
        return getattr(torch.optim, rule)(self.parameters(), lr=rate)

    corrects = True
    records = False  # sums of sparse tensors wait for the device


class PartialFc(Sampled):
    """A softmax over the labels of the batch and random other classes, a tenth of all, without a
    correction."""

    corrects = False

    def forward(self, hidden, target):
        others = torch.randint(self.classes, (max(1, self.classes // 10),), device=hidden.device)
        return self.over(hidden, target, torch.cat([target, others]).unique(), 0.0)


class Adaptive(nn.Module):
    """PyTorch's adaptive softmax; classes must be numbered by their frequency."""

    def __init__(self, features, classes, given, counts):
        super().__init__()
        cutoffs = sorted({max(2, classes // 50), max(3, classes // 10)})
        self.layer = nn.AdaptiveLogSoftmaxWithLoss(features, classes, cutoffs)

    def forward(self, hidden, target):
        return self.layer(hidden.float(), target).loss

    def scores(self, hidden):
        return self.layer.log_prob(hidden.float())

    def optimizer(self, rule, rate):
        return getattr(torch.optim, rule)(self.parameters(), lr=rate)

    records = False  # the host looks which clusters the labels are in


class Cane(nn.Module):
    """Ours, with the row optimiser; `lists` are options that differ from the defaults."""

    def __init__(self, features, classes, given, counts, **lists):
        super().__init__()
        self.layer = cane.torch.CaneOutput(
            features,
            classes,
            class_counts=counts,
            row_gradients=True,
            seed=given.seed,
            device=given.device,
            **lists,
        )

    def forward(self, hidden, target):
        return self.layer(hidden, target).loss

    def scores(self, hidden):
        return self.layer.log_prob(hidden)

    def optimizer(self, rule, rate):
        return getattr(cane.torch, f"Row{rule}")(self.parameters(), lr=rate)

    records = True


CONTENDERS = {
    "plain": Full,
    "compiled": Compiled,
    "cut-cross-entropy": CutCrossEntropy,
    "Liger": Liger,
    "sampled softmax": Sampled,
    "Partial FC": PartialFc,
    "adaptive softmax": Adaptive,
    "CANE": Cane,
}
# What a contender needs besides PyTorch; those that are exact have the loss of the full softmax.
PACKAGES = {"cut-cross-entropy": "cut_cross_entropy", "Liger": "liger_kernel"}
EXACT = ("plain", "compiled", "cut-cross-entropy", "Liger")


# CANE with lists of its own: "CANE 2048+8192" has that many frequent classes and noises, "CANE batch
# 2048+8192" the labels of the batch besides. "CANE 0+8192" is a sampled softmax.
LISTS = re.compile(r"CANE( batch)? (\d+)\+(\d+)")


def make(name, features, classes, given, counts):
    """The layer of a contender."""
    found = LISTS.fullmatch(name)
    if found is None:
        return CONTENDERS[name](features, classes, given, counts)
    frequent, noises = int(found[2]), int(found[3])
    parts = ["frequent"] * (frequent > 0) + ["batch"] * bool(found[1])
    lists = {"select": "+".join(parts) or "none", "noises": noises}
    if frequent > 0:
        lists["candidates"] = frequent
    return Cane(features, classes, given, counts, **lists)


def why_not(name, device):
    """Why a contender cannot take part here; empty: it can."""
    package = PACKAGES.get(name)
    if package is not None and importlib.util.find_spec(package) is None:
        return f"{package} is not installed"
    if package is not None and torch.device(device).type != "cuda":
        return f"{package} needs a GPU"
    if name == "compiled" and not hasattr(torch, "compile"):
        return "PyTorch 2 is needed"
    return ""


def chosen(names, device):
    """The contenders of a comma-separated list, or all; says who is left out and why."""
    for name in names.split(",") if names else CONTENDERS:
        if name not in CONTENDERS and LISTS.fullmatch(name) is None:
            names = ", ".join(CONTENDERS)
            raise SystemExit(f"--only: there is no {name}; there are {names}, CANE 2048+8192")
        reason = why_not(name, device)
        if reason:
            print(f"without {name}: {reason}")
        else:
            yield name
