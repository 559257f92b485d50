"""The row optimisers compute what PyTorch's own compute of sparse and of dense gradients."""

import copy

import pytest

torch = pytest.importorskip("torch")
row = pytest.importorskip("cane.torch.optim")

# Ours, PyTorch's for sparse gradients, PyTorch's for dense ones, and the arguments of both.
RULES = {
    "sgd": (row.RowSGD, torch.optim.SGD, torch.optim.SGD, {"lr": 0.3}),
    "adagrad": (
        row.RowAdagrad,
        torch.optim.Adagrad,
        torch.optim.Adagrad,
        {"lr": 0.2, "initial_accumulator_value": 0.1},
    ),
    "adam": (
        row.RowAdam,
        torch.optim.SparseAdam,
        torch.optim.Adam,
        {"lr": 0.05, "betas": (0.8, 0.95), "eps": 1e-6},
    ),
}
SHAPES = [(11, 3), (5,), (7, 2, 3), (40, 33)]


def table_of(shape, seed=1, dtype=torch.float32):
    values = torch.randn(shape, generator=torch.Generator().manual_seed(seed))
    return torch.nn.Parameter(values.to(dtype))


def gradients_of(shape, steps=6, seed=2):
    """Rows, some of them repeated, and their values, for several steps."""
    generator = torch.Generator().manual_seed(seed)
    for step in range(steps):
        count = 1 + step * 2
        rows = torch.randint(shape[0], (count,), generator=generator)
        yield rows, torch.randn((count, *shape[1:]), generator=generator)


def sparse(rows, values, shape):
    return torch.sparse_coo_tensor(rows.unsqueeze(0), values, shape)


@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("rule", RULES)
def test_sparse_gradients_are_applied_as_pytorch_does(rule, shape):
    ours, theirs, _, options = RULES[rule]
    table, expected = table_of(shape), table_of(shape)
    optimizer, reference = ours([table], **options), theirs([expected], **options)
    for rows, values in gradients_of(shape):
        table.grad = sparse(rows, values, shape)
        expected.grad = sparse(rows, values, shape).coalesce()
        optimizer.step()
        reference.step()
    torch.testing.assert_close(table, expected, rtol=2e-6, atol=1e-6)


@pytest.mark.parametrize("rule", RULES)
def test_row_gradients_of_several_passes_add_up(rule):
    ours, theirs, _, options = RULES[rule]
    shape = (9, 4)
    table, expected = table_of(shape), table_of(shape)
    optimizer, reference = ours([table], **options), theirs([expected], **options)
    passes = list(gradients_of(shape, steps=4))
    for first, second in zip(passes[::2], passes[1::2], strict=True):
        # In a place that is not used, whose row is -1, values have no meaning.
        unused = torch.tensor([-1]), torch.full((1, 4), float("nan"))
        table.row_gradients = [first, unused, second]
        expected.grad = (sparse(*first, shape) + sparse(*second, shape)).coalesce()
        optimizer.step()
        reference.step()
        optimizer.zero_grad()
        assert table.row_gradients == []
    torch.testing.assert_close(table, expected, rtol=2e-6, atol=1e-6)


@pytest.mark.parametrize("weight_decay", [0.0, 0.1])
@pytest.mark.parametrize("rule", RULES)
def test_dense_gradients_are_applied_as_pytorch_does(rule, weight_decay):
    ours, _, theirs, options = RULES[rule]
    options = {**options, "weight_decay": weight_decay}
    for shape in [*SHAPES, ()]:
        table, expected = table_of(shape), table_of(shape)
        optimizer, reference = ours([table], **options), theirs([expected], **options)
        generator = torch.Generator().manual_seed(3)
        for _ in range(4):
            table.grad = torch.randn(shape, generator=generator)
            expected.grad = table.grad.clone()
            optimizer.step()
            reference.step()
        torch.testing.assert_close(table, expected, rtol=2e-6, atol=1e-6)


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16], ids=str)
@pytest.mark.parametrize("rule", RULES)
def test_places_without_a_row_move_nothing(rule, dtype):
    table = table_of((5, 3), dtype=dtype)
    optimizer = RULES[rule][0]([table], lr=0.5, weight_decay=0.1)
    for rows in ([0, 0, 3, -1, -1, 0], [-1, -1], []):
        before = table.detach().clone()
        values = torch.where(torch.tensor(rows).view(-1, 1) < 0, float("nan"), 1.0).expand(-1, 3)
        table.row_gradients = [(torch.tensor(rows, dtype=torch.int64), values)]
        optimizer.step()
        moved = (table.detach() != before).any(1)
        assert moved.tolist() == [row in rows for row in range(5)]


@pytest.mark.parametrize("rule", RULES)
def test_rows_and_a_dense_gradient_add_up(rule):
    ours, _, theirs, options = RULES[rule]
    shape = (6, 2)
    table, expected = table_of(shape), table_of(shape)
    rows, values = torch.tensor([1, 4, 1, -1]), torch.tensor([[1.0, 2], [3, 4], [5, 6], [9, 9]])
    table.row_gradients = [(rows, values)]
    table.grad = torch.ones(shape)
    expected.grad = torch.ones(shape).index_add(0, rows[:3], values[:3])
    ours([table], **options).step()
    theirs([expected], **options).step()
    torch.testing.assert_close(table, expected, rtol=2e-6, atol=1e-6)


@pytest.mark.parametrize("rule", RULES)
def test_decay_reaches_only_rows_that_are_touched(rule):
    ours, _, theirs, options = RULES[rule]
    shape = (4, 3)
    table, expected = table_of(shape), table_of(shape)
    options = {**options, "weight_decay": 0.5}
    table.grad = sparse(torch.tensor([2]), torch.ones(1, 3), shape)
    expected.grad = torch.ones(shape)
    before = table.detach().clone()
    ours([table], **options).step()
    theirs([expected], **options).step()
    others = torch.tensor([0, 1, 3])
    assert torch.equal(table.detach()[others], before[others])
    torch.testing.assert_close(table.detach()[2], expected.detach()[2], rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16], ids=str)
@pytest.mark.parametrize("rule", RULES)
def test_a_state_that_was_saved_goes_on_as_if_never_saved(rule, dtype, tmp_path):
    ours, _, _, options = RULES[rule]
    shape = (11, 3)
    table = table_of(shape, dtype=dtype)
    optimizer = ours([table], **options)
    steps = list(gradients_of(shape))

    def run(optimizer, table, steps):
        for rows, values in steps:
            table.row_gradients = [(rows, values)]
            optimizer.step()
            optimizer.zero_grad()

    run(optimizer, table, steps[:3])
    torch.save({"state": optimizer.state_dict(), "table": table.detach()}, tmp_path / "state")
    run(optimizer, table, steps[3:])
    saved = torch.load(tmp_path / "state")
    again = torch.nn.Parameter(saved["table"])
    resumed = ours([again], lr=7.0)  # the rate that was saved replaces it
    resumed.load_state_dict(saved["state"])
    run(resumed, again, steps[3:])
    assert torch.equal(table, again)
    copied = copy.deepcopy(optimizer)
    assert copied.state_dict()["param_groups"] == optimizer.state_dict()["param_groups"]


def test_groups_have_rates_of_their_own_and_schedulers_change_them():
    first, second = table_of((3, 2)), table_of((3, 2))
    before = first.detach().clone()
    optimizer = row.RowSGD([{"params": [first], "lr": 1.0}, {"params": [second]}], lr=0.5)
    scheduler = torch.optim.lr_scheduler.StepLR(optimizer, step_size=1, gamma=0.1)
    for rate in (1.0, 0.1):
        first.row_gradients = [(torch.tensor([1]), torch.ones(1, 2))]
        second.row_gradients = [(torch.tensor([1]), torch.ones(1, 2))]
        was = first.detach()[1].clone(), second.detach()[1].clone()
        optimizer.step()
        optimizer.zero_grad()
        scheduler.step()
        torch.testing.assert_close(first.detach()[1], was[0] - rate)
        torch.testing.assert_close(second.detach()[1], was[1] - rate / 2)
    assert torch.equal(first.detach()[0], before[0])


def test_a_rate_that_is_a_tensor_is_read_at_every_step():
    table = table_of((3, 2))
    rate = torch.tensor(1.0)
    optimizer = row.RowSGD([table], lr=rate)
    for value in (1.0, 0.25):
        rate.fill_(value)
        before = table.detach()[2].clone()
        table.row_gradients = [(torch.tensor([2]), torch.ones(1, 2))]
        optimizer.step()
        optimizer.zero_grad()
        torch.testing.assert_close(table.detach()[2], before - value)


def test_a_closure_is_called_and_its_loss_returned():
    embedding = torch.nn.Embedding(5, 2, sparse=True)
    optimizer = row.RowAdam(embedding.parameters(), lr=0.1)

    def closure():
        optimizer.zero_grad()
        loss = embedding(torch.tensor([3, 3])).square().sum()
        loss.backward()
        return loss

    losses = [optimizer.step(closure).item() for _ in range(20)]
    assert losses[-1] < losses[0]


def test_updates_of_bfloat16_are_not_lost_to_rounding():
    # An update is a tenth of the distance between two numbers around 1.
    table = torch.nn.Parameter(torch.ones(2000, 1, dtype=torch.bfloat16))
    optimizer = row.RowSGD([table], lr=1.0)
    rows = torch.arange(2000)
    values = torch.full((2000, 1), -0.1 * 2**-7)
    for _ in range(100):
        table.row_gradients = [(rows, values)]
        optimizer.step()
        optimizer.zero_grad()
    # 100 steps of a tenth: 10 distances, with a standard error of sqrt(100 * 0.09 / 2000).
    moved = (table.detach().float().mean() - 1) * 2**7
    assert abs(moved.item() - 10) < 0.35


def test_bfloat16_that_overflows_is_infinite_and_nan_stays_nan():
    table = torch.nn.Parameter(torch.tensor([[3e38], [-3e38], [0.0]]).to(torch.bfloat16))
    table.row_gradients = [(torch.arange(3), torch.tensor([[-3e38], [3e38], [float("nan")]]))]
    row.RowSGD([table], lr=1.0).step()
    assert table[0].item() == float("inf") and table[1].item() == -float("inf")
    assert table[2].isnan().item()


def test_weights_that_are_laid_out_otherwise_are_updated():
    expected = table_of((4, 3, 2, 2))
    table = torch.nn.Parameter(expected.detach().to(memory_format=torch.channels_last))
    optimizer = row.RowAdam([table], lr=0.1)
    reference = torch.optim.Adam([expected], lr=0.1)
    for _ in range(3):
        table.grad = torch.randn(4, 3, 2, 2, generator=torch.Generator().manual_seed(3))
        expected.grad = table.grad.clone()
        optimizer.step()
        reference.step()
    torch.testing.assert_close(table.detach(), expected.detach(), rtol=1e-5, atol=1e-5)


def test_a_table_of_data_parallel_training_needs_a_process_group():
    table = table_of((3, 2))
    table.gathers_rows = True
    with pytest.raises(RuntimeError, match="process_group"):
        row.RowSGD([table]).step()


@pytest.mark.gpu
@pytest.mark.skipif(not torch.cuda.is_available(), reason="there is no GPU")
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16], ids=str)
@pytest.mark.parametrize("rule", RULES)
def test_the_gpu_computes_what_the_cpu_computes(rule, dtype):
    ours, _, _, options = RULES[rule]
    for shape in [*SHAPES, (5, 1), (300, 129)]:
        tables = {device: table_of(shape, dtype=dtype) for device in ("cpu", "cuda")}
        tables["cuda"] = torch.nn.Parameter(tables["cuda"].detach().cuda())
        optimizers = {d: ours([t], weight_decay=0.01, **options) for d, t in tables.items()}
        for rows, values in gradients_of(shape, steps=8):
            for device, table in tables.items():
                table.row_gradients = [(rows.to(device), values.to(device))]
                optimizers[device].step()
        # Random rounding is the same, but what is rounded may differ in its last bits.
        slack = 1e-5 if dtype == torch.float32 else 2e-2
        torch.testing.assert_close(tables["cuda"].cpu(), tables["cpu"], rtol=slack, atol=slack)


@pytest.mark.gpu
@pytest.mark.skipif(not torch.cuda.is_available(), reason="there is no GPU")
def test_a_recorded_step_reads_rate_and_step_anew():
    table, expected = (torch.nn.Parameter(table_of((50, 4)).detach().cuda()) for _ in range(2))
    rate = torch.tensor(0.1, device="cuda")
    rows, values = torch.arange(0, 50, 3, device="cuda"), torch.randn(17, 4, device="cuda")
    table.row_gradients = expected.row_gradients = [(rows, values)]
    optimizer, reference = row.RowAdam([table], lr=rate), row.RowAdam([expected], lr=0.1)
    optimizer.step()  # makes the state
    reference.step()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        optimizer.step()
    for value in (0.1, 0.02, 0.3):
        rate.fill_(value)
        graph.replay()
        reference.param_groups[0]["lr"] = value
        reference.step()
    torch.testing.assert_close(table, expected)


def test_autograd_notices_that_a_weight_it_kept_was_changed():
    table = table_of((3, 2))
    loss = (table * table).sum()
    table.row_gradients = [(torch.tensor([1]), torch.ones(1, 2))]
    row.RowSGD([table]).step()
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        loss.backward()


@pytest.mark.parametrize(
    "call, message",
    [
        (lambda: row.RowSGD([table_of((2, 2))], lr=-1.0), "lr=-1.0"),
        (lambda: row.RowSGD([table_of((2, 2))], lr=float("nan")), "lr=nan"),
        (lambda: row.RowAdam([table_of((2, 2))], betas=(0.9, 1.0)), "betas"),
        (lambda: row.RowAdagrad([table_of((2, 2))], eps=-1.0), "eps=-1.0"),
        (lambda: row.RowAdagrad([table_of((2, 2))], weight_decay=-1.0), "weight_decay=-1.0"),
    ],
)
def test_a_wrong_option_is_named(call, message):
    with pytest.raises(ValueError, match=message):
        call()


@pytest.mark.parametrize(
    "rows, values, message",
    [
        (torch.tensor([5]), torch.ones(1, 2), "row 5"),
        (torch.tensor([-2]), torch.ones(1, 2), "row -2"),
        (torch.tensor([1]), torch.ones(1, 3), "as wide"),
        (torch.tensor([1, 2]), torch.ones(1, 2), "one for each row"),
    ],
)
def test_rows_that_do_not_fit_are_refused(rows, values, message):
    table = table_of((5, 2))
    table.row_gradients = [(rows, values)]
    before = table.detach().clone()
    with pytest.raises(RuntimeError, match=message):
        row.RowSGD([table]).step()
    assert torch.equal(table.detach(), before)


def test_sparse_gradients_over_two_dimensions_are_refused():
    table = table_of((5, 2))
    table.grad = torch.eye(5, 2).to_sparse()
    with pytest.raises(RuntimeError, match="2 sparse dimensions"):
        row.RowSGD([table]).step()
