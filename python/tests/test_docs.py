"""The examples of the documentation run as they stand, one after another."""

import pathlib
import re

import pytest

pytest.importorskip("pandas")

ROOT = pathlib.Path(__file__).parents[2]
# The page comes first: it makes the data that the short examples elsewhere speak of.
PAGES = ("docs/python.md", "python/README.md", "README.md")
_BLOCK = re.compile(r"^```python\n(.*?)^```$", re.DOTALL | re.MULTILINE)


def _blocks(page):
    """The examples of a page, each after so many empty lines that errors name the page's lines."""
    text = (ROOT / page).read_text(encoding="utf-8")
    for match in _BLOCK.finditer(text):
        yield "\n" * text.count("\n", 0, match.start(1)) + match.group(1)


def test_examples_run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("CANE_CACHE_DIR", str(tmp_path / "cache"))
    namespace = {"__name__": "documentation"}
    for page in PAGES:
        blocks = list(_blocks(page))
        assert blocks, page
        for block in blocks:
            exec(compile(block, page, "exec"), namespace)  # noqa: S102, our own pages
