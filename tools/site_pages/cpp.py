"""Pages of the C++ API: Doxygen reads the public headers, Breathe shows what it found."""

import pathlib
import re
import shutil
import subprocess
from xml.etree import ElementTree

HEADERS = {
    "Pipelines": ["graph", "pipeline", "arg", "arg_value", "types"],
    "Data": ["tensor", "shape", "layout", "dtype", "memory", "gpu"],
    "Errors": ["error"],
    "Several devices": ["parallel", "torch"],
}
ABSENT = (
    "doxygen, which reads the C++ headers, is not installed. On Debian and Ubuntu make docs installs it; elsewhere: "
    "apt-get install doxygen, or what the system has for it"
)
_SETTINGS = pathlib.Path(__file__).with_name("Doxyfile")
_FIRST = pathlib.Path(__file__).with_name("cpp.md")


class DoxygenFault(RuntimeError):
    """Doxygen is absent, or a public member has no sentence."""


def read_headers(include, target):
    """Writes what Doxygen finds in the folder `include` to `target`/xml. Returns that folder.

    `DoxygenFault` where Doxygen is absent, and for its warnings, undocumented members among them.
    """
    if not shutil.which("doxygen"):
        raise DoxygenFault(ABSENT)
    shutil.rmtree(target, ignore_errors=True)
    target.mkdir(parents=True)
    places = f'INPUT = "{include}"\nSTRIP_FROM_PATH = "{include}"\nOUTPUT_DIRECTORY = "{target}"\n'
    done = subprocess.run(
        ["doxygen", "-"], input=_SETTINGS.read_text() + places, capture_output=True, text=True, check=False
    )
    if done.returncode or done.stderr.strip():
        raise DoxygenFault("Doxygen on the C++ headers:\n" + "\n".join(sorted(set(done.stderr.splitlines()))))
    if silent := list(_values_without_sentence(target / "xml")):
        raise DoxygenFault("Doxygen on the C++ headers:\n" + "\n".join(silent))
    return target / "xml"


def _values_without_sentence(xml):
    """Faults of enumerations: Doxygen before 1.9.5 does not look at their values."""
    for path in sorted(xml.glob("*.xml")):
        for member in ElementTree.parse(path).iterfind("compounddef/sectiondef/memberdef[@kind='enum']"):
            place = member.find("location")
            for value in member.iterfind("enumvalue"):
                said = [*value.find("briefdescription").itertext(), *value.find("detaileddescription").itertext()]
                if not "".join(said).strip():
                    yield f"{place.get('file')}:{place.get('line')}: error: {value.findtext('name')} is not documented"


def _declarations(xml):
    """Path of a header below include/penstock -> (line, directive, name, options) of each of its declarations."""
    found = {}
    for entry in ElementTree.parse(xml / "index.xml").iterfind("compound"):
        kind, name = entry.get("kind"), entry.findtext("name")
        if kind not in ("class", "struct", "namespace") or "detail" in name:
            continue
        compound = ElementTree.parse(xml / f"{entry.get('refid')}.xml").find("compounddef")
        if kind == "namespace":
            members = compound.iterfind("sectiondef/memberdef")
            shown = [(one, one.get("kind"), f"{name}::{one.findtext('name')}", "") for one in members]
        else:  # a class within a class is shown with that one
            shown = [(compound, kind, name, ":members:\n")] if re.fullmatch(r"[a-z_:]+::\w+", name) else []
        for element, kind_of_it, full_name, options in shown:
            place = element.find("location")
            declared = (int(place.get("line")), f"doxygen{kind_of_it}", full_name, options)
            found.setdefault(place.get("file").removeprefix("penstock/"), []).append(declared)
    return found


def _directives(declared):
    """What shows declarations."""
    return "\n".join(f"```{{{directive}}} {name}\n{options}```\n" for _, directive, name, options in declared)


def _comment(header):
    """The comment that a header begins with, as Markdown."""
    text = header.read_text().partition("#pragma once")[0].replace("/// @file\n", "")
    text = re.sub(r"^///? ?", "", text, flags=re.MULTILINE)
    return text.replace("@code{.cpp}", "```cpp").replace("@endcode", "```").strip() + "\n"


def _first_sentence(text):
    return re.split(r"(?<=\.)\s", text.replace("\n", " "))[0].strip()


def _group(group, declared):
    """The page of a group's operators."""
    parts = [f"# penstock/fn/{group}.h\n", "What holds for all operators is on the [first page](index.md).\n"]
    for path in sorted(declared):
        page = path.removesuffix(".h")
        functions_first = sorted(declared[path], key=lambda one: (one[1] != "doxygenfunction", one))
        parts += [
            f"## {pathlib.PurePath(page).name}\n",
            f"`<penstock/{path}>`. [In Python](../reference/{page.removeprefix('fn/')}.md), with an example.\n",
            _directives(functions_first),
        ]
    return "\n".join(parts)


def pages(root, target):
    """File name -> text: a page for each public header, one for each group of operators, and their list."""
    include = root / "include/penstock"
    declared = _declarations(read_headers(include.parent, target))
    listed = {f"{name}.h" for names in HEADERS.values() for name in names}
    if forgotten := {path for path in declared if "/" not in path} - listed:
        raise LookupError(f"HEADERS in {__file__} lacks {', '.join(sorted(forgotten))}")
    made, rows = {}, []
    for title, names in HEADERS.items():
        rows += [f"## {title}\n", "| header | what it holds |\n| --- | --- |"]
        for name in names:
            comment = _comment(include / f"{name}.h")
            made[name] = f"# penstock/{name}.h\n\n{comment}\n{_directives(sorted(declared[f'{name}.h']))}"
            rows.append(f"| [penstock/{name}.h]({name}.md) | {_first_sentence(comment)} |")
        rows.append("")
    rows += ["## Operators\n", "| header | operators |\n| --- | --- |"]
    for group in sorted(path.name for path in (include / "fn").iterdir() if path.is_dir()):
        operators = {path: found for path, found in declared.items() if path.startswith(f"fn/{group}/")}
        made[f"fn_{group}"] = _group(group, operators)
        names = ", ".join(f"`{pathlib.PurePath(path).name.removesuffix('.h')}`" for path in sorted(operators))
        rows.append(f"| [penstock/fn/{group}.h](fn_{group}.md) | {names} |")
    toctree = "\n".join(["\n```{toctree}\n:hidden:\n", *made, "```\n"])
    return {f"{name}.md": text for name, text in made.items()} | {
        "index.md": _FIRST.read_text() + "\n" + "\n".join(rows) + toctree
    }
