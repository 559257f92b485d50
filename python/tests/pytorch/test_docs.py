"""The examples of the documentation that need PyTorch run as they stand."""

import pathlib
import re

import pytest

ROOT = pathlib.Path(__file__).parents[3]
_BLOCK = re.compile(r"^```python\n(.*?)^```$", re.DOTALL | re.MULTILINE)


def _blocks(page):
    return _BLOCK.findall((ROOT / page).read_text(encoding="utf-8"))


@pytest.mark.parametrize(
    ("page", "blocks"), [("docs/tasks/large-softmax.md", None), ("docs/torch.md", 1)]
)
def test_examples_run(page, blocks, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    namespace = {"__name__": "documentation"}
    for block in _blocks(page)[:blocks]:
        exec(compile(block, page, "exec"), namespace)  # noqa: S102, our own pages
    if "full_accuracy" in namespace:
        assert namespace["accuracy"] > namespace["full_accuracy"] - 0.1
