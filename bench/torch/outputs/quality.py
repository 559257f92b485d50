"""A task that can be learned, with many classes: how well, and how soon.

    PYTHONPATH=bench/torch python -m outputs.quality [--classes 100000] [--small]

An example is the vector of its class with noise on it. The vectors have structure: each is that of one
of a few hundred groups and a smaller one of its own. Classes are as frequent as Zipf's law says. All
layers make the same steps on the same batches; accuracy and log loss are over all classes, on examples
that were not trained on. The last column is the time to the final accuracy of the full softmax.
"""

import time

import torch

from outputs import contenders, measuring


class Task:
    def __init__(self, classes, features, groups, spread, seed, device):
        generator = torch.Generator().manual_seed(seed)
        group = torch.randint(groups, (classes,), generator=generator)
        centres = torch.randn(groups, features, generator=generator)
        own = torch.randn(classes, features, generator=generator)
        self.vectors = (centres[group] + 0.7 * own).to(device)
        law = 1.0 / torch.arange(1, classes + 1, dtype=torch.float64)
        self.cumulated = (law / law.sum()).cumsum(0)
        self.counts = (law / law.sum() * 1e7).ceil().long()
        self.spread, self.device = spread, device

    def batch(self, size, generator):
        draw = torch.rand(size, generator=generator, dtype=torch.float64)
        target = torch.searchsorted(self.cumulated, draw).clamp_max(len(self.counts) - 1)
        noise = torch.randn(size, self.vectors.shape[1], generator=generator).to(self.device)
        target = target.to(self.device)
        return self.vectors[target] + self.spread * noise, target


@torch.no_grad()
def test(layer, task, given):
    generator = torch.Generator().manual_seed(given.seed + 1)
    right, loss, count = 0, 0.0, 0
    for _ in range(given.tested // 256 or 1):
        hidden, target = task.batch(256, generator)
        scores = layer.scores(hidden)
        right += (scores.argmax(1) == target).sum().item()
        loss += torch.nn.functional.cross_entropy(scores, target, reduction="sum").item()
        count += len(target)
    return right / count, loss / count


def learn(name, task, given):
    """Accuracy and log loss at the end, and [(seconds, accuracy)] on the way, tests not counted."""
    torch.manual_seed(given.seed)
    features = task.vectors.shape[1]
    layer = contenders.CONTENDERS[name](features, len(task.counts), given, task.counts)
    layer = layer.to(given.device)
    optimizer = layer.optimizer("Adagrad", given.lr)
    scheduler = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda s: 1 - s / (given.steps + 1))
    generator = torch.Generator().manual_seed(given.seed)
    way, seconds, start = [], 0.0, time.perf_counter()
    for step in range(1, given.steps + 1):
        hidden, target = task.batch(given.batch, generator)
        optimizer.zero_grad()
        layer(hidden, target).backward()
        optimizer.step()
        scheduler.step()
        if step % max(1, given.steps // given.tests) == 0 or step == given.steps:
            if torch.device(given.device).type == "cuda":
                torch.cuda.synchronize()
            seconds += time.perf_counter() - start
            way.append((seconds, *test(layer, task, given)))
            start = time.perf_counter()
    return way


def main(arguments=None):
    parser = measuring.options(__doc__)
    parser.add_argument("--classes", type=int, default=100_000, help="number of classes")
    parser.add_argument("--features", type=int, default=128, help="length of a vector")
    parser.add_argument("--groups", type=int, default=300, help="groups of classes")
    parser.add_argument("--spread", type=float, default=0.8, help="of the noise")
    parser.add_argument("--steps", type=int, default=4000, help="training steps")
    parser.add_argument("--batch", type=int, default=1024, help="examples in a step")
    parser.add_argument("--lr", type=float, default=0.1, help="rate of AdaGrad, which falls to 0")
    parser.add_argument("--tested", type=int, default=10240, help="examples that are measured")
    parser.add_argument("--tests", type=int, default=20, help="times that they are measured")
    given = parser.parse_args(arguments)
    if given.small:
        given.classes, given.features, given.groups, given.sampled = 500, 16, 20, 128
        given.steps, given.batch, given.tested, given.tests = 60, 64, 256, 3
    task = Task(given.classes, given.features, given.groups, given.spread, given.seed, given.device)
    ways = {}
    for name in contenders.chosen(given.only, given.device):
        measuring.prove(name, given)
        ways[name] = learn(name, task, given)
    goal = ways["plain"][-1][1] if "plain" in ways else float("nan")
    rows = [
        {
            "layer": name,
            "accuracy": way[-1][1],
            "log loss": way[-1][2],
            "seconds": way[-1][0],
            "seconds to the full softmax's accuracy": next(
                (seconds for seconds, accuracy, _ in way if accuracy >= goal), float("nan")
            ),
        }
        for name, way in ways.items()
    ]
    measuring.report(given, f"{given.classes} classes, {given.steps} steps", rows)
    return rows


if __name__ == "__main__":
    main()
