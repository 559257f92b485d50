"""Options, equality with the reference, times and memory, which the benchmarks share."""

import argparse
import json
import pathlib
import statistics
import time

import torch

from outputs.contenders import CONTENDERS, EXACT
import cane.torch


def options(description):
    parser = argparse.ArgumentParser(
        description=description, formatter_class=argparse.ArgumentDefaultsHelpFormatter
    )
    parser.add_argument(
        "--device", default="cuda" if torch.cuda.is_available() else "cpu", help="where to compute"
    )
    parser.add_argument(
        "--small",
        action="store_true",
        help="toy sizes, which show that everything runs, and nothing else",
    )
    parser.add_argument("--only", default="", help="contenders, comma-separated; default: all")
    parser.add_argument(
        "--rounds", type=int, default=5, help="measurements, of which the median counts"
    )
    parser.add_argument("--sampled", type=int, default=8192, help="classes of sampled softmax")
    parser.add_argument("--seed", type=int, default=1, help="of weights and data")
    parser.add_argument("--out", default="", help="a file for the results, as JSON")
    return parser


def prove(name, given):
    """`_prove`, with products in full float32; all that is measured may use TF32."""
    torch.backends.cuda.matmul.allow_tf32 = False
    _prove(name, given)
    torch.backends.cuda.matmul.allow_tf32 = True


def _prove(name, given):
    """Compares loss and gradient of the hidden states with the full softmax in double precision; raises
    an error unless they are equal. Those that sample are given all classes."""
    generator = torch.Generator().manual_seed(given.seed)
    classes, features, examples = 300, 16, 40
    hidden = torch.randn(examples, features, generator=generator).to(given.device).requires_grad_()
    target = torch.randint(classes, (examples,), generator=generator).to(given.device)
    weight = torch.randn(classes, features, generator=generator).to(given.device)
    bias = torch.randn(classes, generator=generator).to(given.device)
    loss, exact = _loss_of(name, hidden, target, weight, bias, given), hidden.detach().double()
    exact.requires_grad_()
    scores = torch.nn.functional.linear(exact, weight.double(), bias.double())
    expected = torch.nn.functional.cross_entropy(scores, target)
    loss.backward()
    expected.backward()
    torch.testing.assert_close(loss.double(), expected, rtol=1e-3, atol=1e-4)
    torch.testing.assert_close(hidden.grad.double(), exact.grad, rtol=1e-2, atol=1e-4)


def _loss_of(name, hidden, target, weight, bias, given):
    classes, features = weight.shape
    if name.startswith("CANE"):
        layer = cane.torch.CaneOutput(
            features,
            classes,
            class_counts=torch.ones(classes, dtype=torch.int64),
            device=given.device,
        )
        layer.weight.data.copy_(weight)
        layer.bias.data.copy_(bias)
        return layer(hidden, target).loss
    if name == "adaptive softmax":
        # Another model: its own log-probabilities are the reference.
        module = CONTENDERS[name](features, classes, given, None).to(given.device)
        scores = module.scores(hidden)
        torch.testing.assert_close(
            module(hidden, target),
            -scores.gather(1, target.unsqueeze(1)).mean(),
            rtol=1e-4,
            atol=1e-5,
        )
        return torch.nn.functional.cross_entropy(
            torch.nn.functional.linear(hidden, weight, bias), target
        )
    module = CONTENDERS[name](features, classes, given, None).to(given.device)
    module.weight.data.copy_(weight)
    module.bias.data.copy_(bias)
    if name in EXACT:
        return module(hidden, target)
    module.corrects = False
    return module.over(hidden, target, torch.arange(classes, device=given.device), 0.0)


def milliseconds(step, device, rounds):
    """The median time of a step: of CUDA events around it on a GPU, else of the clock."""
    for _ in range(3):
        step()
    times = []
    for _ in range(rounds):
        if torch.device(device).type == "cuda":
            begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
            begin.record()
            step()
            end.record()
            torch.cuda.synchronize()
            times.append(begin.elapsed_time(end))
        else:
            start = time.perf_counter()
            step()
            times.append((time.perf_counter() - start) * 1000)
    return statistics.median(times)


def recorded(step, device):
    """The step as a CUDA graph, which is replayed; on a CPU the step itself."""
    if torch.device(device).type != "cuda":
        return step
    torch.cuda.empty_cache()  # a graph has memory of its own
    stream = torch.cuda.Stream()
    stream.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(stream):
        for _ in range(3):
            step()
    torch.cuda.current_stream().wait_stream(stream)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        step()
    return graph.replay


def peak_bytes(device):
    """The most memory that was used since `forget_peak`; 0 where that is not known."""
    return torch.cuda.max_memory_allocated() if torch.device(device).type == "cuda" else 0


def forget_peak(device):
    if torch.device(device).type == "cuda":
        torch.cuda.empty_cache()
        torch.cuda.reset_peak_memory_stats()


def report(given, title, rows):
    """Prints a table of dictionaries with the same keys, and writes it where --out says."""
    print(f"\n{title}")
    columns = list(rows[0])
    texts = [
        [f"{row[c]:.4g}" if isinstance(row[c], float) else str(row[c]) for c in columns]
        for row in rows
    ]
    widths = [max(len(c), *(len(t[i]) for t in texts)) for i, c in enumerate(columns)]
    for line in [columns, *texts]:
        print("  ".join(text.ljust(width) for text, width in zip(line, widths)).rstrip())
    if given.out:
        environment = {"torch": torch.__version__, "device": given.device, "rows": rows}
        if torch.device(given.device).type == "cuda":
            environment["device"] = torch.cuda.get_device_name()
        pathlib.Path(given.out).write_text(json.dumps(environment, indent=1) + "\n")
