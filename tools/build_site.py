"""Builds the documentation site into build/docs/html: guides, executed notebooks, reference, API of Python
and of C++, errors.

usage: build_site.py [CHECKOUT]

Nothing is downloaded. Sphinx's warnings are errors, links within the site among them. Penstock is the installed one:
the pictures of operators are made by running them.
"""

import pathlib
import shutil
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from site_pages import api, commands, cpp, errors, groups, links, pictures  # noqa: E402


def stage(root, target):
    """Copies docs/ to `target` and adds the pages that are made."""
    shutil.rmtree(target, ignore_errors=True)
    shutil.copytree(root / "docs", target, ignore=shutil.ignore_patterns("*.py"))
    for name in ("conf.py", "index.md", "site.css"):
        shutil.copy(pathlib.Path(__file__).parent / "site_pages" / name, target / name)
    for path in sorted((root / "docs").rglob("*.md")):
        (target / path.relative_to(root / "docs")).write_text(links.adapted(path.read_text(), path, root))
    for name, place in links.MOVED.items():
        if place != "index.md":
            (target / place).write_text(links.adapted((root / name).read_text(), root / name, root))
    folders = [links.adapted(path.read_text(), path, root) for path in sorted((root / "src").glob("*/README.md"))]
    (target / "folders.md").write_text("# Folders of the sources\n\n" + "\n".join(f"#{text}" for text in folders))
    (target / "errors.md").write_text(errors.page(root))
    (target / "commands.md").write_text(commands.page())
    for folder, pages in {"api": api.pages(), "cpp_api": cpp.pages(root, target.parent / "doxygen")}.items():
        (target / folder).mkdir()
        for name, text in pages.items():
            (target / folder / name).write_text(text)
    drawn = pictures.add_pictures(root, target / "reference")
    groups.add_pages(target / "reference")
    with (target / "notes/README.md").open("a") as notes:
        notes.write("\n```{toctree}\n:hidden:\n:glob:\n\n[a-z]*\n```\n")
    return drawn


def main():
    from sphinx.cmd.build import main as sphinx

    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else __file__).resolve()
    root = root if root.is_dir() else root.parent.parent
    source, html = root / "build/docs/source", root / "build/docs/html"
    began = time.monotonic()
    try:
        drawn = stage(root, source)
    except cpp.DoxygenFault as fault:
        print(fault)
        return 1
    print(f"staged in {time.monotonic() - began:.0f} s, {drawn} operators with pictures", flush=True)
    shutil.rmtree(html, ignore_errors=True)
    options = ["-b", "html", "-W", "--keep-going", "-q", "-j", "2", "-d", str(html.parent / "trees")]
    failed = sphinx([*options, str(source), str(html)])
    pages = sum(1 for _ in html.rglob("*.html"))
    print(f"{pages} pages in {html}, {time.monotonic() - began:.0f} s" if not failed else "the site has faults")
    return failed


if __name__ == "__main__":
    sys.exit(main())
