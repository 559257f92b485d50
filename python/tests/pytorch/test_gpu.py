"""The layer on a GPU against the CPU, on odd shapes, and a whole step as a CUDA graph."""

import copy

import pytest
import torch
from problems import SAMPLED, dense

import cane.torch
from cane.torch import CaneOutput

pytestmark = [
    pytest.mark.gpu,
    pytest.mark.skipif(not torch.cuda.is_available(), reason="there is no GPU"),
]

LAYERS = [
    {},
    {"noises": 5, "candidates": 3},
    {"noises": 5, "select": "none", "noise": "uniform"},
    {"noises": 50, "select": "batch"},
    {"noises": 50, "select": "frequent+batch", "candidates": 3},
    *[{"method": method, "noises": 20} for method in SAMPLED],
    {"method": "hsm"},
    {"method": "softmax"},
]
# (examples, width, classes): less than a warp, not a multiple of one, more than a block.
SHAPES = [(1, 3, 5), (33, 17, 131), (300, 65, 1501)]


def problem(shape, **options):
    examples, width, classes = shape
    torch.manual_seed(0)
    counts = torch.randint(0, 40, (classes,))
    layer = CaneOutput(width, classes, class_counts=counts, **options)
    with torch.no_grad():
        for parameter in layer.parameters():
            parameter.normal_(std=0.5)
    target = torch.randint(0, classes, (examples,))
    target[examples // 2] = -100 if examples > 1 else target[0]
    return layer, torch.randn(examples, width), target


@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("options", LAYERS, ids=str)
def test_the_gpu_computes_what_the_cpu_does(options, shape):
    layer, hidden, target = problem(shape, **options)
    results = []
    for device in ("cpu", "cuda"):
        there = copy.deepcopy(layer).to(device)
        x = hidden.clone().to(device).requires_grad_()
        loss = there(x, target.to(device)).loss
        loss.backward()
        tables = [dense(p.grad).cpu() for p in there.parameters() if p.grad is not None]
        results.append([loss.detach().cpu(), x.grad.cpu(), *tables])
    for one, other in zip(*results, strict=True):
        torch.testing.assert_close(other, one, rtol=2e-3, atol=2e-4)


def test_the_gpu_draws_what_the_cpu_draws():
    layer, _, _ = problem(SHAPES[2], noises=5000, select="none")
    there = copy.deepcopy(layer).to("cuda")
    for step in (0, 7, 2**40):
        drawn = there.selection.draw(torch.tensor(step, device="cuda"), 5000)
        assert torch.equal(drawn.cpu(), layer.selection.draw(torch.tensor(step), 5000))


@pytest.mark.parametrize("options", LAYERS, ids=str)
def test_predictions_on_the_gpu_are_those_on_the_cpu(options):
    layer, hidden, _ = problem(SHAPES[1], **options)
    expected = layer.log_prob(hidden)
    there = copy.deepcopy(layer).to("cuda")
    torch.testing.assert_close(there.log_prob(hidden.cuda()).cpu(), expected, rtol=1e-3, atol=1e-3)


@pytest.mark.parametrize("kind", [torch.float32, torch.bfloat16], ids=str)
@pytest.mark.parametrize("rule", ["RowSGD", "RowAdagrad", "RowAdam"])
@pytest.mark.parametrize("options", LAYERS, ids=str)
def test_a_recorded_step_is_the_step_itself(options, rule, kind):
    layer, hidden, target = problem(SHAPES[1], **options, row_gradients=True)
    layer = layer.to("cuda")
    target = target.cuda()
    hidden = hidden.cuda().to(kind).requires_grad_()
    plain = copy.deepcopy(layer)
    # Where a gradient is rounding alone, a small eps would make a whole step of it.
    named = {"lr": 0.1} if rule == "RowSGD" else {"lr": 0.1, "eps": 1e-2}
    optimizers = [getattr(cane.torch, rule)(one.parameters(), **named) for one in (layer, plain)]

    def step(one, optimizer):
        optimizer.zero_grad()
        loss = one(hidden, target).loss
        loss.backward()
        optimizer.step()
        return loss

    stream = torch.cuda.Stream()
    stream.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(stream):
        for _ in range(3):
            step(layer, optimizers[0])
    torch.cuda.current_stream().wait_stream(stream)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        loss = step(layer, optimizers[0])
    for _ in range(2):
        graph.replay()
    for _ in range(5):
        expected = step(plain, optimizers[1])
    torch.cuda.synchronize()
    assert int(layer.step) == int(plain.step) == 5
    slack = 1e-3 if kind == torch.float32 else 3e-2
    torch.testing.assert_close(loss, expected, rtol=slack, atol=slack)
    for one, other in zip(layer.parameters(), plain.parameters()):
        torch.testing.assert_close(one, other, rtol=slack, atol=slack)


def test_a_step_waits_for_nothing():
    """Neither the layer nor the optimiser asks the device for an answer."""
    layer, hidden, target = problem(SHAPES[2], noises=50, candidates=10, row_gradients=True)
    layer, hidden, target = layer.cuda(), hidden.cuda(), target.cuda()
    optimizer = cane.torch.RowAdagrad(layer.parameters(), lr=0.1)
    for mode in ("default", "error"):
        torch.cuda.set_sync_debug_mode(mode)
        try:
            optimizer.zero_grad()
            layer(hidden, target).loss.backward()
            optimizer.step()
        finally:
            torch.cuda.set_sync_debug_mode("default")
