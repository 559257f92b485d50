"""Probabilities, normalisers and the best classes."""

import pytest
import torch
from problems import CLASSES, EXAMPLES, SAMPLED, WIDTH, all_scores, batch, counts, make_layer

METHODS = [{"method": method} for method in ["cane", "softmax", "hsm", *SAMPLED]]
LAYERS = [
    *METHODS,
    {"bias": False},
    {"method": "hsm", "class_order": torch.arange(CLASSES).flip(0)},
]


@torch.no_grad()
@pytest.mark.parametrize("options", LAYERS, ids=str)
def test_probabilities_sum_to_one_and_the_best_class_is_predicted(options):
    layer = make_layer(**options)
    hidden = batch()[0].view(4, 5, WIDTH)
    log_prob = layer.log_prob(hidden)
    assert log_prob.shape == (4, 5, CLASSES)
    torch.testing.assert_close(log_prob.exp().sum(-1), torch.ones(4, 5))
    classes = torch.randint(0, CLASSES, (4, 5, 3))
    torch.testing.assert_close(layer.log_prob(hidden, classes), log_prob.gather(2, classes))
    scores, best = layer.top_k(hidden, 4)
    assert torch.equal(best, log_prob.topk(4, -1).indices)
    assert torch.equal(layer.predict(hidden), log_prob.argmax(-1))
    normalised = scores - layer.log_normalizer(hidden).unsqueeze(-1)
    torch.testing.assert_close(normalised, log_prob.topk(4, -1).values, rtol=1e-4, atol=1e-4)


@torch.no_grad()
@pytest.mark.parametrize("options", LAYERS, ids=str)
def test_predictions_by_blocks_are_those_at_once(options, monkeypatch):
    from cane.torch import _prediction

    layer, hidden = make_layer(**options), batch()[0]
    at_once = layer.log_prob(hidden), *layer.top_k(hidden, 5)
    parts = [slice(begin, min(begin + 9, CLASSES)) for begin in range(0, CLASSES, 9)]
    monkeypatch.setattr(_prediction, "blocks", lambda hidden, weight: parts)
    monkeypatch.setattr(_prediction, "MEMBERS_AT_ONCE", 1)
    for one, other in zip((layer.log_prob(hidden), *layer.top_k(hidden, 5)), at_once):
        torch.testing.assert_close(one, other)


@torch.no_grad()
def test_scores_are_linear_in_the_rows_of_the_classes():
    for options in ({}, {"bias": False}):
        layer = make_layer(**options)
        hidden = batch()[0]
        rows, bias = layer.class_rows()
        scores = (hidden @ rows.t() + bias).log_softmax(1)
        torch.testing.assert_close(layer.log_prob(hidden), scores, rtol=1e-4, atol=1e-5)
    with pytest.raises(ValueError, match="paths of a tree"):
        make_layer(method="hsm").class_rows()


@torch.no_grad()
def test_scores_of_negative_sampling_become_probabilities_with_log_q():
    layer = make_layer(method="neg", class_counts=counts())
    hidden = batch()[0]
    expected = (all_scores(layer, hidden) + layer.selection.masses.log()).log_softmax(1)
    torch.testing.assert_close(layer.log_prob(hidden), expected)


@torch.no_grad()
@pytest.mark.parametrize(
    "options",
    [
        {"select": "none"},
        {"select": "frequent", "class_counts": counts(), "candidates": 20},
        {"method": "nce", "class_counts": counts()},
        {"select": "batch"},
        {"bias": False},
    ],
    ids=str,
)
def test_the_estimated_normaliser_is_right_on_average(options):
    layer = make_layer(**{**options, "noises": 20_000})
    hidden = batch()[0]
    estimate = layer.log_normalizer(hidden, exact=False)
    torch.testing.assert_close(estimate, layer.log_normalizer(hidden), rtol=0, atol=0.15)


@torch.no_grad()
def test_a_search_that_looks_at_all_classes_is_exact():
    layer = make_layer(method="hsm")
    hidden = batch()[0]
    exact, found = layer.top_k(hidden, CLASSES), layer.top_k(hidden, CLASSES, exact=False)
    torch.testing.assert_close(found[0], exact[0], rtol=1e-4, atol=1e-4)
    scores, best = layer.top_k(hidden, 1, exact=False)  # 4 of 5 clusters
    assert (scores <= exact[0][:, :1] + 1e-5).all() and (
        best == exact[1][:, :1]
    ).float().mean() > 0.6


def test_log_prob_of_all_classes_is_differentiable():
    layer = make_layer()
    hidden, target = batch()
    layer.log_prob(hidden).gather(1, target.unsqueeze(1)).sum().backward()
    actual = hidden.grad.clone()
    hidden.grad = None
    (
        -torch.nn.functional.cross_entropy(all_scores(layer, hidden), target, reduction="sum")
    ).backward()
    torch.testing.assert_close(actual, hidden.grad, rtol=1e-4, atol=1e-5)


def test_what_cannot_be_predicted_is_an_error():
    hidden = batch()[0]
    with pytest.raises(ValueError, match="exact=False.*exact=True"):
        make_layer(method="nce").predict(hidden, exact=False)
    with pytest.raises(ValueError, match="k: must be between 1 and 70"):
        make_layer().top_k(hidden, 71)
    with pytest.raises(IndexError, match="classes: 70 is no class of 70"):
        make_layer().log_prob(hidden, torch.full((EXAMPLES, 1), CLASSES))
    with pytest.raises(ValueError, match="classes: has shape"):
        make_layer().log_prob(hidden, torch.zeros(3, dtype=torch.int64))
    with pytest.raises(ValueError, match="log_normalizer: neg"):
        make_layer(method="neg").log_normalizer(hidden, exact=False)
