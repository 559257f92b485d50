"""Lists: what they depend on, the probabilities of the noises, and the consistency of the estimate."""

import itertools
import math

import pytest
import torch
from problems import CLASSES, EXAMPLES, SELECTIONS, WIDTH, batch, counts, make_layer

from cane.torch import CaneOutput, cluster_order
from cane.torch._losses import pooled
from cane.torch._selection import DEAD, NOISE_FLOOR, Lists

TRUTH = torch.tensor([0.35, 0.25, 0.2, 0.12, 0.08])


def test_the_law_is_that_of_the_counts_with_a_floor():
    selection = make_layer(select="frequent", class_counts=counts(), candidates=9).selection
    masses, frequent = selection.masses, selection.frequent.long()
    assert not masses[frequent].any()
    torch.testing.assert_close(masses.sum(), torch.tensor(1.0))
    outside = torch.ones(CLASSES, dtype=torch.bool).index_fill_(0, frequent, False)
    weights = counts().clamp_min(1).double() ** 0.75 * outside
    expected = (1 - NOISE_FLOOR) * weights / weights.sum() + NOISE_FLOOR / 61 * outside
    torch.testing.assert_close(masses, expected.float())
    assert set(frequent.tolist()) == set(
        counts().argsort(descending=True, stable=True)[:9].tolist()
    )


def test_classes_are_drawn_by_the_law():
    for options in ({"class_counts": counts(), "candidates": 9}, {"select": "none"}):
        selection = make_layer(**{**options, "noises": 200_000}).selection
        drawn = selection.draw(torch.tensor(3), 200_000)
        shares = torch.bincount(drawn, minlength=CLASSES) / 200_000
        torch.testing.assert_close(shares, selection.masses, rtol=0, atol=0.003)
        assert not shares[selection.masses == 0].any()


def test_draws_depend_on_seed_and_step_alone():
    layer, seeded = make_layer(select="none"), make_layer(select="none", seed=6)
    first = layer.selection.draw(torch.tensor(3), 11)
    # The same numbers everywhere and in every version: checkpoints go on as they began.
    assert first.tolist() == [69, 57, 58, 9, 36, 44, 20, 21, 60, 67, 41]
    assert torch.equal(first, layer.selection.draw(torch.tensor(3), 11))
    assert not torch.equal(first, layer.selection.draw(torch.tensor(4), 11))
    assert not torch.equal(first, seeded.selection.draw(torch.tensor(3), 11))


def test_draws_of_different_steps_have_nothing_in_common():
    selection = CaneOutput(2, 10**6, noises=2000).selection
    drawn = torch.stack([selection.draw(torch.tensor(step), 2000) for step in range(20)]).flatten()
    # Of 40,000 draws among a million about 780 are there twice.
    assert abs(len(drawn) - len(drawn.unique()) - 790) < 120


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
@pytest.mark.parametrize("options", [o for o in SELECTIONS if "batch" not in o.get("select", "")])
def test_the_list_does_not_see_the_labels(options):
    selection = make_layer(**options).selection
    _, target = batch()
    one, other = (selection.lists(y, torch.tensor(0)) for y in (target, target.roll(1)))
    assert torch.equal(one.classes, other.classes) and torch.equal(one.offsets, other.offsets)
    for mine, dead in zip(one.dead, other.dead, strict=True):
        is_there = (mine < len(one.classes)) & (dead < len(one.classes))
        assert torch.equal(mine[is_there], dead[is_there])


@torch.no_grad()
def test_labels_of_the_batch_are_shared_by_the_other_examples():
    selection = make_layer(select="batch", noises=8).selection
    target = torch.arange(EXAMPLES)
    target[1] = 0
    lists = selection.lists(target, torch.tensor(0))
    is_in = lists.label_at < len(lists.classes)
    assert is_in.tolist() == [True, True] + [False] * (EXAMPLES - 2)
    # An example with a label of its own has the list that any other label outside would give it.
    changed = target.clone()
    changed[3] = 33
    for example_lists in (lists, selection.lists(changed, torch.tensor(0))):
        live = listed(example_lists, 3)
        assert not {3, 33} & live
        assert live >= {0, 2, *range(4, EXAMPLES)}


def listed(lists: Lists, example: int) -> set[int]:
    """The classes that an example lists beside its label."""
    live = lists.offsets > DEAD / 2
    for dead in lists.dead:
        if dead[example] < len(live):
            live = live.index_fill(0, dead[example], False)
    return set(lists.classes[live].tolist())


def expected_gradient(shared, slots, law, example, claimed=None):
    """The expectation of the gradient at the true scores, over labels and slots, for an example of a
    number; `claimed` is the law that scores are corrected by."""
    classes = len(TRUTH)
    total = torch.zeros(classes)
    log_slots = (law if claimed is None else claimed).log() + math.log(slots)
    for label, drawn in itertools.product(
        range(classes), itertools.product(range(classes), repeat=slots)
    ):
        chance = TRUTH[label] * math.prod(float(law[t]) for t in drawn)
        if chance == 0:
            continue
        names = torch.tensor([*shared, *drawn])
        offsets = torch.cat([torch.zeros(len(shared)), -log_slots[list(drawn)]])
        is_in = label in shared
        label_at = torch.tensor([shared.index(label) if is_in else len(names)])
        scores = TRUTH.log()[names] + offsets
        for place, name in enumerate(drawn):
            if name in shared or (not is_in and place == example % slots):
                scores[len(shared) + place] = DEAD
        lists = Lists(names, offsets, [], label_at, -log_slots[[label]])
        slopes = pooled(scores.unsqueeze(0), TRUTH.log()[[label]], lists)
        total.index_add_(0, names, chance * slopes.columns[0] * slopes.factor)
        total[label] += chance * slopes.label[0]
    return total


@pytest.mark.parametrize("slots", [1, 2, 3])
@pytest.mark.parametrize("excludes", [True, False])
def test_the_expected_gradient_is_zero_at_the_truth(slots, excludes):
    """Labels and slots enumerated, with a law over the classes that are not shared, and over all, so
    that slots are dead."""
    shared = [0, 3]
    law = torch.tensor([0.1, 0.3, 0.2, 0.25, 0.15])
    if excludes:
        law = law.index_fill(0, torch.tensor(shared), 0.0)
        law = law / law.sum()
    assert expected_gradient(shared, slots, law, 4).abs().max() < 1e-6
    over_all = torch.tensor([0.1, 0.3, 0.2, 0.25, 0.15])
    assert expected_gradient([], slots, over_all, 1).abs().max() < 1e-6
    # Scores that are corrected by another law are not consistent.
    claimed = over_all.index_select(0, torch.tensor([4, 3, 2, 1, 0]))
    assert expected_gradient(shared, slots, over_all, 4, claimed).abs().max() > 0.005


def test_the_gradient_of_a_layer_is_zero_at_the_truth_on_average():
    """The same of the layer itself, batches and draws included, to the error of an average."""
    torch.manual_seed(0)
    truth = torch.softmax(torch.randn(12), 0)
    for options in (
        {"select": "none"},
        {"select": "batch"},
        {"select": "frequent+batch", "candidates": 3, "class_counts": (truth * 1e4).long()},
    ):
        layer = CaneOutput(1, 12, noises=3, row_gradients=True, reduction="sum", **options)
        with torch.no_grad():
            layer.weight.zero_()
            layer.bias.copy_(truth.log())
        total, squares, batches = torch.zeros(12), torch.zeros(12), 1500
        for _ in range(batches):
            target = torch.multinomial(truth, 8, replacement=True)
            layer(torch.zeros(8, 1), target).loss.backward()
            gradient = torch.zeros(12)
            for rows, values in layer.bias.row_gradients:
                gradient.index_add_(0, rows, values)
            layer.bias.row_gradients.clear(), layer.weight.row_gradients.clear()
            total += gradient
            squares += gradient.square()
        error = (squares / batches).sqrt() / math.sqrt(batches)
        assert ((total / batches).abs() < 4 * error + 1e-6).all()


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


def test_the_lists_have_the_sizes_that_were_asked_for():
    assert WIDTH < CLASSES
    many = torch.ones(30_000, dtype=torch.int64)

    def sizes(examples, classes=30_000, **options):
        selection = CaneOutput(2, classes, **options).selection
        return len(selection.frequent), selection.slots_of(examples)

    assert sizes(4096, class_counts=many) == (1024, 8192)
    assert sizes(256, class_counts=many) == (1024, 2048)
    assert sizes(16) == (0, 1024)
    assert sizes(16, 1000) == (0, 0)  # all are listed
    assert sizes(1024, 9000, class_counts=many[:9000]) == (1024, 0)
    assert sizes(256, class_counts=many, candidates={"frequent": 10}, noises=20) == (10, 20)
    assert sizes(256, class_counts=many, candidates=30_000, noises=5) == (30_000, 0)
