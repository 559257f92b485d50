"""A task that can be learned, with many classes: how well, in the same time.

    PYTHONPATH=bench/torch:python python -m outputs.quality [--classes 100000] [--small]

An example is the vector of its class with noise on it. The vectors have structure: each is that of one
of a few hundred groups and a smaller one of its own. Classes are as frequent as Zipf's law says, and
overlap: the noise is such that the best possible accuracy is about 70%. Each layer makes as many steps
as fit into --seconds, or --steps; on a GPU a step is a CUDA graph where the layer can be recorded.
Accuracy and log loss are over all classes, on examples that were not trained on.
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
        self.law = (law / law.sum()).to(device)
        self.cumulated = self.law.cumsum(0)
        self.counts = (law / law.sum() * 1e7).ceil().long()
        self.spread, self.device = spread, device

    def generator(self, seed):
        return torch.Generator(device=self.device).manual_seed(seed)

    def batch(self, size, generator):
        draw = torch.rand(size, generator=generator, dtype=torch.float64, device=self.device)
        target = torch.searchsorted(self.cumulated, draw).clamp_max(len(self.counts) - 1)
        noise = torch.randn(size, self.vectors.shape[1], generator=generator, device=self.device)
        return self.vectors[target] + self.spread * noise, target

    def scores(self, hidden):
        """Those of the true probabilities."""
        squares = self.vectors.square().sum(1)
        scores = (hidden @ self.vectors.t() - squares / 2) / self.spread**2
        return scores + self.law.log().float()

    def make_hard(self, given):
        """Noise that lets the best possible accuracy fall to 70%."""
        while test(self, self, given, examples=1024)[0] > 0.7:
            self.spread += 0.1


@torch.no_grad()
def test(layer, task, given, examples):
    generator = task.generator(given.seed + 1)
    right, loss, count = 0, 0.0, 0
    for _ in range(examples // 256 or 1):
        hidden, target = task.batch(256, generator)
        scores = layer.scores(hidden)
        right += (scores.argmax(1) == target).sum().item()
        loss += torch.nn.functional.cross_entropy(scores, target, reduction="sum").item()
        count += len(target)
    return right / count, loss / count


class Training:
    """A layer, its optimiser, and a step over buffers that are filled before."""

    def __init__(self, name, task, given):
        torch.manual_seed(given.seed)
        features = task.vectors.shape[1]
        self.layer = contenders.make(name, features, len(task.counts), given, task.counts)
        self.layer = self.layer.to(given.device)
        self.rate = given.lr
        if self.layer.records:
            self.rate = torch.tensor(given.lr, device=given.device)
        self.optimizer = self.layer.optimizer("Adagrad", self.rate)
        self.hidden, self.target = task.batch(given.batch, task.generator(given.seed + 2))
        self.task, self.given = task, given
        self.generator = task.generator(given.seed)

    def compute(self):
        self.optimizer.zero_grad()
        self.layer(self.hidden, self.target).backward()
        self.optimizer.step()

    def set_rate(self, share):
        if torch.is_tensor(self.rate):
            self.rate.fill_(self.given.lr * share)
        for group in self.optimizer.param_groups:
            group["lr"] = self.rate if torch.is_tensor(self.rate) else self.given.lr * share

    def steps(self, compute, count):
        """The seconds of that many steps, without those of making batches."""
        seconds = 0.0
        is_gpu = torch.device(self.given.device).type == "cuda"
        for step in range(count):
            hidden, target = self.task.batch(self.given.batch, self.generator)
            self.hidden.copy_(hidden)
            self.target.copy_(target)
            self.set_rate(1 - step / (count + 1))
            if not is_gpu:
                start = time.perf_counter()
                compute()
                seconds += time.perf_counter() - start
            else:
                compute()
        return seconds


def learn(name, task, given):
    """Milliseconds of a step, steps, and accuracy and log loss after them."""
    trial = Training(name, task, given)
    step = trial.compute
    if trial.layer.records:
        step = measuring.recorded(step, given.device)
    milliseconds = measuring.milliseconds(step, given.device, max(20, given.rounds))
    del trial, step
    count = given.steps or max(1, int(given.seconds * 1000 / milliseconds))
    training = Training(name, task, given)
    compute = training.compute
    if training.layer.records and torch.device(given.device).type == "cuda":
        kept = [p.detach().clone() for p in training.layer.parameters()]
        training.set_rate(0.0)
        compute = measuring.recorded(compute, given.device)
        with torch.no_grad():  # as if the steps before the recording had not been
            for parameter, value in zip(training.layer.parameters(), kept):
                parameter.copy_(value)
            for state in training.optimizer.state.values():
                for value in state.values():
                    value.zero_()
    seconds = training.steps(compute, count) or milliseconds * count / 1000
    return milliseconds, count, seconds, *test(training.layer, task, given, given.tested)


def main(arguments=None):
    parser = measuring.options(__doc__)
    parser.add_argument("--classes", type=int, default=100_000, help="number of classes")
    parser.add_argument("--features", type=int, default=128, help="length of a vector")
    parser.add_argument("--groups", type=int, default=300, help="groups of classes")
    parser.add_argument("--spread", type=float, default=0.0, help="of the noise; 0: by accuracy")
    parser.add_argument("--seconds", type=float, default=6.0, help="training of each layer")
    parser.add_argument("--steps", type=int, default=0, help="as many for each, whatever the time")
    parser.add_argument("--batch", type=int, default=1024, help="examples in a step")
    parser.add_argument("--lr", type=float, default=0.1, help="rate of AdaGrad, which falls to 0")
    parser.add_argument("--tested", type=int, default=10240, help="examples that are measured")
    given = parser.parse_args(arguments)
    if given.small:
        given.classes, given.features, given.groups, given.sampled = 500, 16, 20, 128
        given.steps, given.batch, given.tested, given.spread = 60, 64, 256, 0.8
    spread = given.spread or 0.8
    task = Task(given.classes, given.features, given.groups, spread, given.seed, given.device)
    if given.spread == 0.0:
        task.make_hard(given)
    best = test(task, task, given, given.tested)
    print(f"the best possible: accuracy {best[0]:.4f}, log loss {best[1]:.4f}")
    rows = []
    for name in contenders.chosen(given.only, given.device):
        measuring.prove(name, given)
        names = ("ms", "steps", "seconds", "accuracy", "log loss")
        rows.append({"layer": name, **dict(zip(names, learn(name, task, given)))})
        print(rows[-1], flush=True)
    measuring.report(given, f"{given.classes} classes, spread {task.spread:.1f}", rows)
    return rows


if __name__ == "__main__":
    main()
