"""A Transformer on a text, with each output layer: perplexity at equal steps and at equal time.

    PYTHONPATH=bench/torch:python/examples/torch python -m outputs.text TRAIN VALID [--small]

The body, the reading of texts and their options come from python/examples/torch/transformer.py.
"""

import collections
import math
import time

import torch
import transformer
from torch import nn

import cane.torch
from outputs import contenders, measuring


def batches(text, given):
    generator = torch.Generator().manual_seed(given.seed)
    for _ in range(given.steps):
        starts = torch.randint(len(text) - given.context, (given.batch, 1), generator=generator)
        part = text[starts + torch.arange(given.context + 1)].to(given.device)
        yield part[:, :-1], part[:, 1:]


@torch.no_grad()
def perplexity(body, layer, text, given):
    body.eval()
    loss, count = 0.0, 0
    for start in range(0, len(text) - given.context, given.context):
        part = text[start : start + given.context + 1].to(given.device)
        scores = layer.scores(body(part[:-1].unsqueeze(0))[0])
        loss += nn.functional.cross_entropy(scores, part[1:], reduction="sum").item()
        count += given.context
    body.train()
    return math.exp(loss / count)


def learn(name, train, valid, counts, given):
    """[(steps, seconds, perplexity)] on the way; the seconds of the measurements are not counted."""
    torch.manual_seed(given.seed)
    body = transformer.Body(len(counts), given).to(given.device)
    layer = contenders.make(name, given.dim, len(counts), given, counts).to(given.device)
    # The row optimiser does for dense gradients what PyTorch's does, and takes sparse ones.
    optimizer = cane.torch.RowAdam([*body.parameters(), *layer.parameters()], lr=given.lr)
    way, seconds, start = [], 0.0, time.perf_counter()
    for step, (words, target) in enumerate(batches(train, given), 1):
        optimizer.zero_grad()
        hidden = body(words).flatten(0, 1)
        layer(hidden, target.flatten()).backward()
        optimizer.step()
        if step % max(1, given.steps // given.tests) == 0 or step == given.steps:
            if torch.device(given.device).type == "cuda":
                torch.cuda.synchronize()
            seconds += time.perf_counter() - start
            way.append((step, seconds, perplexity(body, layer, valid, given)))
            start = time.perf_counter()
    return way


def main(arguments=None):
    parser = measuring.options(__doc__)
    parser.add_argument("train", help="the text to learn from")
    parser.add_argument("valid", help="the text that is measured")
    for name, value, text in [
        ("vocabulary", 116_000, "most frequent words"),
        ("tokens", 30_000_000, "words that are read"),
        ("tested", 100_000, "words that are measured"),
        ("context", 128, "words that are seen"),
        ("dim", 512, "of hidden states"),
        ("layers", 4, "of the Transformer"),
        ("heads", 8, "of attention"),
        ("steps", 20_000, "training steps"),
        ("batch", 64, "texts in a step"),
        ("tests", 20, "times that the text is measured"),
    ]:
        parser.add_argument(f"--{name}", type=int, default=value, help=text)
    parser.add_argument("--lr", type=float, default=5e-4, help="rate of Adam")
    parser.add_argument("--dropout", type=float, default=0.0, help="share of states left out")
    given = parser.parse_args(arguments)
    if given.small:
        given.vocabulary, given.context, given.dim, given.layers, given.heads = 400, 16, 16, 1, 2
        given.tokens, given.tested, given.steps, given.batch, given.tests = 20_000, 400, 20, 4, 2
        given.sampled = 64
    words = transformer.words_of(given.train, given.tokens)
    common = collections.Counter(words).most_common(given.vocabulary - 1)
    vocabulary = {word: place for place, (word, _) in enumerate(common)}
    vocabulary.setdefault(transformer.UNKNOWN, len(vocabulary))
    train = transformer.numbers_of(words, vocabulary)
    valid = transformer.numbers_of(transformer.words_of(given.valid, given.tested + 1), vocabulary)
    counts = torch.bincount(train, minlength=len(vocabulary))
    ways = {}
    for name in contenders.chosen(given.only, given.device):
        measuring.prove(name, given)
        ways[name] = learn(name, train, valid, counts, given)
    # Equal time: as long as the quickest takes for all of its steps.
    limit = min(way[-1][1] for way in ways.values())
    rows = [
        {
            "layer": name,
            "perplexity": way[-1][2],
            "seconds": way[-1][1],
            "perplexity at equal time": min(
                (p for _, seconds, p in way if seconds <= limit * 1.001), default=float("nan")
            ),
        }
        for name, way in ways.items()
    ]
    measuring.report(
        given, f"{len(vocabulary)} words, {given.steps} steps; equal time: {limit:.1f} s", rows
    )
    return rows


if __name__ == "__main__":
    main()
