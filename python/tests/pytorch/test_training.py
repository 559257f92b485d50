"""The layer in a training: optimisers, checkpointing, accumulation, saving, and what is refused."""

import copy

import pytest
import torch
from problems import CLASSES, EXAMPLES, SELECTIONS, WIDTH, batch, counts, dense, make_layer
from torch.utils.checkpoint import checkpoint

from cane.torch import CaneOutput


@pytest.mark.parametrize(
    ("options", "accuracy"),
    [({}, 0.98), ({"proposal": "tree"}, 0.9), ({"select": "frequent+batch"}, 0.8)],
    ids=str,
)
def test_a_layer_learns(options, accuracy):
    torch.manual_seed(0)
    classes, width = 100, 16
    centres = torch.randn(classes, width)
    target = torch.randint(0, classes, (64 * 30,))
    hidden = centres[target] + 0.3 * torch.randn(len(target), width)
    layer = CaneOutput(
        width,
        classes,
        candidates=20,
        class_counts=torch.bincount(target, minlength=classes),
        **options,
    )
    optimizer = torch.optim.Adagrad(layer.parameters(), lr=0.3)
    for begin in range(0, len(target), 64):
        optimizer.zero_grad()
        layer(hidden[begin : begin + 64], target[begin : begin + 64]).loss.backward()
        optimizer.step()
    assert (layer.predict(hidden[:1000]) == target[:1000]).float().mean() > accuracy


def learned(seed, **options):
    """Accuracy and log loss over all classes after a short training on Zipf classes in groups."""
    torch.manual_seed(seed)
    classes, width, steps = 1000, 64, 300
    centres = torch.randn(100, width)[torch.randint(100, (classes,))]
    centres = centres + 0.7 * torch.randn(classes, width)
    law = 1 / torch.arange(1.0, classes + 1)
    target = torch.multinomial(law, 64 * steps + 2000, replacement=True)
    hidden = centres[target] + 0.6 * torch.randn(len(target), width)
    counts = (law / law.sum() * 1e6).long()
    layer = CaneOutput(width, classes, candidates=32, class_counts=counts, **options)
    optimizer = torch.optim.Adagrad(layer.parameters(), lr=0.3)
    for begin in range(0, 64 * steps, 64):
        optimizer.zero_grad()
        layer(hidden[begin : begin + 64], target[begin : begin + 64]).loss.backward()
        optimizer.step()
    with torch.no_grad():
        log_prob = layer.log_prob(hidden[-2000:])
    right = (log_prob.argmax(1) == target[-2000:]).float().mean()
    return float(right), float(torch.nn.functional.nll_loss(log_prob, target[-2000:]))


@pytest.mark.parametrize(("kind", "gain"), [("low-rank", 0.02), ("tree", 0.03)])
def test_a_prior_makes_up_for_rows_that_are_seldom_drawn(kind, gain):
    with_prior, without = learned(0, proposal=kind), learned(0, proposal=kind, prior=False)
    assert with_prior[0] > without[0] + gain
    assert with_prior[1] < 0.8 * without[1]


def test_a_layer_with_a_prior_comes_close_to_the_full_softmax():
    assert learned(1)[0] > learned(1, method="softmax")[0] - 0.02


@pytest.mark.parametrize("reentrant", [False, True])
def test_checkpointing_repeats_the_draws(reentrant):
    hidden, target = batch()
    plain, checked = make_layer(method="nce"), make_layer(method="nce")
    for step in range(2):
        plain(hidden, target).loss.backward()
        expected = hidden.grad.clone()
        hidden.grad = None
        output = checkpoint(checked, hidden, target, use_reentrant=reentrant)
        output[1].backward()
        torch.testing.assert_close(hidden.grad, expected)
        hidden.grad = None
        assert int(checked.step) == step + 1
    torch.testing.assert_close(dense(checked.weight.grad), dense(plain.weight.grad))


def test_gradients_accumulate():
    hidden, target = batch()
    layer = make_layer()
    layer(hidden, target).loss.backward()
    layer(hidden, target).loss.backward()
    both = dense(layer.weight.grad)
    layer.zero_grad(set_to_none=True)
    losses = [layer(hidden, target, step=torch.tensor(step)).loss for step in (0, 1)]
    sum(losses).backward()
    torch.testing.assert_close(dense(layer.weight.grad), both)


def test_too_few_slots_for_accumulation_are_an_error():
    hidden, target = batch()
    layer = make_layer(row_gradients=True)
    layer(hidden, target).loss.backward()
    with pytest.raises(RuntimeError, match="clear the row gradients, or reserve more slots"):
        layer(hidden, target).loss.backward()


@pytest.mark.parametrize("options", [*SELECTIONS, {"method": "hsm"}, {"method": "nce"}], ids=str)
def test_a_state_is_plain_tensors_and_makes_the_same_layer(options):
    hidden, target = batch()
    layer = make_layer(**options)
    layer(hidden, target)
    state = layer.state_dict()
    assert all(type(value) is torch.Tensor for value in state.values())
    other = make_layer(**{**options, "class_counts": counts().flip(0)})
    other.load_state_dict(state)
    assert layer(hidden, target).loss == other(hidden, target).loss
    assert int(other.step) == 2


def test_a_copy_has_row_gradients_of_its_own():
    hidden, target = batch()
    layer = make_layer(row_gradients=True)
    other = copy.deepcopy(layer)
    other(hidden, target).loss.backward()
    assert all((rows < 0).all() for rows, _ in layer.weight.row_gradients)
    assert any((rows >= 0).any() for rows, _ in other.weight.row_gradients)


def test_a_second_derivative_is_refused():
    hidden, target = batch()
    for method in ("cane", "softmax"):
        loss = make_layer(method=method)(hidden, target).loss
        with pytest.raises(RuntimeError, match="no second derivative"):
            torch.autograd.grad(loss, hidden, create_graph=True)


def test_scripting_is_refused():
    with pytest.raises(NotImplementedError, match="torch.compile"):
        torch.jit.script(make_layer())


@pytest.mark.skipif(not hasattr(torch, "func"), reason="this PyTorch has no torch.func")
def test_torch_func_is_refused():
    hidden, target = batch()
    layer = make_layer()
    with pytest.raises(NotImplementedError, match="torch.func"):
        torch.func.grad(lambda h: layer(h, target).loss)(hidden)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"method": "sofmax"}, "method: there is no 'sofmax'; there are cane, softmax"),
        ({"select": "all"}, "select: there is no 'all'"),
        ({"select": "beam+proposal"}, "proposal and beam exclude each other"),
        ({"select": "batch+batch"}, "names a part twice"),
        ({"select": "frequent"}, 'select: "frequent" needs class_counts'),
        ({"method": "nce", "select": "batch"}, "select: 'nce' has no candidates"),
        ({"candidates": 0}, "candidates: proposal must have at least 1"),
        ({"candidates": {"beam": 3}}, "candidates: must name proposal, but names beam"),
        ({"noises": 0}, "noises: must be at least 1"),
        ({"noise": "counts"}, 'noise: "counts" needs class_counts'),
        ({"noise": "proposal", "select": "batch+proposal"}, "a union draws from"),
        ({"method": "css", "noise": "counts", "class_counts": counts()}, "uniform noises only"),
        ({"select": "batch", "prior": True}, "prior: needs a proposal"),
        ({"rank": 65}, "rank: must be between 1 and 64"),
        ({"reduction": "max"}, "reduction: there is no 'max'"),
        ({"label_smoothing": 0.1}, "label_smoothing: 'cane' does not look at all classes"),
        ({"class_counts": torch.ones(3)}, "class_counts: must be 70 integers"),
        ({"class_order": torch.zeros(CLASSES), "proposal": "tree"}, "class_order must name each"),
        ({"tied_weight": torch.nn.Parameter(torch.zeros(2, 2))}, "tied_weight: must be"),
    ],
)
def test_contradictory_options_are_refused(options, message):
    with pytest.raises(ValueError, match=message):
        CaneOutput(WIDTH, CLASSES, **options)


def test_wrong_inputs_are_refused():
    hidden, target = batch()
    layer = make_layer()
    with pytest.raises(ValueError, match="hidden: has 5 features, but in_features is 6"):
        layer(hidden[:, :5], target)
    with pytest.raises(ValueError, match="target: has shape"):
        layer(hidden, target[:3])
    with pytest.raises(TypeError, match="target: must be int64"):
        layer(hidden, target.float())
    with pytest.raises(ValueError, match="weight: has shape"):
        layer(hidden, target, torch.ones(2))
    for wrong in (CLASSES, -2):
        with pytest.raises(IndexError, match=f"target: {wrong} is no class of 70"):
            layer(hidden, target.index_fill(0, torch.tensor(2), wrong))
    with pytest.raises(TypeError, match="float32 or bfloat16"):
        layer.half()
    assert make_layer()(hidden, target).loss.shape == ()
    assert len(hidden) == EXAMPLES
