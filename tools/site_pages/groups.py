"""A page for each group of operators: what each does and, where it has one, its picture."""

import re

_ROW = re.compile(r"^\| \[(?P<name>[^\]]+)\]\((?P<page>[^)]+)\) \| (?P<what>.*) \|$", re.MULTILINE)


def add_pages(reference):
    """Gives each group of `reference` a page, made of its rows in the list of all operators, and lists them there."""
    page = reference / "README.md"
    text = page.read_text()
    _, *sections = re.split(r"^## (.+)\n", text, flags=re.MULTILINE)
    groups = dict(zip(sections[::2], sections[1::2], strict=True))
    for group, section in groups.items():
        (reference / group / "index.md").write_text(_page(reference / group, section))
    listed = "\n".join(f"{group}/index" for group in groups)
    page.write_text(f"{text}\n```{{toctree}}\n:hidden:\n\n{listed}\n```\n")


def _page(folder, section):
    rows = [(row["name"], row["page"].rpartition("/")[2], row["what"]) for row in _ROW.finditer(section)]
    drawn = any(_picture(folder, page) for _, page, _ in rows)
    lines = [f"# {folder.name}", "", "| operator | what it does |", "| --- | --- |"]
    if drawn:
        lines[2:] = ["| operator | what it does | before and after |", "| --- | --- | --- |"]
    for name, page, what in rows:
        picture = _picture(folder, page)
        cells = [f"[{name}]({page})", what] + ([f"![{name}]({picture})" if picture else ""] if drawn else [])
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join([*lines, "", "```{toctree}", ":hidden:", ":glob:", "", "*", "```", ""])


def _picture(folder, page):
    picture = (folder / page).with_suffix(".png")
    return picture.name if picture.exists() else None
