#!/usr/bin/env python3
"""The accuracy of the full softmax with very many classes, by PyTorch on a GPU.

  scale_softmax.py make FOLDER --classes 1000000 --examples 2000000
  scale_softmax.py train FOLDER --epochs 2 --batch 1024

`make` writes X_train.npy, y_train.npy, X_test.npy and y_test.npy: classes are leaves of a hierarchy of
Gaussian centres, as in `cane synth`, and examples lie around them. `cane train FOLDER/X_train.npy` reads
the same files. `train` begins with scaled class means, as `cane` does; the last twentieth of the training
rows, at most 20,000, chooses scale and rate, and the test rows are used once.
"""
import argparse
import os
import time

import numpy as np


def make(args):
    random = np.random.default_rng(args.seed)
    groups = [args.classes]
    while groups[-1] > 1:
        groups.append(-(-groups[-1] // args.branching))
    centres = np.zeros((1, args.dim), np.float32)
    for level in range(len(groups) - 2, -1, -1):
        deviation = 1.5 * (args.branching**level) ** (1 / 3) / args.dim**0.5
        centres = np.repeat(centres, args.branching, axis=0)[: groups[level]]
        centres = centres + deviation * random.standard_normal(centres.shape, dtype=np.float32)
    centres = centres[random.permutation(args.classes)]
    os.makedirs(args.folder, exist_ok=True)
    for name, count in (("train", args.examples), ("test", args.test)):
        labels = random.integers(args.classes, size=count)
        if name == "train":
            labels[: args.classes] = np.arange(args.classes)  # every class has an example
            random.shuffle(labels)
        path = os.path.join(args.folder, f"X_{name}.npy")
        rows = np.lib.format.open_memmap(path, "w+", np.float32, (count, args.dim))
        for begin in range(0, count, 65536):
            part = labels[begin : begin + 65536]
            noise = random.standard_normal((len(part), args.dim), dtype=np.float32)
            rows[begin : begin + 65536] = centres[part] + args.noise * noise
        rows.flush()
        np.save(os.path.join(args.folder, f"y_{name}.npy"), labels.astype(np.int64))


class Softmax:
    def __init__(self, torch, args):
        self.torch, self.args = torch, args
        torch.backends.cuda.matmul.allow_tf32 = True

    def load(self, name):
        array = np.load(os.path.join(self.args.folder, name))
        return self.torch.from_numpy(array).to("cuda")

    def means(self, rows, labels, classes):
        sums = self.torch.zeros(classes, rows.shape[1], device="cuda").index_add_(0, labels, rows)
        return sums / self.torch.bincount(labels, minlength=classes).clamp(min=1)[:, None]

    def accuracy(self, weights, bias, rows, labels):
        right = 0
        for x, y in zip(rows.split(512), labels.split(512)):
            right += int((self.torch.addmm(bias, x, weights.T).argmax(1) == y).sum())
        return right / len(labels)

    def fit(self, rows, labels, means, scale, rate):
        weights, bias = scale * means, -0.5 * scale * (means * means).sum(1)
        steps = self.args.epochs * -(-len(rows) // self.args.batch)
        generator = self.torch.Generator().manual_seed(1)
        step = 0
        for _ in range(self.args.epochs):
            order = self.torch.randperm(len(rows), generator=generator).to("cuda")
            for batch in order.split(self.args.batch):
                x, y = rows[batch], labels[batch]
                gradient = self.torch.softmax(self.torch.addmm(bias, x, weights.T), 1)
                gradient[self.torch.arange(len(y), device="cuda"), y] -= 1
                now = rate * (1 - step / steps)
                step += 1
                weights.addmm_(gradient.T, x, alpha=-now)
                bias.add_(gradient.sum(0), alpha=-now)
        return weights, bias


def train(args):
    import torch

    softmax = Softmax(torch, args)
    with torch.no_grad():
        rows, labels = softmax.load("X_train.npy"), softmax.load("y_train.npy")
        classes = int(labels.max()) + 1
        cut = len(rows) - min(len(rows) // 20, 20000)
        means = softmax.means(rows[:cut], labels[:cut], classes)
        # A class without another example cannot be known.
        known = torch.bincount(labels[:cut], minlength=classes)[labels[cut:]] > 0
        held = rows[cut:][known], labels[cut:][known]
        length = float((rows[:cut] ** 2).sum(1).mean()) + 1
        best = None
        for scale in map(float, args.scales.split(",")):
            for rate in map(float, args.rates.split(",")):
                model = softmax.fit(rows[:cut], labels[:cut], means, scale, rate / length)
                accuracy = softmax.accuracy(*model, *held)
                print(f"scale {scale}, rate {rate} / {length:.3g}: {accuracy:.2%} held out", flush=True)
                if best is None or accuracy > best[0]:
                    best = accuracy, scale, rate / length
        begin = time.time()
        model = softmax.fit(rows, labels, softmax.means(rows, labels, classes), *best[1:])
        torch.cuda.synchronize()
        seconds = time.time() - begin
        test = softmax.load("X_test.npy"), softmax.load("y_test.npy")
        print(f"{classes} classes, test: {softmax.accuracy(*model, *test):.2%} after {seconds:.1f} s")


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    verbs = parser.add_subparsers(required=True)
    maker = verbs.add_parser("make")
    maker.set_defaults(run=make)
    for name, default in (("classes", 100000), ("examples", 400000), ("test", 4000), ("dim", 128),
                          ("branching", 10), ("seed", 1)):
        maker.add_argument(f"--{name}", type=int, default=default)
    maker.add_argument("--noise", type=float, default=0.2)
    trainer = verbs.add_parser("train")
    trainer.set_defaults(run=train)
    trainer.add_argument("--epochs", type=int, default=6)
    trainer.add_argument("--batch", type=int, default=512)
    trainer.add_argument("--scales", default="1,4,16")
    trainer.add_argument("--rates", default="0.1,0.5,2")
    for verb in (maker, trainer):
        verb.add_argument("folder")
    args = parser.parse_args()
    args.run(args)


if __name__ == "__main__":
    main()
