"""The full softmax as one writes it in PyTorch: class means to start, SGD that falls to zero, TF32, and on
a GPU the step as a CUDA graph. Prints one JSON object. Usage: full_softmax.py FOLDER --epochs 10 ..."""

import argparse
import json
import pathlib
import time

import numpy as np
import torch

# Held out to choose scale and rate; the test rows are used once.
HELD_OUT, MOST_HELD_OUT = 20, 20_000


class Softmax:
    """Weights with the bias as the last column, trained by `fit`."""

    def __init__(self, rows, labels, classes, batch):
        self.rows, self.labels, self.batch = rows, labels, batch
        self.device = rows.device
        self.weights = torch.zeros(classes, rows.shape[1], device=self.device)
        self.chosen = torch.zeros(batch, dtype=torch.int64, device=self.device)
        self.rate = torch.zeros((), device=self.device)
        self.places = torch.arange(batch, device=self.device)
        self.graph = None

    def start(self, scale):
        counts = torch.bincount(self.labels, minlength=len(self.weights)).clamp(min=1)
        self.weights.zero_().index_add_(0, self.labels, self.rows)
        self.weights /= counts[:, None]
        self.weights[:, -1] = -0.5 * (self.weights[:, :-1] ** 2).sum(1)
        self.weights *= scale

    def step(self):
        rows, labels = self.rows[self.chosen], self.labels[self.chosen]
        gradient = torch.softmax(rows @ self.weights.t(), 1)
        gradient[self.places, labels] -= 1
        self.weights.addmm_(gradient.t(), rows * -self.rate)

    def run(self):
        if self.graph is not None:
            self.graph.replay()
        else:
            self.step()

    def capture(self):
        """Records the step; the weights are as before afterwards, as the rate is 0."""
        if self.device.type != "cuda":
            return
        side = torch.cuda.Stream()
        side.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(side):
            for _ in range(3):
                self.step()
        torch.cuda.current_stream().wait_stream(side)
        self.graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(self.graph):
            self.step()

    def fit(self, scale, rate, epochs):
        """Returns the seconds of the epochs."""
        self.start(scale)
        self.rate.zero_()
        if self.graph is None:
            self.capture()
        generator = torch.Generator().manual_seed(1)
        batches = len(self.rows) // self.batch
        wait(self.device)
        begin = time.perf_counter()
        for epoch in range(epochs):
            order = torch.randperm(len(self.rows), generator=generator).to(self.device)
            for i in range(batches):
                self.chosen.copy_(order[i * self.batch : (i + 1) * self.batch])
                self.rate.fill_(rate * (1 - (epoch * batches + i) / (epochs * batches)))
                self.run()
        wait(self.device)
        return time.perf_counter() - begin

    def accuracy(self, rows, labels):
        right = sum(int((part @ self.weights.t()).argmax(1).eq(true).sum())
                    for part, true in zip(rows.split(1024), labels.split(1024)))
        return right / len(labels)


def wait(device):
    if device.type == "cuda":
        torch.cuda.synchronize()


def load(folder, part, device):
    rows = torch.tensor(np.load(folder / f"X_{part}.npy"), device=device).float()
    labels = torch.tensor(np.load(folder / f"y_{part}.npy").astype(np.int64), device=device)
    return torch.cat([rows, torch.ones(len(rows), 1, device=device)], 1), labels


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--epochs", type=int, required=True)
    parser.add_argument("--batch", type=int, required=True)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--scales", default="4,16", help="of the class means")
    parser.add_argument("--rates", default="2,5,10", help="over the mean squared length of a row")
    asked = parser.parse_args()
    device = torch.device(asked.device)
    torch.backends.cuda.matmul.allow_tf32 = True
    with torch.no_grad():
        rows, labels = load(asked.folder, "train", device)
        test = load(asked.folder, "test", device)
        classes = int(max(labels.max(), test[1].max())) + 1
        length = float((rows**2).sum(1).mean())
        cut = len(rows) - min(len(rows) // HELD_OUT, MOST_HELD_OUT)
        tried = Softmax(rows[:cut], labels[:cut], classes, asked.batch)
        choices = []
        for scale in map(float, asked.scales.split(",")):
            for rate in map(float, asked.rates.split(",")):
                tried.fit(scale, rate / length, asked.epochs)
                choices.append((tried.accuracy(rows[cut:], labels[cut:]), scale, rate / length))
        _, scale, rate = max(choices)
        del tried
        model = Softmax(rows, labels, classes, asked.batch)
        seconds = [model.fit(scale, rate, asked.epochs) for _ in range(asked.rounds)]
        name = torch.cuda.get_device_name() if device.type == "cuda" else "cpu"
        peak = torch.cuda.max_memory_allocated() if device.type == "cuda" else 0
        print(json.dumps({"seconds": seconds, "accuracy": model.accuracy(*test), "scale": scale,
                          "rate": rate, "version": torch.__version__, "device": name,
                          "peak_bytes": peak, "classes": classes}))


if __name__ == "__main__":
    main()
