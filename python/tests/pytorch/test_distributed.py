"""Several processes learn what one process learns from all of their batches together."""

import datetime
import pathlib

import pytest

torch = pytest.importorskip("torch")
cane_torch = pytest.importorskip("cane.torch")

import torch.distributed as dist  # noqa: E402
import torch.multiprocessing  # noqa: E402

FEATURES, HIDDEN, CLASSES, BATCH, STEPS = 5, 12, 250, 8, 3
COUNTS = (1000 / (1 + torch.arange(CLASSES))).long()

# What the output layer is made with.
LAYERS = {
    "frequent": {"class_counts": COUNTS, "candidates": 20, "noises": 10},
    "without bias": {"candidates": 40, "noises": 10, "class_counts": COUNTS, "bias": False},
    "all": {"class_counts": COUNTS},
    "none": {"noises": 30},
    "batch": {"select": "batch", "noises": 30},
    "union": {
        "select": "frequent+batch",
        "candidates": 15,
        "noises": 40,
        "class_counts": COUNTS,
        "row_gradients": True,
    },
    "softmax": {"method": "softmax"},
    "sum": {"method": "softmax", "reduction": "sum"},
}
# Draws that are different on each rank make no difference where every class is a candidate.
DATA_PARALLEL = {
    "sparse": {"class_counts": COUNTS},
    "rows": {"class_counts": COUNTS, "row_gradients": True},
    "softmax": {"method": "softmax"},
    "hsm": {"method": "hsm"},
}


class Net(torch.nn.Module):
    def __init__(self, head, sparse=False):
        super().__init__()
        self.words = torch.nn.Embedding(30, FEATURES, sparse=sparse)
        self.body = torch.nn.Linear(FEATURES, HIDDEN)
        self.head = head

    def hidden(self, words):
        return torch.tanh(self.body(self.words(words)))

    def forward(self, words, target):
        return self.head(self.hidden(words), target).loss


def batches(ranks, padding=False):
    """For each step words and targets of all ranks."""
    generator = torch.Generator().manual_seed(5)
    for _ in range(STEPS):
        words = torch.randint(30, (ranks * BATCH,), generator=generator)
        target = torch.randint(CLASSES, (ranks * BATCH,), generator=generator)
        if padding:
            target[::4] = -100  # as many on each rank
        yield words, target


def start(net, seed=3):
    """The same weights for every rank and for one process, independent of how the layers were made."""
    generator = torch.Generator().manual_seed(seed)
    for parameter in (net.words.weight, net.body.weight, net.body.bias):
        parameter.data.copy_(torch.randn(parameter.shape, generator=generator))


def first_state(options):
    """The state of a whole layer to start from, with proposals that differ from zero."""
    torch.manual_seed(4)
    layer = cane_torch.CaneOutput(HIDDEN, CLASSES, **options)
    for parameter in layer.parameters():
        parameter.data.add_(torch.randn_like(parameter) * 0.3)
    return layer.state_dict()


def train(net, head, optimizer, steps):
    losses = []
    for words, target in steps:
        optimizer.zero_grad()
        loss = net(words, target)
        loss.backward()
        optimizer.step()
        losses.append(loss.detach())
    return torch.stack(losses)


def own(tensor, rank):
    return tensor[rank * BATCH : (rank + 1) * BATCH]


def predictions(layer, hidden):
    some = torch.arange(len(hidden) * 3).view(-1, 3) * 7 % CLASSES
    scores, classes = layer.top_k(hidden, 4)
    return {
        "log_prob": layer.log_prob(hidden),
        "of some": layer.log_prob(hidden, some),
        "normaliser": layer.log_normalizer(hidden),
        "top scores": scores,
        "top": classes,
        "best": layer.predict(hidden),
    }


def class_parallel(rank, ranks, options):
    layer = cane_torch.ClassParallelOutput(HIDDEN, CLASSES, **options)
    layer.load_full_state_dict(first_state(options))
    net = Net(layer)
    start(net)
    optimizer = cane_torch.RowSGD(net.parameters(), lr=0.2)
    wrapped = cane_torch.data_parallel(net)
    steps = [
        (own(words, rank), own(target, rank)) for words, target in batches(ranks, padding=True)
    ]
    losses = train(wrapped, layer, optimizer, steps)
    with torch.no_grad():
        found = predictions(layer, net.hidden(steps[0][0]))
    return {
        "losses": losses,
        "layer": layer.full_state_dict(),
        "body": net.body.weight.detach(),
        "words": net.words.weight.detach(),
        "predictions": found,
    }


def data_parallel(rank, ranks, options):
    layer = cane_torch.CaneOutput(HIDDEN, CLASSES, **options)
    net = Net(layer, sparse=True)
    start(net, seed=3 + rank)  # the tables of rank 0 hold for all
    if rank == 0:
        layer.load_state_dict(first_state(options))
    wrapped = cane_torch.data_parallel(net)
    optimizer = cane_torch.RowAdagrad(net.parameters(), lr=0.1, process_group=dist.group.WORLD)
    steps = [(own(words, rank), own(target, rank)) for words, target in batches(ranks)]
    losses = train(wrapped, layer, optimizer, steps)
    return {
        "losses": losses,
        "layer": layer.state_dict(),
        "body": net.body.weight.detach(),
        "words": net.words.weight.detach(),
    }


def uneven_rows(rank, ranks):
    """Rank r has r rows with a gradient; the last one has none at all."""
    embedding = torch.nn.Embedding(6, 2, sparse=True)
    embedding.weight.data.zero_()
    net = torch.nn.Sequential(embedding, torch.nn.Linear(2, 1))
    cane_torch.data_parallel(net)
    if rank < ranks - 1:
        rows = torch.arange(rank)
        embedding.weight.row_gradients = [(rows, torch.ones(rank, 2) * (rank + 1))]
    optimizer = cane_torch.RowSGD([embedding.weight], lr=1.0, process_group=dist.group.WORLD)
    optimizer.step()
    return embedding.weight.detach()


def errors(rank, ranks):
    found = {}
    for name, call in {
        "classes": lambda: cane_torch.ClassParallelOutput(HIDDEN, 2 if ranks == 4 else ranks - 1),
        "nce": lambda: cane_torch.ClassParallelOutput(HIDDEN, CLASSES, method="nce"),
        "tied": lambda: cane_torch.ClassParallelOutput(HIDDEN, CLASSES, tied_weight=None),
        "sizes": lambda: cane_torch.ClassParallelOutput(HIDDEN, CLASSES, method="softmax")(
            torch.zeros(1 + rank, HIDDEN), torch.zeros(1 + rank, dtype=torch.int64)
        ),
    }.items():
        try:
            call()
        except ValueError as error:
            found[name] = str(error)
    return found


def work(rank, ranks, folder):
    torch.set_num_threads(1)
    dist.init_process_group(
        "gloo",
        init_method=f"file://{folder}/store",
        rank=rank,
        world_size=ranks,
        timeout=datetime.timedelta(seconds=100),
    )
    results = {
        "class": {name: class_parallel(rank, ranks, options) for name, options in LAYERS.items()},
        "data": {
            name: data_parallel(rank, ranks, dict(options))
            for name, options in DATA_PARALLEL.items()
        },
        "uneven": uneven_rows(rank, ranks),
        "errors": errors(rank, ranks),
    }
    torch.save(results, f"{folder}/{rank}")
    dist.destroy_process_group()


@pytest.fixture(scope="module", params=[2, 4])
def results(request, tmp_path_factory):
    folder = tmp_path_factory.mktemp("ranks")
    torch.multiprocessing.spawn(work, (request.param, str(folder)), request.param)
    return [torch.load(pathlib.Path(folder) / str(rank)) for rank in range(request.param)]


def assert_same_tables(found, expected):
    assert set(found) == set(expected)
    for name, value in expected.items():
        torch.testing.assert_close(
            found[name],
            value,
            rtol=1e-4,
            atol=2e-6,
            msg=lambda text, name=name: f"{name}: {text}",
        )


@pytest.mark.parametrize("name", LAYERS)
def test_classes_divided_among_ranks_learn_as_in_one_process(results, name):
    ranks, options = len(results), LAYERS[name]
    layer = cane_torch.CaneOutput(HIDDEN, CLASSES, **options)
    layer.load_state_dict(first_state(options))
    net = Net(layer)
    start(net)
    steps = list(batches(ranks, padding=True))
    # The mean over ranks of a sum is a part of the sum.
    scale = 1.0 / ranks if options.get("reduction") == "sum" else 1.0
    optimizer = cane_torch.RowSGD(net.parameters(), lr=0.2 * scale)
    losses = train(net, layer, optimizer, steps)
    found = [rank["class"][name] for rank in results]
    mean = torch.stack([rank["losses"] for rank in found]).mean(0)
    torch.testing.assert_close(mean, losses * scale, rtol=1e-5, atol=1e-5)
    with torch.no_grad():
        expected = predictions(layer, net.hidden(steps[0][0]))
    for rank, one in enumerate(found):
        assert_same_tables(one["layer"], layer.state_dict())
        torch.testing.assert_close(one["body"], net.body.weight.detach(), rtol=1e-4, atol=2e-6)
        torch.testing.assert_close(one["words"], net.words.weight.detach(), rtol=1e-4, atol=2e-6)
        part = {kind: own(value, rank) for kind, value in expected.items() if kind != "of some"}
        some = torch.arange(BATCH * 3).view(-1, 3) * 7 % CLASSES
        part["of some"] = part["log_prob"].gather(1, some)
        assert_same_tables(one["predictions"], part)


@pytest.mark.parametrize("name", DATA_PARALLEL)
def test_examples_divided_among_ranks_learn_as_in_one_process(results, name):
    options = DATA_PARALLEL[name]
    layer = cane_torch.CaneOutput(HIDDEN, CLASSES, **options)
    layer.load_state_dict(first_state(options))
    net = Net(layer, sparse=True)
    start(net)
    optimizer = cane_torch.RowAdagrad(net.parameters(), lr=0.1)
    losses = train(net, layer, optimizer, batches(len(results)))
    found = [rank["data"][name] for rank in results]
    mean = torch.stack([rank["losses"] for rank in found]).mean(0)
    torch.testing.assert_close(mean, losses, rtol=1e-5, atol=1e-5)
    for one in found:
        assert_same_tables(one["layer"], layer.state_dict())
        torch.testing.assert_close(one["body"], net.body.weight.detach(), rtol=1e-4, atol=2e-6)
        torch.testing.assert_close(one["words"], net.words.weight.detach(), rtol=1e-4, atol=2e-6)


def test_ranks_may_have_different_numbers_of_rows(results):
    ranks = len(results)
    expected = torch.zeros(6, 2)
    for rank in range(ranks - 1):
        expected[:rank] -= (rank + 1) / ranks
    for found in results:
        torch.testing.assert_close(found["uneven"], expected)


def test_what_cannot_be_divided_is_refused(results):
    for found in results:
        errors = found["errors"]
        assert (
            "too few" in errors["classes"]
            and "nce" in errors["nce"]
            and "tied_weight" in errors["tied"]
        )
        assert "examples" in errors["sizes"]
