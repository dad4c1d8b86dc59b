"""README, guides, changelog and licence: what they point to exists, and the figures agree with each other."""

import importlib.metadata
import re
import subprocess

import pytest

import penstock

FENCED = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)  # programs: [x](y) may be a lambda
LINK = re.compile(r"\]\(([^)#\s]*)#?([^)\s]*)\)")


@pytest.fixture
def documents(checkout):
    paths = [checkout / name for name in ("README.md", "CHANGELOG.md", "SECURITY.md", "bench/README.md")]
    paths += sorted((checkout / "src").rglob("*.md")) + sorted((checkout / "docs").rglob("*.md"))
    return {path: path.read_text() for path in paths}


def anchors(text):
    """What GitHub calls the headings."""
    headings = re.findall(r"^#+ +(.*)$", text, re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def test_links_lead_somewhere(documents):
    followed = 0
    for path, text in documents.items():
        for file, anchor in LINK.findall(FENCED.sub("", text)):
            if "://" in file:
                continue
            target = (path.parent / file).resolve() if file else path
            assert target.exists(), f"{path}: {file}"
            assert not anchor or anchor in anchors(target.read_text()), f"{path}: {file}#{anchor}"
            followed += 1
    assert followed > 50


def test_the_guides_are_there(documents, checkout):
    guides = {
        path.relative_to(checkout / "docs").as_posix() for path in documents if path.is_relative_to(checkout / "docs")
    }
    assert {"design.md", "reference/README.md", "porting_from_dali.md", "contributing.md", "performance.md"} <= guides


def test_each_layer_says_what_lives_there_and_what_it_may_include(checkout):
    for folder in sorted(path for path in (checkout / "src").iterdir() if path.is_dir()):
        text = (folder / "README.md").read_text()
        assert text.startswith(f"# {folder.name}: "), folder
        assert re.search(r"[Mm]ay include|only folder that includes", text), folder
        assert "Begin with" in text, folder
        assert len(text.splitlines()) <= 30, folder


def test_sources_that_guides_name_exist(documents, checkout):
    """Names with an ending, such as `core/pool.h`: from the checkout, src/, the package or the guide's folder."""
    named = re.compile(r"`((?:[\w-]+/)*[\w-]+\.(?:h|cc|cu|cuh|py|cmake|map|sh))`")
    bare = {path.name for top in ("src", "python", "docs") for path in (checkout / top).rglob("*.*")}
    count = 0
    for path, text in documents.items():
        if path.is_relative_to(checkout / "docs/notes") or path.name == "CHANGELOG.md":
            continue  # they tell of files of their day
        for name in named.findall(text):
            if re.search("posterize|tapes|^train.py$", name):
                continue  # what the reader writes
            folders = ("", "src", "src/codec/jpeg", "include", "python", "python/penstock", "examples")
            roots = [checkout / folder for folder in folders]
            assert name in bare or any((root / name).exists() for root in [*roots, path.parent]), f"{path}: {name}"
            count += 1
    assert count > 50


def test_targets_of_make_that_are_named_exist(documents, checkout):
    listed = subprocess.run(["make", "help"], cwd=checkout, capture_output=True, text=True, check=True).stdout
    offered = set(re.findall(r"^ +make ([a-z-]+)", listed, re.MULTILINE))
    assert {"demo", "test"} <= offered
    named = {name for text in documents.values() for name in re.findall(r"(?:^|`)make ([a-z-]+)", text, re.MULTILINE)}
    assert named <= offered


def test_readme_has_pictures_and_a_table_whose_ratios_are_right(checkout):
    text = (checkout / "README.md").read_text()
    pictures = re.findall(r"!\[[^\]]{20,}\]\((.*?)\)", text)
    assert pictures and all((checkout / name).stat().st_size > 1000 for name in pictures)
    rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in text.splitlines() if line.startswith("| ")]
    figures = [row for row in rows if len(row) == 5 and row[1][0].isdigit()]
    assert len(figures) >= 6
    for job, ours, dalis, _, ratio in figures:
        rates = [int(rate.replace(",", "")) for rate in (ours, dalis)]
        assert float(ratio) == pytest.approx(rates[0] / rates[1], rel=0.05), job  # medians of pairs


def test_folders_that_are_explained_exist(checkout):
    table = (checkout / "docs/design.md").read_text().partition("## Where things are")[2].partition("\n## ")[0]
    folders = [name for row in re.findall(r"^\| (`.*?) \|", table, re.MULTILINE) for name in re.findall("`(.*?)`", row)]
    assert "src/" in folders
    assert [name for name in folders if not (checkout / name).is_dir()] == []


def test_the_licence_is_apache_everywhere(checkout):
    assert importlib.metadata.metadata("penstock")["License-Expression"] == "Apache-2.0"
    text = " ".join((checkout / "LICENSE").read_text().split())
    assert text.startswith("Apache License Version 2.0, January 2004")
    assert "Apache License 2.0" in (checkout / "README.md").read_text()


def test_the_version_is_one_and_the_changelog_begins_with_it(checkout):
    version = penstock.__version__
    assert importlib.metadata.version("penstock") == version
    assert f"project(penstock VERSION {version} " in (checkout / "CMakeLists.txt").read_text()
    first = re.search(r"^## (\S+)", (checkout / "CHANGELOG.md").read_text(), re.MULTILINE)
    assert first[1] == version
