"""A page for each group of operators: what each does and, where it has one, its picture."""

import re

_LINK = re.compile(r"\]\((?:[^)]*/)?([^)/]+)\.md\)")
_CONTENTS = "\n```{{toctree}}\n:hidden:\n{}\n```\n"


def add_pages(reference):
    """Gives each group in `reference` a page with its table of the list of all operators, where it adds pictures."""
    page = reference / "README.md"
    text = page.read_text()
    _, *parts = re.split(r"^## (.+)\n", text, flags=re.MULTILINE)
    tables = dict(zip(parts[::2], parts[1::2], strict=True))
    for group, table in tables.items():
        (reference / group / "index.md").write_text(_page(reference / group, table))
    page.write_text(text + _CONTENTS.format("\n" + "\n".join(f"{group}/index" for group in tables)))


def _page(folder, table):
    head, rule, *rows = table.strip().splitlines()
    names = [_LINK.search(row)[1] for row in rows]
    rows = [_LINK.sub(r"](\1.md)", row, count=1) for row in rows]
    pictures = [f"![{name}]({name}.png)" if (folder / f"{name}.png").exists() else "" for name in names]
    if any(pictures):
        rows = [f"{row} {picture} |" for row, picture in zip(rows, pictures, strict=True)]
        head, rule = f"{head} before and after |", f"{rule} --- |"
    return "\n".join([f"# {folder.name}\n", head, rule, *rows, _CONTENTS.format(":glob:\n\n*")])
