"""torch.compile of a model that has the layer; PyTorch 2 has it."""

import pytest
import torch
from problems import CLASSES, WIDTH, batch, make_layer, rows_as_table

pytestmark = pytest.mark.skipif(not hasattr(torch, "compiler"), reason="PyTorch 2 is needed")


class Net(torch.nn.Module):
    def __init__(self, **options):
        super().__init__()
        torch.manual_seed(0)
        self.body = torch.nn.Linear(WIDTH, WIDTH)
        self.head = make_layer(**options)

    def forward(self, inputs, target):
        return self.head(torch.tanh(self.body(inputs)), target).loss


@pytest.mark.parametrize("rows", [False, True])
@pytest.mark.parametrize(
    "options", [{}, {"method": "hsm"}, {"method": "nce"}, {"method": "softmax"}]
)
def test_a_compiled_model_is_the_eager_one(options, rows):
    torch._dynamo.reset()
    inputs, target = batch(padding=1)
    eager, compiled = (Net(**options, row_gradients=rows) for _ in range(2))
    call = torch.compile(compiled, backend="aot_eager")
    for examples in (len(target), 11):
        losses = [model(inputs[:examples], target[:examples]) for model in (eager, call)]
        torch.testing.assert_close(*losses)
        for loss in losses:
            loss.backward()
    assert int(compiled.head.step) == 2
    torch.testing.assert_close(compiled.body.weight.grad, eager.body.weight.grad)
    tables = []
    for model in (eager, compiled):
        weight = model.head.weight
        if rows and options.get("method") != "softmax":
            tables.append(rows_as_table(weight))
        else:
            tables.append(weight.grad.to_dense() if weight.grad.is_sparse else weight.grad)
    assert tables[0].shape == (CLASSES, WIDTH) and tables[0].any()
    torch.testing.assert_close(*tables)
