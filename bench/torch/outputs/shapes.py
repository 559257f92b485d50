"""Forward, backward and update of the output layer alone, in five shapes: time and memory.

PYTHONPATH=bench/torch python -m outputs.shapes [--small]
"""

import torch

from outputs import contenders, measuring

# Classes, features, examples.
SHAPES = [
    (100_000, 512, 1024),
    (1_000_000, 512, 1024),
    (1_000_000, 512, 4096),
    (1_000_000, 128, 1024),
    (128_256, 4096, 8192),
]
SMALL = [(1000, 16, 32), (2000, 8, 16)]


def measure(name, shape, given):
    classes, features, examples = shape
    torch.manual_seed(given.seed)
    measuring.forget_peak(given.device)
    layer = contenders.CONTENDERS[name](features, classes, given, None).to(given.device)
    weights = sum(p.numel() * p.element_size() for p in layer.parameters())
    kind = torch.bfloat16 if torch.device(given.device).type == "cuda" else torch.float32
    hidden = torch.randn(examples, features, device=given.device, dtype=kind, requires_grad=True)
    target = torch.randint(classes, (examples,), device=given.device)
    optimizer = layer.optimizer("SGD", 0.01)

    def step():
        optimizer.zero_grad()
        hidden.grad = None
        layer(hidden, target).backward()
        optimizer.step()

    eager = measuring.milliseconds(step, given.device, given.rounds)
    # A row optimiser and buffers of fixed size make a whole step that can be recorded.
    graph = eager
    if name == "CANE":
        graph = measuring.milliseconds(
            measuring.recorded(step, given.device), given.device, given.rounds
        )
    return {
        "classes": classes,
        "features": features,
        "examples": examples,
        "layer": name,
        "ms": eager,
        "ms recorded": graph,
        "MiB of weights": weights / 2**20,
        "peak MiB": measuring.peak_bytes(given.device) / 2**20,
    }


def main(arguments=None):
    given = measuring.options(__doc__).parse_args(arguments)
    if given.small:
        given.sampled, given.rounds = 64, 2
    rows = []
    names = list(contenders.chosen(given.only, given.device))
    for name in names:
        measuring.prove(name, given)
        print(f"{name}: equal to the reference")
    for shape in SMALL if given.small else SHAPES:
        for name in names:
            try:
                rows.append(measure(name, shape, given))
            except torch.cuda.OutOfMemoryError:
                print(f"{name} does not fit into memory with {shape}")
    measuring.report(given, "forward + backward + update", rows)
    return rows


if __name__ == "__main__":
    main()
