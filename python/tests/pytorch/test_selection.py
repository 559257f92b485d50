"""Candidates and noises: what they depend on, and the exact probabilities of the noises."""

import pytest
import torch
from problems import CLASSES, EXAMPLES, SELECTIONS, WIDTH, batch, make_layer, noises_of, shortlist

from cane.torch import CaneOutput, cluster_order

KINDS = [("low-rank", None), ("tree", None), ("tree", torch.arange(CLASSES).flip(0))]


def proposed(layer, hidden):
    """log p' of all classes [B, K], from its definition."""
    proposal = layer.selection.proposal
    features = proposal.features(hidden)
    scores = features @ proposal.rows.t() + proposal.bias
    if not proposal.is_tree:
        return scores.log_softmax(1)
    clusters = proposal.clusters.of_classes(torch.arange(CLASSES))
    of_clusters = features @ proposal.cluster_weight.t() + proposal.cluster_bias
    result = torch.empty_like(scores)
    for cluster in range(proposal.clusters.count):
        same = clusters == cluster
        inside = scores[:, same].log_softmax(1)
        result[:, same] = inside + of_clusters.log_softmax(1)[:, cluster : cluster + 1]
    return result


@torch.no_grad()
@pytest.mark.parametrize(("kind", "order"), KINDS)
def test_the_candidates_of_a_proposal_are_its_most_probable_classes(kind, order):
    layer = make_layer(proposal=kind, class_order=order)
    hidden, target = batch()
    lists = shortlist(layer, hidden, target)
    log_prob = proposed(layer, hidden)
    if kind == "tree":
        # Only the most probable clusters are opened, here 4 of 5.
        masses = layer.selection.proposal.masses(layer.selection.proposal.features(hidden))[1]
        clusters = layer.selection.proposal.clusters.of_classes(torch.arange(CLASSES))
        closed = masses.argmin(1, keepdim=True) == clusters
        assert closed.any()
        log_prob = log_prob.masked_fill(closed, -float("inf"))
    expected = log_prob.topk(9, 1).indices
    found = lists.own_classes[:, :9].long()
    assert torch.equal(found.sort(1).values, expected.sort(1).values)


@torch.no_grad()
@pytest.mark.parametrize(("kind", "order"), KINDS)
def test_noises_have_the_probabilities_of_the_proposal_outside_the_candidates(kind, order):
    layer = make_layer(proposal=kind, class_order=order, noises=3000)
    one = batch()[0][:1]
    # Every class as the label of the same hidden state: log q of each.
    lists = shortlist(layer, one.expand(CLASSES, WIDTH), torch.arange(CLASSES))
    candidates = lists.own_classes[0, :9].long()
    log_q = lists.log_q[:, 0]
    is_candidate = torch.zeros(CLASSES, dtype=torch.bool).index_fill_(0, candidates, True)
    assert torch.equal(torch.isinf(log_q), is_candidate)
    q = log_q.neg().exp().reciprocal().masked_fill(is_candidate, 0)
    torch.testing.assert_close(q.sum(), torch.tensor(1.0))
    law = proposed(layer, one)[0].exp().masked_fill(is_candidate, 0)
    torch.testing.assert_close(q, law / law.sum(), rtol=1e-4, atol=1e-6)
    drawn = noises_of(lists, 0)
    assert len(drawn) == 3000
    for name, value in drawn[:50]:
        assert value == pytest.approx(float(log_q[name]), abs=1e-4)
    shares = torch.bincount(torch.tensor([name for name, _ in drawn]), minlength=CLASSES) / 3000
    torch.testing.assert_close(shares, q, rtol=0, atol=0.035)


@torch.no_grad()
@pytest.mark.parametrize("options", [o for o in SELECTIONS if "batch" not in o["select"]], ids=str)
def test_the_selection_does_not_see_the_label(options):
    layer = make_layer(**options)
    hidden, target = batch()
    one, other = shortlist(layer, hidden, target), shortlist(layer, hidden, target.roll(1))
    place = one.own_candidates
    for lists in (one, other):
        lists.own_classes[:, place] = -1
    assert torch.equal(one.own_classes, other.own_classes)
    assert torch.equal(one.shared_classes, other.shared_classes)


@torch.no_grad()
def test_labels_of_the_batch_are_candidates_of_the_other_examples():
    layer = make_layer(select="batch", noises=400)
    hidden, _ = batch()
    target = torch.arange(EXAMPLES)
    target[1] = 0
    lists = shortlist(layer, hidden, target)
    covered = lists.label_at < lists.candidates
    assert covered.tolist() == [True, True] + [False] * (EXAMPLES - 2)
    # An example with a label of its own draws it as it would any class outside.
    changed = target.clone()
    changed[3] = 33
    other = shortlist(layer, hidden, changed)
    assert noises_of(lists, 3) == noises_of(other, 3)


@torch.no_grad()
def test_draws_depend_on_seed_and_step_alone():
    hidden, target = batch()
    for options in SELECTIONS:
        layer, seeded = make_layer(**options), make_layer(**{**options, "seed": 6})
        first = shortlist(layer, hidden, target, 3).columns()
        assert torch.equal(first, shortlist(layer, hidden, target, 3).columns())
        assert not torch.equal(first, shortlist(layer, hidden, target, 4).columns())
        assert not torch.equal(first, shortlist(seeded, hidden, target, 3).columns())


def test_each_call_in_training_takes_the_next_step():
    layer = make_layer(method="nce")
    hidden, target = batch()
    losses = [layer(hidden, target).loss.item() for _ in range(2)]
    assert int(layer.step) == 2
    assert losses[0] != losses[1]
    repeated = layer(hidden, target, step=torch.tensor(0)).loss.item()
    assert (int(layer.step), repeated) == (2, losses[0])
    layer.eval()
    assert layer(hidden, target).loss == layer(hidden, target).loss


@torch.no_grad()
@pytest.mark.parametrize("wrong_q", [False, True])
def test_the_expected_gradient_is_zero_at_the_truth(wrong_q):
    """Labels and noises enumerated: the estimate is consistent, and only with the right q."""
    truth = torch.tensor([0.4, 0.25, 0.15, 0.1, 0.06, 0.04])
    law = torch.tensor([0.0, 0.0, 0.1, 0.2, 0.3, 0.4])  # outside the candidates 0 and 1
    if wrong_q:
        claimed = torch.tensor([0.0, 0.0, 0.4, 0.3, 0.2, 0.1])
    else:
        claimed = law
    label, noise = torch.meshgrid(torch.arange(6), torch.arange(2, 6), indexing="ij")
    label, noise = label.reshape(-1), noise.reshape(-1)
    examples = len(label)
    candidates = torch.tensor([[0, 1]], dtype=torch.int32).expand(examples, 2).contiguous()
    log_q = torch.stack([claimed[label].log().neg(), claimed[noise].log().neg()], 1).neg()
    none = torch.empty(0, dtype=torch.int32)
    columns = torch.ops.cane.columns_of_classes(none, 6)
    own, shared, log_q, label_at, drawn = torch.ops.cane.shortlist(
        label,
        candidates,
        none,
        none,
        noise.to(torch.int32).unsqueeze(1),
        none,
        columns,
        torch.full((6,), 1 / 6),
        log_q,
        "cane",
    )
    scores = torch.ops.cane.class_scores(
        torch.ones(examples, 1), torch.zeros(6, 1), truth.log(), own, shared, 1, 0, None, None, None
    )
    _, gradient = torch.ops.cane.shortlist_loss(
        scores, none, log_q, label_at, drawn, 2, 0, 6, "cane"
    )
    by_class = torch.zeros(examples, 6)
    by_class.scatter_add_(1, own.long().clamp_min(0), gradient[:, :4].masked_fill(own < 0, 0))
    expected = ((truth[label] * law[noise]).unsqueeze(1) * by_class).sum(0)
    assert bool(expected.abs().max() < 1e-6) is not wrong_q


def test_similar_classes_become_neighbours():
    torch.manual_seed(0)
    centres = 10 * torch.randn(8, 5)
    vectors = centres[torch.arange(64) % 8] + torch.randn(64, 5)
    order = cluster_order(vectors, size=8).long()
    assert torch.equal(order.sort().values, torch.arange(64))

    def spread(rows):
        parts = rows.view(8, 8, 5)
        return (parts - parts.mean(1, keepdim=True)).square().mean()

    assert spread(vectors[order]) < 0.3 * spread(vectors)


def test_many_classes_get_a_tree_and_few_a_low_rank():
    assert not CaneOutput(2, 1000, rank=2).selection.proposal.is_tree
    assert CaneOutput(2, 140_000, rank=2).selection.proposal.is_tree
    assert CaneOutput(2, 1000, rank=2, proposal="tree").selection.proposal.is_tree
