"""The layer in a training: optimisers, checkpointing, accumulation, saving, and what is refused."""

import copy
import pathlib

import pytest
import torch
from problems import CLASSES, EXAMPLES, SELECTIONS, WIDTH, batch, counts, dense, make_layer
from torch.utils.checkpoint import checkpoint

from cane.torch import CaneOutput


@pytest.mark.parametrize(
    ("options", "accuracy"),
    [
        ({}, 0.98),
        ({"candidates": 20, "noises": 20}, 0.75),
        ({"select": "none", "noises": 30}, 0.7),
        ({"select": "batch", "noises": 20}, 0.6),
        ({"method": "hsm"}, 0.5),
        ({"method": "blackout", "noises": 50}, 0.5),
    ],
    ids=str,
)
def test_a_layer_learns(options, accuracy):
    torch.manual_seed(0)
    classes, width = 100, 16
    centres = torch.randn(classes, width)
    target = torch.randint(0, classes, (64 * 30,))
    hidden = centres[target] + 0.3 * torch.randn(len(target), width)
    found = torch.bincount(target, minlength=classes)
    layer = CaneOutput(width, classes, class_counts=found, **options)
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
    layer = CaneOutput(width, classes, class_counts=counts, **options)
    optimizer = torch.optim.Adagrad(layer.parameters(), lr=0.3)
    for begin in range(0, 64 * steps, 64):
        optimizer.zero_grad()
        layer(hidden[begin : begin + 64], target[begin : begin + 64]).loss.backward()
        optimizer.step()
    with torch.no_grad():
        log_prob = layer.log_prob(hidden[-2000:])
    right = (log_prob.argmax(1) == target[-2000:]).float().mean()
    return float(right), float(torch.nn.functional.nll_loss(log_prob, target[-2000:]))


def test_a_list_of_some_classes_comes_close_to_the_full_softmax():
    accuracy, loss = learned(1, method="softmax")
    of_list = learned(1, select="frequent+batch", candidates=500, noises=200)
    assert of_list[0] > accuracy - 0.1 and of_list[1] < loss + 0.25, of_list
    of_all = learned(1)
    assert of_all[1] == pytest.approx(loss, abs=1e-3)


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


@pytest.mark.parametrize(
    "name", ["low-rank", "tree", "no prior", "beam", "frequent", "neg", "hsm", "softmax"]
)
def test_a_state_of_the_first_layers_predicts_what_it_did(name):
    saved = torch.load(pathlib.Path(__file__).parent / "saved" / "layers-0.2.pt")[name]
    options = {key: saved["options"][key] for key in ("method", "prior") if key in saved["options"]}
    layer = CaneOutput(WIDTH, CLASSES, class_counts=counts(), **options)
    layer.load_state_dict(saved["state"])
    torch.testing.assert_close(layer.log_prob(batch()[0]), saved["log_prob"], rtol=1e-4, atol=1e-5)
    assert int(layer.step) == 1
    layer(*batch()).loss.backward()  # it can be trained further


def test_a_state_of_a_part_of_a_model_is_loaded_too():
    saved = torch.load(pathlib.Path(__file__).parent / "saved" / "layers-0.2.pt")["low-rank"]
    model = torch.nn.ModuleDict({"head": CaneOutput(WIDTH, CLASSES, class_counts=counts())})
    model.load_state_dict({f"head.{name}": value for name, value in saved["state"].items()})
    found = model["head"].log_prob(batch()[0])
    torch.testing.assert_close(found, saved["log_prob"], rtol=1e-4, atol=1e-5)


def test_a_copy_has_row_gradients_of_its_own():
    hidden, target = batch()
    layer = make_layer(row_gradients=True)
    layer(hidden, target).loss.backward()
    other = copy.deepcopy(layer)
    other(hidden, target).loss.backward()
    assert len(layer.weight.row_gradients) == len(other.weight.row_gradients) == 1


def test_a_second_derivative_is_refused():
    hidden, target = batch()
    for method in ("cane", "softmax"):
        loss = (make_layer(method=method)(hidden, target).loss * hidden.sum()).sum()
        first = torch.autograd.grad(loss, hidden, create_graph=True)[0]
        with pytest.raises(RuntimeError, match="once_differentiable"):
            first.sum().backward()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"method": "sofmax"}, "method: there is no 'sofmax'; there are cane, softmax"),
        ({"select": "all"}, "select: there is no 'all'"),
        ({"select": "beam"}, "select: 'beam': candidates of each example's own are gone"),
        ({"select": "frequent+proposal", "class_counts": counts()}, "select: 'proposal'"),
        ({"select": "batch+batch"}, "is no union"),
        ({"select": "batch+none"}, "is no union"),
        ({"select": "frequent"}, 'select: "frequent" needs class_counts'),
        ({"method": "nce", "select": "batch"}, "select: 'nce' has no candidates"),
        ({"candidates": 0}, "candidates: must be at least 1"),
        ({"candidates": {"batch": 3}, "select": "batch"}, "candidates: names batch"),
        ({"noises": 0}, "noises: must be at least 1"),
        ({"noise": "counts"}, 'noise: "counts" needs class_counts'),
        ({"noise": "proposal"}, "noise: candidates of each example's own are gone"),
        ({"method": "css", "noise": "counts", "class_counts": counts()}, "uniform noises only"),
        ({"rank": 8}, "rank: candidates of each example's own are gone"),
        ({"proposal": "tree"}, "proposal: candidates of each example's own are gone"),
        ({"reduction": "max"}, "reduction: there is no 'max'"),
        ({"label_smoothing": 0.1}, "label_smoothing: 'cane' does not look at all classes"),
        ({"class_counts": torch.ones(3)}, "class_counts: must be 70 integers"),
        ({"class_order": torch.zeros(CLASSES), "method": "hsm"}, "class_order must name each"),
        ({"tied_weight": torch.nn.Parameter(torch.zeros(2, 2))}, "tied_weight: must be"),
    ],
)
def test_contradictory_options_are_refused(options, message):
    with pytest.raises(ValueError, match=message):
        CaneOutput(WIDTH, CLASSES, **options)


def test_wrong_inputs_are_refused():
    with pytest.raises(TypeError, match="no argument 'rnk'"):
        make_layer(rnk=3)
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
