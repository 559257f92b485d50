"""The examples of the documentation run as they stand, one after another."""

import pathlib
import re

import pytest

pytest.importorskip("pandas")

ROOT = pathlib.Path(__file__).parents[2]
# The page comes first: it makes the data that the short examples elsewhere use.
PAGES = ("docs/python.md", "python/README.md", "README.md")
# Pages that stand alone. python/tests/pytorch/test_docs.py runs those that need PyTorch.
TASKS = ("docs/tasks/vectors.md", "docs/tasks/growing-classes.md")
_BLOCK = re.compile(r"^```python\n(.*?)^```$", re.DOTALL | re.MULTILINE)


def _blocks(page):
    """The examples of a page, padded with empty lines so that errors name the lines of the page."""
    text = (ROOT / page).read_text(encoding="utf-8")
    for match in _BLOCK.finditer(text):
        yield "\n" * text.count("\n", 0, match.start(1)) + match.group(1)


def _run(pages, namespace, folder, monkeypatch):
    monkeypatch.chdir(folder)
    monkeypatch.setenv("CANE_CACHE_DIR", str(folder / "cache"))
    for page in pages:
        blocks = list(_blocks(page))
        assert blocks, page
        for block in blocks:
            exec(compile(block, page, "exec"), namespace)  # noqa: S102, our own pages


def test_examples_run(tmp_path, monkeypatch):
    _run(PAGES, {"__name__": "documentation"}, tmp_path, monkeypatch)


@pytest.mark.parametrize("page", TASKS)
def test_tasks_run(page, tmp_path, monkeypatch):
    _run([page], {"__name__": "documentation"}, tmp_path, monkeypatch)
