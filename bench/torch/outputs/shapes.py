"""Forward, backward and update of the output layer alone, in several shapes: time and memory.

    PYTHONPATH=bench/torch:python python -m outputs.shapes [--shapes 1000000x512x1024] [--small]

Classes are as frequent as Zipf's law says. On a GPU hidden states are bfloat16; "recorded" is a whole
step as a CUDA graph, of the layers of which one can be made.
"""

import torch

from outputs import contenders, measuring

# Classes, features, examples.
SHAPES = "100000x512x1024,1000000x512x1024,1000000x512x4096,1000000x128x1024,128256x4096x8192"
SMALL = "1000x16x32,2000x8x16"


def measure(name, shape, given):
    classes, features, examples = shape
    torch.manual_seed(given.seed)
    measuring.forget_peak(given.device)
    counts = (1e7 / torch.arange(1, classes + 1)).long()
    layer = contenders.make(name, features, classes, given, counts).to(given.device)
    weights = sum(p.numel() * p.element_size() for p in layer.parameters())
    kind = torch.bfloat16 if torch.device(given.device).type == "cuda" else torch.float32
    hidden = torch.randn(examples, features, device=given.device, dtype=kind, requires_grad=True)
    target = torch.multinomial(counts.double(), examples, replacement=True).to(given.device)
    optimizer = layer.optimizer(given.rule, 0.01)

    def step():
        optimizer.zero_grad()
        hidden.grad = None
        layer(hidden, target).backward()
        optimizer.step()

    eager = measuring.milliseconds(step, given.device, given.rounds)
    graph = eager
    if layer.records and torch.device(given.device).type == "cuda":
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
    parser = measuring.options(__doc__)
    parser.add_argument("--shapes", default="", help="classes x features x examples, by commas")
    parser.add_argument("--rule", default="Adagrad", choices=["SGD", "Adagrad", "Adam"])
    given = parser.parse_args(arguments)
    if given.small:
        given.sampled, given.rounds = 64, 2
    rows = []
    names = list(contenders.chosen(given.only, given.device))
    for name in names:
        measuring.prove(name, given)
        print(f"{name}: equal to the reference")
    for text in (given.shapes or (SMALL if given.small else SHAPES)).split(","):
        for name in names:
            shape = tuple(map(int, text.split("x")))
            try:
                rows.append(measure(name, shape, given))
            except torch.cuda.OutOfMemoryError:
                print(f"{name} does not fit into memory with {shape}")
    measuring.report(given, f"forward + backward + {given.rule}", rows)
    return rows


if __name__ == "__main__":
    main()
