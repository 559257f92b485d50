"""Losses and gradients of every method against plain PyTorch."""

import pytest
import torch
from problems import (
    CLASSES,
    EXAMPLES,
    SAMPLED,
    SELECTIONS,
    WIDTH,
    all_scores,
    batch,
    counts,
    dense,
    drawn_by,
    make_layer,
    plain_losses,
    rows_as_table,
)

from cane.torch import CaneOutput

LAYERS = [{"method": method} for method in SAMPLED] + SELECTIONS
LAYERS += [{"method": "nce", "class_counts": counts()}, {"select": "none", "bias": False}]


def gradients(layer, hidden):
    tables = [layer.weight.grad, None if layer.bias is None else layer.bias.grad]
    if layer.clusters is not None:
        tables += [layer.cluster_weight.grad, layer.cluster_bias.grad]
    return [hidden.grad] + [dense(table) for table in tables if table is not None]


def assert_all_close(actual, expected):
    for one, other in zip(actual, expected, strict=True):
        torch.testing.assert_close(one, other, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("options", LAYERS, ids=str)
def test_losses_and_gradients_are_those_of_plain_pytorch(options):
    layer = make_layer(**options)
    hidden, target = batch(padding=3)
    factor = torch.rand(EXAMPLES)
    losses = plain_losses(layer, all_scores(layer, hidden), target)
    expected = (losses * factor).sum() / factor[:-3].sum()
    expected.backward()
    reference = gradients(layer, hidden)
    hidden.grad = None
    layer.zero_grad(set_to_none=True)
    output, loss = layer(hidden, target, factor)
    loss.backward()
    torch.testing.assert_close(output, -losses, rtol=1e-4, atol=1e-5)
    torch.testing.assert_close(loss, expected, rtol=1e-4, atol=1e-5)
    assert layer.weight.grad.is_sparse
    assert_all_close(gradients(layer, hidden), reference)
    assert not hidden.grad[-3:].any()


def test_gradients_are_the_differences_of_losses():
    for options in LAYERS:
        layer = make_layer(**options)
        hidden, target = batch()
        step = torch.tensor(0)
        layer(hidden, target, step=step).loss.backward()
        along = torch.randn(EXAMPLES, WIDTH)
        change = 1e-2
        with torch.no_grad():
            up, down = (
                layer(hidden + sign * change * along, target, step=step).loss for sign in (1, -1)
            )
        slope = (hidden.grad * along).sum()
        torch.testing.assert_close((up - down) / (2 * change), slope, rtol=5e-3, atol=5e-4)


@pytest.mark.parametrize("smoothing", [0.0, 0.2])
@pytest.mark.parametrize("bias", [True, False])
def test_the_softmax_by_blocks_is_cross_entropy(smoothing, bias, monkeypatch):
    from cane.torch import _losses

    parts = [slice(begin, begin + 35) for begin in (0, 35)]
    monkeypatch.setattr(_losses, "blocks", lambda hidden, weight: parts)
    layer = make_layer(method="softmax", label_smoothing=smoothing, bias=bias)
    hidden, target = batch(padding=2)
    expected = torch.nn.functional.cross_entropy(
        all_scores(layer, hidden), target, label_smoothing=smoothing
    )
    expected.backward()
    reference = gradients(layer, hidden)
    hidden.grad = None
    layer.zero_grad(set_to_none=True)
    loss = layer(hidden, target).loss
    loss.backward()
    torch.testing.assert_close(loss, expected)
    assert_all_close(gradients(layer, hidden), reference)


def test_a_list_of_all_classes_is_the_softmax():
    layer = make_layer(class_counts=counts())
    hidden, target = batch()
    expected = torch.nn.functional.cross_entropy(all_scores(layer, hidden), target)
    torch.testing.assert_close(layer(hidden, target).loss, expected)


@pytest.mark.parametrize("order", [None, torch.arange(CLASSES).flip(0)])
def test_the_hierarchical_softmax_is_that_of_its_probabilities(order):
    layer = make_layer(method="hsm", class_order=order)
    hidden, target = batch(padding=2)
    log_prob = layer.log_prob(hidden)
    torch.testing.assert_close(log_prob.exp().sum(1), torch.ones(EXAMPLES))
    expected = torch.nn.functional.nll_loss(log_prob, target)
    expected.backward()
    reference = gradients(layer, hidden)
    hidden.grad = None
    layer.zero_grad(set_to_none=True)
    loss = layer(hidden, target).loss
    loss.backward()
    torch.testing.assert_close(loss, expected)
    assert_all_close(gradients(layer, hidden), reference)


@pytest.mark.parametrize("options", [*LAYERS, {"method": "hsm"}], ids=str)
def test_row_gradients_are_the_sparse_gradients(options):
    hidden, target = batch(padding=1)
    sparse, rows = make_layer(**options), make_layer(**options, row_gradients=True)
    for layer in (sparse, rows):
        for step in range(2):
            layer(hidden, target, step=torch.tensor(step)).loss.backward()
    for one, other in ((sparse.weight, rows.weight), (sparse.bias, rows.bias)):
        if one is None:
            continue
        assert other.grad is None and len(other.row_gradients) == 2
        torch.testing.assert_close(rows_as_table(other), dense(one.grad), rtol=1e-4, atol=1e-5)
    rows.weight.row_gradients.clear()
    assert not rows_as_table(rows.weight).any()


def test_classes_that_are_not_listed_have_no_gradient():
    hidden, target = batch(padding=5)
    for options in SELECTIONS[1:]:
        layer = make_layer(**options, row_gradients=True)
        layer(hidden, target).loss.backward()
        listed = {*layer.selection.frequent.tolist(), *drawn_by(layer), *target[:-5].tolist()}
        assert set(layer.weight.row_gradients[0][0].tolist()) <= listed


def test_leading_dimensions_and_reductions():
    hidden, target = batch()
    cube, square = hidden.view(4, 5, WIDTH), target.view(4, 5)
    by_example = make_layer(reduction="none")(cube, square)
    assert by_example.loss.shape == by_example.output.shape == (4, 5)
    total = make_layer(reduction="sum")(hidden, target).loss
    mean = make_layer()(hidden, target).loss
    torch.testing.assert_close(by_example.loss.sum(), total)
    torch.testing.assert_close(total / EXAMPLES, mean)


def test_padding_changes_nothing_for_the_others():
    hidden, target = batch()
    longer = torch.cat([hidden, torch.randn(6, WIDTH)])
    padded = torch.cat([target, torch.full((6,), -100)])
    for options in LAYERS:
        alone = make_layer(**options)(hidden, target)
        beside = make_layer(**options)(longer, padded)
        torch.testing.assert_close(beside.loss, alone.loss)
        assert not beside.output[EXAMPLES:].any()


def test_a_batch_of_padding_alone_costs_nothing():
    hidden, target = batch(padding=EXAMPLES)
    for options in [*LAYERS, {"method": "hsm"}, {"method": "softmax"}]:
        layer = make_layer(**options)
        hidden.grad = None
        loss = layer(hidden, target).loss
        loss.backward()
        assert loss == 0
        assert not hidden.grad.any()
        assert not dense(layer.weight.grad).any()


def test_a_tied_weight_gets_the_gradients_of_both():
    torch.manual_seed(0)
    embedding = torch.nn.Embedding(CLASSES, WIDTH, sparse=True)
    layer = CaneOutput(WIDTH, CLASSES, tied_weight=embedding.weight, bias=False, noises=9)
    assert layer.weight is embedding.weight
    hidden, target = batch()
    layer(hidden, target).loss.backward()
    alone = dense(embedding.weight.grad)
    embedding.weight.grad = None
    loss = layer(hidden, target, step=torch.tensor(0)).loss + embedding(torch.tensor([3])).sum()
    loss.backward()
    alone[3] += 1
    torch.testing.assert_close(dense(embedding.weight.grad), alone)


def test_bfloat16_weights_are_summed_in_float32():
    hidden, target = batch()
    plain, half = make_layer(), make_layer().to(torch.bfloat16)
    assert half.weight.dtype == torch.bfloat16
    assert half.bias.dtype == half.selection.masses.dtype == torch.float32
    with torch.no_grad():
        plain.weight.copy_(half.weight)
    loss = half(hidden, target).loss
    torch.testing.assert_close(loss, plain(hidden, target).loss)
    loss.backward()
    assert half.weight.grad.dtype == torch.bfloat16
    half.zero_grad(set_to_none=True)  # on a CPU these cannot be added
    rounded = hidden.detach().to(torch.bfloat16).requires_grad_()
    loss = half(rounded, target, step=torch.tensor(0)).loss
    expected = plain(rounded.float(), target, step=torch.tensor(0)).loss
    assert loss.dtype == torch.float32
    torch.testing.assert_close(loss, expected, rtol=0.01, atol=0.01)
    loss.backward()
    assert rounded.grad.dtype == torch.bfloat16


def test_autocast_rounds_the_factors_of_products_alone():
    hidden, target = batch()
    for options in [*LAYERS, {"method": "softmax"}, {"method": "hsm"}]:
        layer = make_layer(**options)
        expected = layer(hidden, target).loss
        hidden.grad = None
        expected.backward()
        gradient = hidden.grad.clone()
        hidden.grad = None
        with torch.autocast("cpu", dtype=torch.bfloat16):
            loss = layer(hidden, target, step=torch.tensor(0)).loss
        assert loss.dtype == torch.float32
        torch.testing.assert_close(loss, expected, rtol=0.05, atol=0.05)
        loss.backward()
        scale = gradient.abs().max()
        assert (hidden.grad - gradient).abs().max() < 0.1 * scale


def test_many_classes_are_never_a_column_each():
    """A step on many classes makes no tensor of examples times classes."""
    examples, classes = 64, 20_000
    layer = CaneOutput(4, classes, noises=100)
    made = []

    class Watch(torch.overrides.TorchFunctionMode):
        def __torch_function__(self, function, types, arguments=(), named=None):
            result = function(*arguments, **(named or {}))
            if isinstance(result, torch.Tensor):
                made.append(result.numel())
            return result

    hidden, target = torch.randn(examples, 4), torch.randint(classes, (examples,))
    with Watch():
        layer(hidden, target)
    assert made and max(made) <= classes * 4 < examples * classes
