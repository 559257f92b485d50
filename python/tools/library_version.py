"""Gives the package the version of the C++ library, for scikit-build-core's dynamic metadata.

The library's CMakeLists.txt is one folder up in the repository, and in ``library`` in an unpacked
source distribution, so the provider for regular expressions, which reads one file, does not do.
"""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any


def dynamic_metadata(settings: Mapping[str, Any], project: Mapping[str, Any]) -> dict[str, Any]:
    """Return the part of ``[project]`` that this provider fills in."""
    python_folder = Path(__file__).resolve().parent.parent
    carried = python_folder / "library" / "CMakeLists.txt"
    lists = carried if carried.exists() else python_folder.parent / "CMakeLists.txt"
    match = re.search(r"^project\(cane VERSION ([0-9.]+)", lists.read_text("utf-8"), re.MULTILINE)
    if match is None:
        raise ValueError(f"there is no version in the project() line of {lists}")
    return {"version": match[1]}
