"""The report as a list of sections, each a list of paragraphs, tables and pictures. The page
(index.html) has all of it; the short report (report.md) has what is not marked as detail."""

import csv
import html
import io
import json
import pathlib
import re

STYLE = """body{max-width:70rem;margin:2rem auto;padding:0 1rem;font:16px/1.5 sans-serif;color:#222}
table{border-collapse:collapse;font-size:.85rem;display:block;overflow-x:auto}td,th{border-bottom:1px solid #ddd;
padding:.2rem .6rem;text-align:left}svg{max-width:100%;height:auto}pre{overflow-x:auto;font-size:.75rem}"""


class Section:
    def __init__(self, name, heading, detail=False):
        self.name, self.heading, self.detail, self.blocks = name, heading, detail, []

    def say(self, text, detail=False):
        self.blocks.append(("text", text, detail))

    def table(self, name, headings, rows, detail=False):
        if rows:
            self.blocks.append(("table", (name, headings, rows), detail))

    def picture(self, name, caption, svg, detail=False):
        if svg:
            self.blocks.append(("picture", (name, caption, svg), detail))

    def commands(self, lines, examples):
        """All for the page, the examples for the short report."""
        if lines:
            self.blocks.append(("commands", (lines, examples), False))


def as_csv(headings, rows):
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows([headings, *rows])
    return text.getvalue()


def markdown_table(headings, rows):
    def line(cells):
        return "| " + " | ".join(str(cell).replace("|", "\\|") for cell in cells) + " |\n"
    return line(headings) + "|" + "---|" * len(headings) + "\n" + "".join(map(line, rows)) + "\n"


def markdown(title, conditions, sections):
    text = f"# {title}\n\n{conditions}\n"
    for section in sections:
        blocks = [block for block in section.blocks if not block[2]]
        if section.detail or not blocks:
            continue
        text += f"\n## {section.heading}\n\n"
        for kind, content, _ in blocks:
            if kind == "text":
                text += content + "\n\n"
            elif kind == "table":
                text += markdown_table(*content[1:])
            elif kind == "picture":
                text += f"![{content[1]}]({content[0]}.svg)\n\n"
            else:
                text += "One run of each kind; the page `index.html` of the same call has all.\n\n"
                text += "```sh\n" + "\n".join(content[1]) + "\n```\n\n"
        text = text.rstrip("\n") + "\n"
    return text


def inline(text):
    """`words` between backquotes are code."""
    return re.sub(r"`([^`]*)`", r"<code>\1</code>", html.escape(text, quote=False))


def html_block(kind, content):
    if kind == "text":
        return f"<p>{inline(content)}</p>\n"
    if kind == "table":
        _, headings, rows = content
        head = "".join(f"<th>{inline(cell)}</th>" for cell in headings)
        body = "".join("<tr>" + "".join(f"<td>{inline(str(cell))}</td>" for cell in row) + "</tr>\n" for row in rows)
        return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>\n"
    if kind == "picture":
        svg = content[2][content[2].index("<svg"):]
        return f"<figure>{svg}<figcaption>{inline(content[1])}</figcaption></figure>\n"
    lines = html.escape("\n".join(content[0]))
    return f"<details><summary>What was run, when, where and for how long</summary><pre>{lines}</pre></details>\n"


def as_html(title, conditions, sections):
    links = "".join(f"<li><a href='#{one.name}'>{inline(one.heading)}</a></li>" for one in sections)
    body = "".join(f"<section id='{one.name}'><h2>{inline(one.heading)}</h2>\n"
                   + "".join(html_block(kind, content) for kind, content, _ in one.blocks) + "</section>\n"
                   for one in sections)
    return (f"<!doctype html><html lang='en'><meta charset='utf-8'><title>{html.escape(title)}</title>"
            f"<style>{STYLE}</style><h1>{html.escape(title)}</h1><p>{inline(conditions)}</p><nav><ol>{links}</ol></nav>\n"
            f"{body}</html>\n")


def write(folder, title, conditions, sections, facts):
    """All files of the report. Each is complete or absent."""
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    files, tables = {}, {}
    for section in sections:
        for kind, content, _ in section.blocks:
            if kind == "table":
                files[f"{content[0]}.csv"] = as_csv(*content[1:])
                tables[content[0]] = [dict(zip(content[1], row)) for row in content[2]]
            elif kind == "picture":
                files[f"{content[0]}.svg"] = content[2]
    files["report.md"] = markdown(title, conditions, sections)
    files["index.html"] = as_html(title, conditions, sections)
    files["report.json"] = json.dumps({**facts, "tables": tables}, indent=1, ensure_ascii=False) + "\n"
    for name, text in files.items():
        new = folder / f"{name}.new"
        new.write_text(text, encoding="utf-8")
        new.replace(folder / name)
