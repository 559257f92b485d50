#!/usr/bin/env python3
"""Checks what `cane export` writes and what `cane explain` says against what `cane predict` answers,
with readers of its own. Usage: export_test.py PROGRAM"""

import json
import math
import os
import pathlib
import struct
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tests" / "support"))
from small_files import SmallFiles  # noqa: E402


def varint(data, place):
    value = shift = 0
    while True:
        byte = data[place]
        place += 1
        value |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            return value, place


def fields(data):
    """{number: [value, ...]} of a message of Protocol Buffers; messages stay bytes."""
    found, place = {}, 0
    while place < len(data):
        key, place = varint(data, place)
        value, place = varint(data, place)
        if key & 7 == 2:
            value, place = data[place:place + value], place + value
        else:
            assert key & 7 == 0, key
        found.setdefault(key >> 3, []).append(value)
    assert place == len(data)
    return found


class Onnx:
    """Runs the few operators that we write."""

    def __init__(self, path):
        model = fields(path.read_bytes())
        assert model[1] == [7] and fields(model[8][0])[2] == [13]
        graph = fields(model[7][0])
        self.nodes = [fields(node) for node in graph[1]]
        self.tensors = {}
        for message in graph[5]:
            tensor = fields(message)
            values = struct.unpack(f"<{len(tensor[9][0]) // 4}f", tensor[9][0])
            assert math.prod(tensor[1]) == len(values) and tensor[2] == [1]
            self.tensors[tensor[8][0].decode()] = (tensor[1], values)
        self.ends = [fields(info)[1][0].decode() for info in graph[11] + graph[12]]
        self.metadata = {fields(entry)[1][0].decode(): fields(entry)[2][0].decode()
                         for entry in model[14]}

    def run(self, row):
        values = {"features": row}
        for node in self.nodes:
            inputs = [name.decode() for name in node[1]]
            output, kind = node[2][0].decode(), node[4][0].decode()
            x = values[inputs[0]]
            if kind == "MatMul":
                (rows, columns), weights = self.tensors[inputs[1]]
                assert rows == len(x)
                values[output] = [sum(x[i] * weights[i * columns + j] for i in range(rows) if x[i])
                                  for j in range(columns)]
            elif kind == "Add":
                values[output] = [a + b for a, b in zip(x, self.tensors[inputs[1]][1])]
            else:
                assert kind == "Softmax" and b"axis" in node[5][0]
                powers = [math.exp(score - max(x)) for score in x]
                values[output] = [power / sum(powers) for power in powers]
        return values


def npy(path):
    data = path.read_bytes()
    length = struct.unpack_from("<H", data, 8)[0]
    header = eval(data[10:10 + length].decode())
    assert header["descr"] == "<f4" and (10 + length) % 64 == 0
    rows, columns = header["shape"]
    values = struct.unpack(f"<{rows * columns}f", data[10 + length:])
    return [values[i * columns:(i + 1) * columns] for i in range(rows)]


def near(a, b):
    return abs(a - b) <= 1e-3 * (1 + abs(b))


def dense_rows(path, dimension):
    for line in path.read_text().splitlines():
        row = [0.0] * dimension
        for pair in line.split()[1:]:
            index, value = pair.split(":")
            if int(index) < dimension:
                row[int(index)] = float(value)
        yield row


def main(program):
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        SmallFiles(folder)
        environment = dict(os.environ, CANE_CACHE_DIR=name)

        def run(*words, code=0):
            done = subprocess.run([program, *words], cwd=folder, env=environment,
                                  capture_output=True, encoding="utf-8")
            assert done.returncode == code, (words, done.stderr)
            return done.stdout if code == 0 else done.stderr

        def explained(model, data, *words):
            lines = run("explain", model, data, "--json", *words).splitlines()
            return [json.loads(line) for line in lines]

        def check_sums(model, data):
            """The contributions are the scores, and the answers those of `predict`."""
            some = explained(model, data, "--features", "0", "--examples", "20")
            answers = run("predict", model, data, "--top-k", "2").splitlines()
            for one, answer in zip(some, answers, strict=False):
                assert [one["first"]["label"], one["second"]["label"]] == answer.split("\t")
                for which in ("first", "second"):
                    total = sum(part[which] for part in one["contributions"])
                    assert near(total, one[which]["score"]), (model, one)
                sizes = [abs(part["difference"]) for part in one["contributions"]]
                assert sizes == sorted(sizes, reverse=True)
            assert len(some) == 20
            return some

        common = ["--epochs", "2", "--quiet", "--weights", "count"]
        shapes = {"flat": ["--method", "softmax"],
                  "path": ["--method", "cane", "--select", "beam", "--scorer", "path"],
                  "bag": ["--method", "softmax", "--encoder", "bag", "--dim", "8",
                          "--normalize", "none"]}
        for shape, words in shapes.items():
            run("train", "train.svm", shape, *common, *words)
            check_sums(shape, "test.svm")
            run("export", shape, "--classes", f"{shape}.npy", "--onnx", f"{shape}.onnx")
            run("export", shape, "--classes", f"{shape}.vec")
            matrix = npy(folder / f"{shape}.npy")
            labels = (folder / f"{shape}.labels.txt").read_text().splitlines()
            assert labels == run("inspect", shape, "--labels").splitlines()
            head, *lines = (folder / f"{shape}.vec").read_text().splitlines()
            assert head == f"{len(labels)} {len(matrix[0]) - 1}"
            for label, vector, line in zip(labels, matrix, lines, strict=True):
                assert line.split()[0] == label
                assert [struct.pack("<f", float(x)) for x in line.split()[1:]] == \
                       [struct.pack("<f", x) for x in vector[:-1]]
            onnx = Onnx(folder / f"{shape}.onnx")
            assert onnx.ends == ["features", "scores", "probabilities"]
            assert json.loads(onnx.metadata["labels"]) == labels
            dimension = json.loads(run("inspect", shape, "--json"))["features"]["dimension"]
            answers = run("predict", shape, "test.svm", "--proba", "exact", "--beam",
                          "100").splitlines()
            rows = dense_rows(folder / "test.svm", dimension)
            for row, answer in list(zip(rows, answers, strict=True))[:20]:
                probabilities = onnx.run(row)["probabilities"]
                label, probability = answer.split("\t")
                assert near(max(probabilities), float(probability)), (shape, answer)
                assert labels[probabilities.index(max(probabilities))] == label
        run("quantize", "path", "--output", "small", "--json")
        check_sums("small", "test.svm")

        # Words and the texts of n-grams, however they are numbered.
        run("train", "train.ft", "prior", *common, "--method", "cane", "--select", "hsm",
            "--encoder", "bag")
        assert any(part["feature"] == "(prior)" for part in check_sums("prior", "test.ft")[0]
                   ["contributions"])
        text = folder / "words.ft"
        text.write_text("__label__a good day all\n__label__b bad day all\n" * 3)
        for words in ([], ["--hash-bits", "16"], ["--ngram-bits", "16"]):
            run("train", "words.ft", "names", *common, "--word-ngrams", "2", "--char-ngrams", "3-3",
                "--tokenizer", "spaces", *words)
            (one, *_) = explained("names", "words.ft", "--features", "0")
            found = {part["feature"] for part in one["contributions"]}
            assert {"good", "good day", "<go", "od>", "(bias)"} <= found, found
            top = one["contributions"][0]
            assert top["feature"] != "day" and top["difference"] > 0

        run("export", "bag", "--embeddings", "features.npy")
        assert len(npy(folder / "features.npy")) == dimension
        for method in (["--method", "hsm"], ["--method", "recall-tree"]):
            run("train", "train.svm", "tree", *common, *method)
            assert "decides step by step in a tree" in run("explain", "tree", "test.svm", code=1)
            assert "decides step by step" in run("export", "tree", "--classes", "t.npy", code=1)
        run("train", "train.svm", "mlp", *common, "--method", "softmax", "--encoder", "mlp")
        assert "bend what the features add" in run("explain", "mlp", "test.svm", code=1)
        assert "cannot be exported as ONNX" in run("export", "mlp", "--onnx", "m.onnx", code=1)
        assert "part of every score" in run("export", "prior", "--onnx", "m.onnx", code=1)
        assert "no embeddings" in run("export", "flat", "--embeddings", "e.npy", code=1)
        assert "nothing to write" in run("export", "flat", code=1)
        assert "--overwrite" in run("export", "flat", "--classes", "flat.npy", code=1)


if __name__ == "__main__":
    main(sys.argv[1])
