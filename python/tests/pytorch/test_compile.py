"""torch.compile, and the operators by PyTorch's own checks; PyTorch 2 has both."""

import pytest
import torch
from problems import (
    CLASSES,
    EXAMPLES,
    SELECTIONS,
    WIDTH,
    batch,
    make_layer,
    rows_as_table,
    shortlist,
)

pytestmark = pytest.mark.skipif(
    not hasattr(torch.library, "opcheck"), reason="this PyTorch does not compile"
)


@pytest.fixture(autouse=True)
def _forget_what_was_compiled():
    torch._dynamo.reset()


@pytest.mark.parametrize(
    "options", [*SELECTIONS, {"method": "hsm"}, {"method": "nce"}, {"method": "softmax"}], ids=str
)
def test_a_compiled_layer_is_the_eager_one(options):
    hidden, target = batch(padding=1)
    eager, compiled = (make_layer(**options, row_gradients=True) for _ in range(2))
    for layer in (eager, compiled):
        layer.reserve_rows(EXAMPLES, slots=2)
    call = torch.compile(compiled, fullgraph=True, backend="aot_eager")
    for _ in range(2):
        results = []
        for function in (eager, call):
            hidden.grad = None
            loss = function(hidden, target).loss
            loss.backward()
            results.append((loss.detach(), hidden.grad))
        torch.testing.assert_close(results[1], results[0])
    assert int(compiled.step) == 2
    if options.get("method") == "softmax":
        torch.testing.assert_close(compiled.weight.grad, eager.weight.grad)
    else:
        assert rows_as_table(eager.weight).any()
        torch.testing.assert_close(rows_as_table(compiled.weight), rows_as_table(eager.weight))


def test_a_compiled_layer_takes_batches_of_any_size():
    hidden, target = batch()
    layer = make_layer(row_gradients=True, select="batch")
    layer.reserve_rows(EXAMPLES)
    call = torch.compile(layer, fullgraph=True, backend="aot_eager", dynamic=True)
    for examples in (EXAMPLES, 11, 7):
        loss = call(hidden[:examples], target[:examples]).loss
        expected = layer(hidden[:examples], target[:examples], step=layer.step - 1).loss
        torch.testing.assert_close(loss, expected)
        loss.backward()
        layer.weight.row_gradients.clear()


def test_sparse_gradients_are_not_compiled():
    hidden, target = batch()
    call = torch.compile(make_layer(), fullgraph=True, backend="aot_eager")
    with pytest.raises(Exception, match="row_gradients=True"):
        call(hidden, target)


def test_the_operators_keep_their_promises():
    layer = make_layer(select="proposal")
    proposal = layer.selection.proposal
    hidden, target = batch(padding=1)
    hidden = hidden.detach()
    features = proposal.features(hidden).detach()
    rows, bias = proposal.rows.detach(), proposal.bias.detach()
    high, log_mass = proposal.masses(features)
    own = proposal.candidates(features, high, 9)
    step, none = torch.tensor(0), torch.empty(0, dtype=torch.int32)
    selection = layer.selection
    tables = (features, rows, bias, none, none)
    outside = torch.ops.cane.proposal_outside(*tables, log_mass, 64, False, own)
    noises, log_q = torch.ops.cane.proposal_noises(*tables, outside, 64, own, target, 4, 1, step)
    lists = shortlist(layer, hidden, target.masked_fill(target < 0, -2))
    leaves = [t.detach().clone().requires_grad_() for t in (hidden, layer.weight, layer.bias)]
    buffers = (torch.full((1, CLASSES), -1), torch.zeros(1, CLASSES, 8), step.clone())
    classes = (lists.own_classes, lists.shared_classes, lists.own_noises, lists.shared_noises)
    scores = torch.ops.cane.class_scores(*leaves, *classes, *buffers).detach()
    loss = (lists.visible_after, lists.log_q, lists.label_at, lists.drawn, 9, 0, CLASSES, "cane")
    gradient = torch.ops.cane.shortlist_loss(scores, *loss)[1]
    ids, values = torch.arange(CLASSES), torch.randn(CLASSES, 8)
    labels, normalizer = target.clamp_min(0), torch.zeros(EXAMPLES)
    cases = {
        "draw_noises": [
            (selection.cells, selection.outcomes, 1, step, None, 4),
            (selection.cells, selection.outcomes, 1, step, hidden, 4),
        ],
        "batch_classes": [(target, selection.columns, 0)],
        "proposal_blocks": [(features, rows, bias, 64)],
        "proposal_outside": [(*tables, log_mass, 64, False, own)],
        "proposal_noises": [(*tables, outside, 64, own, target, 4, 1, step)],
        "shortlist": [
            (
                target,
                own,
                none,
                none,
                noises,
                none,
                selection.columns,
                selection.masses,
                log_q,
                "cane",
            )
        ],
        "class_scores": [(*leaves, *classes, *buffers)],
        "class_scores_backward": [(gradient, hidden, *[t.detach() for t in leaves[1:]], *classes)],
        "record_rows": [(*[b.clone() for b in buffers[:2]], step.clone(), ids, values)],
        "shortlist_loss": [(scores.clone().requires_grad_(), *loss)],
        "softmax_loss": [(*leaves, labels, 0.1)],
        "softmax_loss_backward": [
            (normalizer, hidden, *[t.detach() for t in leaves[1:]], labels, normalizer, 0.1)
        ],
    }
    assert hidden.shape[1] == WIDTH
    for name, samples in cases.items():
        operator = getattr(torch.ops.cane, name).default
        for sample in samples:
            # The gradient of the tables is sparse or in buffers, which these checks do not know.
            tests = ["test_schema", "test_faketensor", "test_autograd_registration"]
            if name in ("shortlist_loss", "softmax_loss"):
                tests.append("test_aot_dispatch_dynamic")
            torch.library.opcheck(operator, sample, test_utils=tests)
