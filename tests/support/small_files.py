"""Small files of every format that cane and cane-lm read, the same ones every time."""

import gzip
import random
import struct


class SmallFiles:
    """Small files of every format. Only random(), whose sequence Python promises, is drawn from."""

    def __init__(self, folder, classes=30, features=90, examples=600):
        self.folder, self.classes, self.features = folder, classes, features
        self.uniform = random.Random(11).random
        self.habits = [[int(self.uniform() * features) for _ in range(7)] for _ in range(classes)]
        # The last three labels are only in the data to train further on.
        train, test = self.rows(examples, classes - 3), self.rows(examples // 4, classes - 3)
        more = self.rows(examples // 3, classes)
        for part, rows in ("train", train), ("test", test), ("more", more):
            self.write(part, rows)
        svm = (folder / "train.svm").read_bytes()
        (folder / "train.svm.gz").write_bytes(gzip.compress(svm, mtime=0))
        (folder / "several.ft").write_text("".join(
            f"__label__c{int(self.uniform() * 9)} {line}\n" if number % 3 == 0 else line + "\n"
            for number, line in enumerate((folder / "train.ft").read_text().splitlines())))
        self.npy("D_train.npy", "<f8", (len(train), features), "d", self.dense(train))
        (folder / "labels.txt").write_text("".join(f"class {label}\n" for label, _ in train))
        self.text("train.txt", 4000)
        self.text("valid.txt", 600)

    def rows(self, count, classes):
        """(label, {feature: value}); small labels are frequent, so that laws of noise differ."""
        rows = []
        for _ in range(count):
            label = int(classes * self.uniform() ** 1.5)
            chosen = [f for f in self.habits[label] if self.uniform() < 0.8]
            chosen += [int(self.uniform() * self.features) for _ in range(3)]
            rows.append((label, {f: round(0.2 + self.uniform(), 3) for f in sorted(set(chosen))}))
        return rows

    def write(self, part, rows):
        def lines(name, form):
            (self.folder / name).write_text("".join(form(*row) + "\n" for row in rows))

        def pairs(values, prefix=""):
            return " ".join(f"{prefix}{f}:{value}" for f, value in values.items())

        lines(f"{part}.svm", lambda label, values: f"{label} {pairs(values)}")
        lines(f"{part}.vw", lambda label, values:
              f"k{label} |a {pairs(values, 'f')} |b:0.5 {' '.join(f'g{f % 9}' for f in values)}")
        lines(f"{part}.ft", lambda label, values:
              f"__label__k{label} " + " ".join(f"wort{f * 37 % 101}" for f in values))
        lines(f"{part}.xmc", lambda label, values: f"{label} {pairs(values)}")
        text = (self.folder / f"{part}.xmc").read_text()
        (self.folder / f"{part}.xmc").write_text(f"{len(rows)} {self.features} {self.classes}\n{text}")
        self.npy(f"X_{part}.npy", "<f4", (len(rows), self.features), "f", self.dense(rows))
        self.npy(f"y_{part}.npy", "<i8", (len(rows),), "q", [label for label, _ in rows])

    def dense(self, rows):
        return [values.get(f, 0.01 * f) for _, values in rows for f in range(self.features)]

    def npy(self, name, kind, shape, letter, values):
        header = f"{{'descr': '{kind}', 'fortran_order': False, 'shape': {shape}, }}"
        header += " " * (-(len(header) + 11) % 64) + "\n"
        content = struct.pack(f"<{len(values)}{letter}", *values)
        (self.folder / name).write_bytes(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header))
                                         + header.encode() + content)

    def text(self, name, words):
        word, text = 0, []
        for _ in range(words):
            word = (3 * word + int(4 * self.uniform() ** 2)) % 60
            text.append(f"w{word}" + (".\n" if self.uniform() < 0.1 else " "))
        (self.folder / name).write_text("".join(text).rstrip() + "\n")
