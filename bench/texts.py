#!/usr/bin/env python3
"""Makes text sets of what Debian ships, to compare with other systems (`make bench-peers`):

  sections    short description of a package -> its section; packages of one source stay together
  fortunes    a quotation of the package fortunes -> the file that it stands in

Usage: texts.py FOLDER. It needs apt-cache with the lists of Debian 12, and `apt-get install fortunes
fortunes-bofh-excuses`. Each set gets train.ft, valid.ft and test.ft, by a hash of source or text, so
that the same packages give the same files.
"""

import hashlib
import pathlib
import random
import re
import subprocess
import sys

FORTUNES = pathlib.Path("/usr/share/games/fortunes")
FEWEST = 20  # examples of a class


def part_of(key):
    number = int(hashlib.md5(key.encode()).hexdigest(), 16) % 10
    return {0: "test", 1: "valid"}.get(number, "train")


def sections():
    """Rows (key, label, text), without repetitions."""
    listing = subprocess.run(["apt-cache", "dumpavail"], capture_output=True, text=True, check=True)
    seen = set()
    for paragraph in listing.stdout.split("\n\n"):
        fields = dict(re.findall(r"^([A-Za-z-]+): (.*)$", paragraph, re.MULTILINE))
        if "Description" not in fields or "Section" not in fields:
            continue
        label, text = fields["Section"].split("/")[-1], fields["Description"]
        if (label, text) not in seen:
            seen.add((label, text))
            yield fields.get("Source", fields["Package"]).split()[0], label, text


def fortunes():
    for file in sorted(FORTUNES.iterdir()):
        if file.suffix in (".dat", ".u8"):
            continue
        for quotation in file.read_text(encoding="utf-8", errors="replace").split("\n%\n"):
            text = " ".join(re.sub(r"[\x00-\x08\x0b-\x1f]", "", quotation).split())
            if len(text) > 5:
                yield text, file.name, text


def write(folder, rows, fewest):
    rows = list(rows)
    counts = {}
    for _, label, _ in rows:
        counts[label] = counts.get(label, 0) + 1
    parts = {"train": [], "valid": [], "test": []}
    for key, label, text in rows:
        if counts[label] >= fewest:
            parts[part_of(key)].append(f"__label__{label} {text}\n")
    folder.mkdir(parents=True, exist_ok=True)
    for name, lines in parts.items():
        random.Random(1).shuffle(lines)
        (folder / f"{name}.ft").write_text("".join(lines), encoding="utf-8")
        print(f"{folder / name}.ft: {len(lines)} examples")


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    folder = pathlib.Path(sys.argv[1])
    write(folder / "sections", sections(), FEWEST)
    write(folder / "fortunes", fortunes(), 1)


if __name__ == "__main__":
    main()
