"""The layer on a GPU against the CPU, on odd shapes, and a whole step as a CUDA graph."""

import copy

import pytest
import torch
from problems import SAMPLED, SELECTIONS, dense, rows_as_table

from cane.torch import CaneOutput

pytestmark = [
    pytest.mark.gpu,
    pytest.mark.skipif(not torch.cuda.is_available(), reason="there is no GPU"),
]

LAYERS = [
    *[{k: v for k, v in options.items() if k != "class_order"} for options in SELECTIONS],
    *[{"method": method} for method in [*SAMPLED, "hsm", "softmax"]],
]
# (examples, width, classes, rank): less than a warp, not a multiple of one, more than a block.
SHAPES = [(1, 3, 5, 1), (33, 17, 131, 7), (300, 65, 1501, 33)]


def problem(shape, **options):
    examples, width, classes, rank = shape
    torch.manual_seed(0)
    counts = torch.randint(0, 40, (classes,))
    layer = CaneOutput(
        width, classes, rank=rank, candidates=3, noises=5, class_counts=counts, **options
    )
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
        x = hidden.to(device).requires_grad_()
        loss = there(x, target.to(device)).loss
        loss.backward()
        tables = [dense(p.grad).cpu() for p in there.parameters() if p.grad is not None]
        results.append([loss.detach().cpu(), x.grad.cpu(), *tables])
    for one, other in zip(*results, strict=True):
        torch.testing.assert_close(other, one, rtol=2e-3, atol=2e-4)


@pytest.mark.parametrize("options", LAYERS, ids=str)
def test_predictions_on_the_gpu_are_those_on_the_cpu(options):
    layer, hidden, _ = problem(SHAPES[1], **options)
    expected = layer.log_prob(hidden)
    there = copy.deepcopy(layer).to("cuda")
    torch.testing.assert_close(there.log_prob(hidden.cuda()).cpu(), expected, rtol=1e-3, atol=1e-3)


@pytest.mark.parametrize("options", [o for o in LAYERS if o.get("method") != "softmax"], ids=str)
def test_a_whole_step_can_be_captured(options):
    layer, hidden, target = problem(SHAPES[1], **options, row_gradients=True)
    layer = layer.to("cuda")
    layer.reserve_rows(len(target))
    hidden, target = hidden.cuda().requires_grad_(), target.cuda()

    def step():
        for parameter in layer.parameters():
            if hasattr(parameter, "row_gradients"):
                parameter.row_gradients.clear()
        layer.zero_grad(set_to_none=False)
        loss = layer(hidden, target).loss
        loss.backward()
        return loss

    stream = torch.cuda.Stream()
    with torch.cuda.stream(stream):
        for _ in range(3):
            step()
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph, stream=stream):
        loss = step()
    before = int(layer.step)
    for _ in range(2):
        graph.replay()
    torch.cuda.synchronize()
    assert int(layer.step) == before + 2
    captured, rows = loss.item(), rows_as_table(layer.weight)
    expected = layer(hidden, target, step=layer.step - 1).loss.item()
    assert captured == pytest.approx(expected, rel=1e-4)
    assert rows.any()
