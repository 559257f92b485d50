"""Characters from their images: a small residual network, and thousands of classes.

    python glyphs.py FOLDER [--classes 0 --steps 5000 --batch 1024 --width 64 --device cuda]

FOLDER has X_train.npy, y_train.npy, X_test.npy and y_test.npy: rows of square grey images (float32 in
[0, 1]), and the number of the character on each.
"""

import pathlib

import numpy as np
import torch
from torch import nn

import comparison


class Residual(nn.Module):
    """Two convolutions beside a way around them."""

    def __init__(self, inputs, outputs, stride):
        super().__init__()
        self.convolutions = nn.Sequential(
            nn.Conv2d(inputs, outputs, 3, stride, 1, bias=False),
            nn.BatchNorm2d(outputs),
            nn.ReLU(),
            nn.Conv2d(outputs, outputs, 3, 1, 1, bias=False),
            nn.BatchNorm2d(outputs),
        )
        self.around = nn.Sequential(
            nn.Conv2d(inputs, outputs, 1, stride, bias=False), nn.BatchNorm2d(outputs)
        )

    def forward(self, images):
        return torch.relu(self.convolutions(images) + self.around(images))


def body_of(width, side):
    reduced = (side + 3) // 4  # two strides of 2
    return nn.Sequential(
        nn.Conv2d(1, width, 3, 1, 1, bias=False),
        nn.BatchNorm2d(width),
        nn.ReLU(),
        Residual(width, width, 2),
        Residual(width, 2 * width, 2),
        nn.Flatten(),
        nn.Linear(2 * width * reduced * reduced, 4 * width),
        nn.BatchNorm1d(4 * width),
    )


def read(folder, part, device):
    rows = np.load(folder / f"X_{part}.npy")
    side = round(rows.shape[1] ** 0.5)
    if side * side != rows.shape[1]:
        raise SystemExit(f"{folder}/X_{part}.npy: {rows.shape[1]} columns are no square image")
    images = torch.from_numpy(np.ascontiguousarray(rows, np.float32)).view(-1, 1, side, side)
    labels = torch.from_numpy(np.load(folder / f"y_{part}.npy").astype(np.int64))
    return images.to(device), labels.to(device)


def main(arguments=None):
    parser = comparison.options(__doc__, steps=150, batch=256, rate=2e-3)
    parser.add_argument("folder", type=pathlib.Path, help="the .npy files")
    parser.add_argument(
        "--classes", type=int, default=500, help="take the first characters; 0: all"
    )
    parser.add_argument("--width", type=int, default=16, help="channels of the first layer")
    parser.add_argument("--tested", type=int, default=4000, help="test images that are measured")
    given = parser.parse_args(arguments)
    images, labels = read(given.folder, "train", given.device)
    test_images, test_labels = read(given.folder, "test", given.device)
    if given.classes > 0:
        images, labels = images[labels < given.classes], labels[labels < given.classes]
        known = test_labels < given.classes
        test_images, test_labels = test_images[known], test_labels[known]
    classes = int(max(labels.max(), test_labels.max())) + 1
    counts = torch.bincount(labels, minlength=classes)
    features = 4 * given.width

    def make_model(name):
        head = (
            comparison.Cane(features, classes, given, counts)
            if name == "CANE"
            else comparison.FullSoftmax(features, classes)
        )
        return comparison.Model(body_of(given.width, images.shape[-1]), head)

    def batches():
        generator = torch.Generator().manual_seed(given.seed)
        for _ in range(given.steps):
            chosen = torch.randint(len(labels), (given.batch,), generator=generator).to(
                given.device
            )
            yield images[chosen], labels[chosen]

    def tests():
        for begin in range(0, min(given.tested, len(test_labels)), 500):
            end = min(begin + 500, given.tested)
            yield test_images[begin:end], test_labels[begin:end]

    print(f"{len(labels)} images of {classes} characters, {given.device}")
    return comparison.compare(make_model, batches, tests, given)


if __name__ == "__main__":
    main()
