#!/usr/bin/env python3
"""Checks who includes whom, over every source: a room of src/ may include itself and the rooms below
it, as docs/architecture.md draws them; all may include the public headers and other libraries. Nor may
folders, whatever room they are in, include each other in a circle. Prints file:line of each offence.
Usage: check-includes.py [ROOT]"""

import pathlib
import re
import sys

# From the bottom up. Rooms of one level are peers and do not see each other.
LEVELS = [["core/base"], ["core/simd", "core/file", "core/objective", "core/noise",
           "core/parallel"],
          ["core/tree", "core/loop"], ["methods"], ["data", "device"], ["linear"], ["model"], ["search"], ["step"], ["train", "predict"], ["online"],
          ["engine"], ["tune"], ["api"]]
LEVEL_OF = {room: level for level, rooms in enumerate(LEVELS) for room in rooms}
CORE = {room for room in LEVEL_OF if room.startswith("core/")}
# What stands beside that order sees just these rooms.
SEES = {"include/cane": set(), "examples": set(), "python/src": set(), "lm/file": CORE, "app": CORE | {"lm/file"},
        "lm": CORE | {"lm/file", "methods"},
        "mpi": {"core/parallel"}, "cli/cane": {"app", "core/base", "methods"}, "cli/cane-lm": {"app", "lm"} | CORE}
INCLUDE = re.compile(r'\s*#\s*include\s*"([^"]+)"')


def room_of(path):
    """The room of a file, or of an included path; None for a public header."""
    for room in (*LEVEL_OF, *SEES):
        if path.startswith(room + "/"):
            return room
    return None


def offence(owner, included):
    """Why a file of the room `owner` may not include this path, or None."""
    if owner == "python/src" and "/" not in included:
        return None  # the extension is one folder, built by itself
    if "/" not in included or ".." in included:
        return "write the whole path: folder/file.h"
    room = room_of(included)
    if room in (None, owner):
        return None
    if owner in SEES:
        allowed = room in SEES[owner]
    else:
        allowed = LEVEL_OF.get(room, len(LEVELS)) < LEVEL_OF[owner]
    return None if allowed else f"{owner}/ may not include {room}/"


def folder_of(path):
    return path.rpartition("/")[0]


def circles(includes):
    """Those of the includes, as (place, folder, path), that lead back to their own folder."""
    below = {}
    for _, owner, included in includes:
        below.setdefault(owner, set()).add(folder_of(included))
    for _ in below:  # long enough for the longest way
        for seen in below.values():
            seen.update(*[below.get(folder, ()) for folder in seen])
    return [(place, included) for place, owner, included in includes
            if folder_of(included) != owner and owner in below.get(folder_of(included), ())]


def check(root):
    offences, includes = [], []
    for path in sorted(path for top in ("src", "include", "cli", "examples", "python/src")
                       for path in (root / top).rglob("*.*")):
        name = path.relative_to(root).as_posix().removeprefix("src/")
        owner = room_of(name)
        if path.suffix not in (".h", ".cc", ".cu", ".cuh") or owner is None:
            continue
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            found = INCLUDE.match(line)
            place = f"{path.relative_to(root)}:{number}"
            why = offence(owner, found[1]) if found else None
            if why:
                offences.append(f"{place}: {found[1]}: {why}")
            elif found and room_of(found[1]):
                includes.append((place, folder_of(name), found[1]))
    offences += [f"{place}: {included}: folders include each other in a circle"
                 for place, included in circles(includes)]
    print(*offences, sep="\n", end="\n" if offences else "")
    return len(offences)


if __name__ == "__main__":
    ROOT = sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).resolve().parent.parent
    sys.exit(1 if check(pathlib.Path(ROOT)) else 0)
