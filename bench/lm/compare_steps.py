#!/usr/bin/env python3
"""Milliseconds of a training step: PyTorch with the full softmax against cane-lm, in one run.

PyTorch has the same body (embedding 256, LSTM of 512 cells projected to 256, dropout 0.3), TF32,
fused optimisers and a sparse embedding; no gradient clipping.
Usage: compare_steps.py STEP_BENCH [--heads cane,softmax] [--precisions float32,bfloat16]"""

import argparse
import subprocess
import time

import torch

SHAPES = [(116_000, 64), (116_000, 256), (1_000_000, 64)]
LENGTH = 20


class Model(torch.nn.Module):
    def __init__(self, words):
        super().__init__()
        self.embedding = torch.nn.Embedding(words, 256, sparse=True)
        self.body = torch.nn.LSTM(256, 512, proj_size=256)
        self.dropout = torch.nn.Dropout(0.3)
        self.output = torch.nn.Linear(256, words)

    def forward(self, inputs, labels, state):
        hidden, state = self.body(self.dropout(self.embedding(inputs)), state)
        scores = self.output(self.dropout(hidden).flatten(0, 1))
        return torch.nn.functional.cross_entropy(scores, labels.flatten()), state


def optimizers(model, name):
    dense = [p for n, p in model.named_parameters() if n != "embedding.weight"]
    if name == "sgd":
        return [torch.optim.SGD(dense, lr=0.001, fused=True),
                torch.optim.SGD([model.embedding.weight], lr=0.001)]
    return [torch.optim.Adam(dense, lr=0.001, fused=True),
            torch.optim.SparseAdam([model.embedding.weight], lr=0.001)]


def pytorch_milliseconds(words, streams, optimizer, steps=30):
    torch.manual_seed(1)
    model = Model(words).cuda()
    rules = optimizers(model, optimizer)
    state = (torch.zeros(1, streams, 256, device="cuda"), torch.zeros(1, streams, 512, device="cuda"))
    text = torch.randint(0, words, (LENGTH * (steps + 11), streams), device="cuda")

    def run(first, last):
        nonlocal state
        for step in range(first, last):
            at = step * LENGTH
            loss, state = model(text[at:at + LENGTH], text[at + 1:at + LENGTH + 1], state)
            state = tuple(part.detach() for part in state)
            loss.backward()
            for rule in rules:
                rule.step()
                rule.zero_grad(set_to_none=True)
        torch.cuda.synchronize()

    run(0, 10)
    begin = time.perf_counter()
    run(10, 10 + steps)
    return (time.perf_counter() - begin) / steps * 1000


def ours(program, words, streams, optimizer, head, precision):
    command = [program, "--words", words, "--batch", streams, "--optimizer", optimizer,
               "--head", head, "--precision", precision, "--device", "cuda"]
    out = subprocess.run([str(part) for part in command], check=True, capture_output=True, text=True)
    return float(out.stdout)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program", metavar="STEP_BENCH")
    parser.add_argument("--heads", default="cane")
    parser.add_argument("--precisions", default="float32,bfloat16")
    arguments = parser.parse_args()
    torch.backends.cuda.matmul.allow_tf32 = True
    torch.backends.cudnn.allow_tf32 = True
    print(f"{'words':>9} {'streams':>7} {'rule':>5} {'PyTorch':>8}  cane-lm")
    for words, streams in SHAPES:
        for optimizer in ("sgd", "adam"):
            theirs = pytorch_milliseconds(words, streams, optimizer)
            torch.cuda.empty_cache()
            print(f"{words:9,} {streams:7} {optimizer:>5} {theirs:8.2f}", end="", flush=True)
            for head in arguments.heads.split(","):
                for precision in arguments.precisions.split(","):
                    time_of_ours = ours(arguments.program, words, streams, optimizer, head, precision)
                    print(f"  {head} {precision} {time_of_ours:.3f} ({theirs / time_of_ours:.1f}x)",
                          end="", flush=True)
            print()


if __name__ == "__main__":
    main()
