#!/usr/bin/env python3
"""Checks who includes whom: a folder of src/ may include itself and the folders below it; include/,
cli/ and examples/ see nothing of src/; torch/ sees what its build compiles without SIMD and threads;
all may include the public headers and other libraries.
Prints file:line of each offence. Usage: check-includes.py [ROOT]"""

import pathlib
import re
import sys

# From the bottom up; folders of one level are peers and do not see each other.
LEVELS = [["base"], ["kernels"], ["data", "tree", "objective", "noise"], ["model"], ["candidates"],
          ["learn", "predict"], ["online"], ["methods"], ["api"]]
LEVEL_OF = {folder: level for level, folders in enumerate(LEVELS) for folder in folders}
EXCEPTIONS = {("tree", "data/dataset_view.h"), ("tree", "data/row_copy.h")}
# The rooms of torch/, and what they see of the rest.
TORCH_LEVELS = [["data"], ["body", "heads", "sampled", "update"], ["learn"], ["cli", "bench"],
                ["tests"]]
TORCH_LEVEL_OF = {room: level for level, rooms in enumerate(TORCH_LEVELS) for room in rooms}
TORCH_SEES = {"base", "objective", "noise", "tree", "cli",
              "data/bad_line.h", "data/cache_folder.h", "data/compressed_source.h",
              "data/dataset_view.h", "data/file_stamp.h", "data/raw_file.h", "data/string_table.h",
              "data/text_source.h", "model/safetensors.h"}
INCLUDE = re.compile(r'\s*#\s*include\s*(["<])([^">]+)')


def torch_offence(room, included):
    """The same for a file of torch/ROOM/."""
    parts = included.split("/")
    if parts[0] == "torch" and len(parts) > 2 and parts[1] in TORCH_LEVEL_OF:
        if TORCH_LEVEL_OF[parts[1]] > TORCH_LEVEL_OF.get(room, len(TORCH_LEVELS)):
            return f"torch/{room}/ may not include torch/{parts[1]}/"
    elif parts[0] in LEVEL_OF and not {parts[0], included} & TORCH_SEES:
        return "torch/ may not include this"
    return None


def offence(owner, included):
    """Why a file of the folder `owner` may not include this path, or None."""
    folder = included.split("/")[0]
    if folder not in LEVEL_OF and folder not in ("cli", "examples"):
        return None
    if folder == owner or (owner, included) in EXCEPTIONS:
        return None
    if owner not in LEVEL_OF:
        return f"{owner}/ may include the public headers only"
    if LEVEL_OF.get(folder, len(LEVELS)) >= LEVEL_OF[owner]:
        return f"src/{owner}/ may not include {folder}/"
    return None


def check(root):
    offences = 0
    for top in ("src", "include", "cli", "examples", "torch"):
        for path in sorted((root / top).rglob("*.*")):
            if path.suffix not in (".h", ".cc"):
                continue
            name = path.relative_to(root)
            owner = name.parts[1] if top in ("src", "torch") else top
            find_offence = torch_offence if top == "torch" else offence
            for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
                found = INCLUDE.match(line)
                if not found:
                    continue
                why = find_offence(owner, found[2])
                if found[1] == '"' and ("/" not in found[2] or ".." in found[2]):
                    why = "write the whole path: folder/file.h"
                if why:
                    print(f"{name}:{number}: {found[2]}: {why}")
                    offences += 1
    return offences


if __name__ == "__main__":
    ROOT = sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).resolve().parent.parent
    sys.exit(1 if check(pathlib.Path(ROOT)) else 0)
