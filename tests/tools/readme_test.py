"""What the pages point to exists: files, and the headings within them."""

import pathlib
import re
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGES = [ROOT / "README.md", ROOT / "python/README.md", *sorted((ROOT / "docs").glob("**/*.md"))]


def prose(page):
    return re.sub(r"^```.*?^```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE)


def anchors(page):
    """The names of a page's headings, as GitHub makes them, and those it gives itself."""
    text = prose(page)
    headings = re.findall(r"^#+ (.*)$", text, re.MULTILINE)
    plain = (re.sub(r"[^\w\- ]", "", heading.lower()).strip().replace(" ", "-") for heading in headings)
    return {*plain, *re.findall(r'<a (?:name|id)="([^"]+)"', text)}


class Readme(unittest.TestCase):
    def test_points_to_files_and_headings_that_exist(self):
        for page in PAGES:
            for target in re.findall(r"\]\(([^)\s]+)", prose(page)):
                if "://" in target:
                    continue
                name, _, anchor = target.partition("#")
                path = page.parent / name if name else page
                where = f"{page.relative_to(ROOT)}: {target}"
                self.assertTrue(path.exists(), where)
                if anchor and path.suffix == ".md":
                    self.assertIn(anchor, anchors(path), where)

    def test_is_a_hundred_lines_at_most(self):
        self.assertLessEqual(len((ROOT / "README.md").read_text(encoding="utf-8").splitlines()), 100)


if __name__ == "__main__":
    unittest.main()
