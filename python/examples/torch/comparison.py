"""What the examples share: a model is trained once with the full softmax and once with CANE, for the
same steps on the same batches, and both are measured on the same data."""

import argparse
import math
import time

import torch
from torch import nn

import cane.torch


def options(description, steps, batch, rate):
    """A parser with the options that all examples have; these are the defaults for a CPU."""
    parser = argparse.ArgumentParser(
        description=description, formatter_class=argparse.ArgumentDefaultsHelpFormatter
    )
    parser.add_argument("--steps", type=int, default=steps, help="training steps")
    parser.add_argument("--batch", type=int, default=batch, help="examples in a step")
    parser.add_argument("--lr", type=float, default=rate, help="learning rate of Adam")
    parser.add_argument("--candidates", type=int, help="frequent classes that a batch lists")
    parser.add_argument("--noises", type=int, help="noises that a batch lists")
    parser.add_argument(
        "--device", default="cuda" if torch.cuda.is_available() else "cpu", help="where to compute"
    )
    parser.add_argument("--compile", action="store_true", help="use torch.compile (PyTorch 2)")
    parser.add_argument("--seed", type=int, default=1, help="of weights, batches and noises")
    return parser


class FullSoftmax(nn.Module):
    """The output layer as it is usually written, with the interface that the examples need."""

    def __init__(self, features, classes, weight=None):
        super().__init__()
        self.linear = nn.Linear(features, classes)
        if weight is not None:
            self.linear.weight = weight

    def forward(self, hidden, target):
        return nn.functional.cross_entropy(self.linear(hidden).float(), target)

    def scores(self, hidden):
        return self.linear(hidden).float()


class Cane(nn.Module):
    """The same with CANE: the loss looks at frequent classes and noises that a batch shares."""

    def __init__(self, features, classes, arguments, counts=None, weight=None):
        super().__init__()
        self.layer = cane.torch.CaneOutput(
            features,
            classes,
            candidates=arguments.candidates,
            noises=arguments.noises,
            class_counts=counts,
            tied_weight=weight,
            seed=arguments.seed,
            row_gradients=True,
        )

    def forward(self, hidden, target):
        return self.layer(hidden, target).loss

    def scores(self, hidden):
        return self.layer.log_prob(hidden)


class Model(nn.Module):
    def __init__(self, body, head):
        super().__init__()
        self.body = body
        self.head = head

    def forward(self, inputs, target):
        return self.head(self.body(inputs), target)


def optimizer_of(name, model, rate):
    """Adam; for CANE with rows that are updated when they were used."""
    if name == "CANE":
        return cane.torch.RowAdam(model.parameters(), lr=rate)
    return torch.optim.Adam(model.parameters(), lr=rate)


def train(name, model, batches, arguments):
    """Trains on `batches`, an iterable of (inputs, target); returns the seconds of a step. The first
    steps, in which memory is reserved and code is compiled, are not counted."""
    optimizer = optimizer_of(name, model, arguments.lr)
    scheduler = torch.optim.lr_scheduler.LambdaLR(
        optimizer, lambda step: 1.0 - step / (arguments.steps + 1)
    )
    run = model
    model.train()
    skipped, start = min(3, arguments.steps - 1), 0.0
    for step, (inputs, target) in enumerate(batches):
        if step == skipped:
            synchronize(arguments.device)
            start = time.perf_counter()
        if step == 1 and arguments.compile:
            # The first step has made room for the row gradients, which compiled code cannot.
            run = torch.compile(model)
        optimizer.zero_grad()
        loss = run(inputs, target)
        loss.backward()
        optimizer.step()
        scheduler.step()
        if step % max(1, arguments.steps // 5) == 0:
            print(f"  {name}, step {step}: loss {loss.item():.4f}", flush=True)
    synchronize(arguments.device)
    return (time.perf_counter() - start) / (arguments.steps - skipped)


@torch.no_grad()
def measure(model, batches, top=10):
    """Accuracy, share of labels among the best `top`, and mean log loss, over all classes."""
    model.eval()
    count, right, among, loss = 0, 0, 0, 0.0
    for inputs, target in batches:
        scores = model.head.scores(model.body(inputs))
        best = scores.topk(min(top, scores.shape[-1]), dim=-1).indices
        hits = best == target.unsqueeze(-1)
        count += target.numel()
        right += hits[..., 0].sum().item()
        among += hits.sum().item()
        loss += nn.functional.cross_entropy(
            scores.flatten(0, -2), target.flatten(), reduction="sum"
        ).item()
    return right / count, among / count, loss / count


def compare(make_model, make_batches, make_tests, arguments):
    """Trains and measures both; returns {name: (accuracy, top, log loss, seconds of a step)}."""
    results = {}
    for name in ("full softmax", "CANE"):
        torch.manual_seed(arguments.seed)
        model = make_model(name).to(arguments.device)
        seconds = train(name, model, make_batches(), arguments)
        results[name] = (*measure(model, make_tests()), seconds)
    print(
        f"\n{'':14}{'accuracy':>10}{'top 10':>10}{'log loss':>10}{'perplexity':>12}{'ms a step':>11}"
    )
    for name, (accuracy, top, loss, seconds) in results.items():
        print(
            f"{name:14}{accuracy:10.4f}{top:10.4f}{loss:10.4f}{math.exp(min(loss, 50.0)):12.1f}"
            f"{seconds * 1000:11.2f}"
        )
    return results


def synchronize(device):
    if torch.device(device).type == "cuda":
        torch.cuda.synchronize()
