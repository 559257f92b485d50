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
    dense,
    make_layer,
    plain_losses,
    rows_as_table,
    shortlist,
)

from cane.torch import CaneOutput

LAYERS = [{"method": method} for method in SAMPLED] + SELECTIONS + [{"prior": False}]


def gradients(layer, hidden):
    tables = [layer.weight.grad, layer.bias.grad]
    if layer.clusters is not None:
        tables += [layer.cluster_weight.grad, layer.cluster_bias.grad]
    return [hidden.grad] + [dense(table) for table in tables]


def assert_all_close(actual, expected):
    for one, other in zip(actual, expected, strict=True):
        torch.testing.assert_close(one, other, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("options", LAYERS, ids=str)
def test_losses_and_gradients_are_those_of_plain_pytorch(options):
    layer = make_layer(**options)
    hidden, target = batch(padding=3)
    factor = torch.rand(EXAMPLES)
    lists = shortlist(layer, hidden, target.masked_fill(target < 0, -2))
    losses = plain_losses(layer, all_scores(layer, hidden), lists, target)
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


@pytest.mark.parametrize("smoothing", [0.0, 0.2])
def test_the_softmax_by_blocks_is_cross_entropy(smoothing):
    layer = make_layer(method="softmax", label_smoothing=smoothing)
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


@torch.no_grad()
@pytest.mark.parametrize("options", [{}, {"proposal": "tree"}, {"prior": False}], ids=str)
def test_scores_are_linear_in_the_rows_of_the_classes(options):
    layer = make_layer(**options)
    hidden, target = batch()
    rows, bias = layer.class_rows()
    is_weight = torch.equal(rows, layer.weight) and torch.equal(bias, layer.bias)
    assert is_weight is (layer.prior is None)
    scores = hidden @ rows.t() + bias
    torch.testing.assert_close(scores, all_scores(layer, hidden), rtol=1e-4, atol=1e-5)
    torch.testing.assert_close(layer.log_prob(hidden), scores.log_softmax(1), rtol=1e-4, atol=1e-5)
    one = layer.log_prob(hidden, target.unsqueeze(1)).squeeze(1)
    expected = -torch.nn.functional.cross_entropy(scores, target, reduction="none")
    torch.testing.assert_close(one, expected, rtol=1e-4, atol=1e-5)


def test_a_tied_weight_is_all_that_scores_are_made_of():
    embedding = torch.nn.Embedding(CLASSES, WIDTH)
    assert make_layer(tied_weight=embedding.weight).prior is None
    assert make_layer(tied_weight=embedding.weight, prior=True).prior is not None


@pytest.mark.parametrize("kind", ["low-rank", "tree"])
def test_a_proposal_learns_from_its_own_likelihood_alone(kind):
    layer = make_layer(proposal=kind)
    hidden, target = batch()
    layer(hidden, target).loss.backward()
    alone = hidden.grad.clone()
    proposal = layer.selection.proposal
    assert all(dense(p.grad).abs().sum() > 0 for p in proposal.parameters())
    for parameter in proposal.parameters():
        parameter.requires_grad_(False)
    hidden.grad = None
    layer.zero_grad(set_to_none=True)
    layer(hidden, target, step=torch.tensor(0)).loss.backward()
    torch.testing.assert_close(hidden.grad, alone)


def test_the_likelihood_of_a_tree_proposal_is_exact():
    layer = make_layer(proposal="tree")
    hidden, target = batch()
    proposal = layer.selection.proposal
    features = proposal.features(hidden)
    losses = proposal.losses(features, None, target, False)
    losses.mean().backward()
    actual = dense(proposal.rows.grad)
    proposal.zero_grad(set_to_none=True)
    scores = features.detach() @ proposal.rows.t() + proposal.bias
    clusters = proposal.clusters.of_classes(torch.arange(CLASSES))
    of_clusters = features.detach() @ proposal.cluster_weight.t() + proposal.cluster_bias
    parts = []
    for example, label in enumerate(target):
        same = clusters == clusters[label]
        inside = scores[example, label] - scores[example, same].logsumexp(0)
        parts.append(inside + of_clusters[example].log_softmax(0)[clusters[label]])
    expected = -torch.stack(parts)
    torch.testing.assert_close(losses, expected, rtol=1e-4, atol=1e-5)
    expected.mean().backward()
    torch.testing.assert_close(actual, proposal.rows.grad, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("options", [*LAYERS, {"method": "hsm"}], ids=str)
def test_row_gradients_are_the_sparse_gradients(options):
    hidden, target = batch(padding=1)
    sparse, rows = make_layer(**options), make_layer(**options, row_gradients=True)
    rows.reserve_rows(EXAMPLES, slots=2)
    for layer in (sparse, rows):
        for step in range(2):
            layer(hidden, target, step=torch.tensor(step)).loss.backward()
    tables = [(sparse.weight, rows.weight), (sparse.bias, rows.bias)]
    if sparse.selection is not None and sparse.selection.proposal is not None:
        one, other = sparse.selection.proposal, rows.selection.proposal
        tables += [(one.rows, other.rows), (one.bias, other.bias)]
    for one, other in tables:
        assert other.grad is None
        torch.testing.assert_close(rows_as_table(other), dense(one.grad), rtol=1e-4, atol=1e-5)
    rows.weight.row_gradients.clear()
    assert not rows_as_table(rows.weight).any()


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
    layer = CaneOutput(WIDTH, CLASSES, tied_weight=embedding.weight, bias=False, candidates=4)
    assert layer.weight is embedding.weight
    hidden, target = batch()
    layer(hidden, target).loss.backward()
    alone = dense(embedding.weight.grad)
    embedding.weight.grad = None
    loss = layer(hidden, target, step=torch.tensor(0)).loss + embedding(torch.tensor([3])).sum()
    loss.backward()
    alone[3] += 1
    torch.testing.assert_close(dense(embedding.weight.grad), alone)


def test_bfloat16_weights_and_hidden_states_are_summed_in_float32():
    hidden, target = batch()
    plain, half = make_layer(), make_layer().to(torch.bfloat16)
    assert half.weight.dtype == torch.bfloat16
    assert half.bias.dtype == half.selection.masses.dtype == torch.float32
    with torch.no_grad():
        plain.weight.copy_(half.weight)
    rounded = hidden.detach().to(torch.bfloat16).requires_grad_()
    loss = half(rounded, target).loss
    expected = plain(rounded.float(), target).loss
    torch.testing.assert_close(loss, expected)
    loss.backward()
    assert half.weight.grad.dtype == torch.bfloat16
    assert rounded.grad.dtype == torch.bfloat16


def test_autocast_changes_neither_scores_nor_probabilities_of_noises():
    hidden, target = batch()
    for options in LAYERS:
        layer = make_layer(**options)
        expected = layer(hidden, target).loss
        with torch.autocast("cpu", dtype=torch.bfloat16):
            loss = layer(hidden, target, step=torch.tensor(0)).loss
        assert loss.dtype == torch.float32
        torch.testing.assert_close(loss, expected, rtol=0.05, atol=0.05)
