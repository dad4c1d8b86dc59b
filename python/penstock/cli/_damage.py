"""What is wrong with the files of a data set as files, beside what reading their samples finds."""

import dataclasses
import os

from .. import _core, _tables
from .._containers import count_of, samples_of

_SHOWN = 10
_ALL = 1 << 40  # members of an archive


def lines(damaged):
    """How (source, reason) pairs are told."""
    if not damaged:
        yield "damaged: none"
        return
    yield f"damaged: {len(damaged):,}"
    for source, reason in damaged[:_SHOWN]:
        yield f"  {source}: {reason}"
    if len(damaged) > _SHOWN:
        yield f"  and {len(damaged) - _SHOWN:,} more"


def first_line(error):
    """The words of an error without where it was raised."""
    return str(error).strip().split("\n")[0]


def of_file(part, first, known):
    """Yields (source, reason) of a container of one file.

    Args
    ----
    first : str
        The first file of the data set.
    known : set of str
        Sources that are known to be damaged.
    """
    if not part.files:
        return
    [file] = part.files
    if part.kind == "tar":
        yield from _members(file)
    if part.kind in ("tar", "tfrecord") and file not in known:
        yield from _index(part, file, known)
    if part.kind == "parquet" and file != first:
        yield from _columns(part, file, first)


def _members(file):
    try:
        names = _core.first_tar_members(file, _ALL)
    except (RuntimeError, ValueError):
        return  # reading its samples says why
    for name in names:
        if name.startswith("/") or ".." in name.split("/"):
            yield f"{file}:{name}", "the name leads out of the folder that the archive is unpacked in"


def _index(part, file, known):
    """An index beside the file has to list what is there."""
    stem, _ = os.path.splitext(file)
    names = dict.fromkeys((f"{stem}.idx", f"{file}.idx", f"{file}.index"))
    for index in filter(os.path.exists, names):
        argument = "index_paths" if part.kind == "tar" else "index_path"
        indexed = dataclasses.replace(part, arguments={**part.arguments, argument: [index]})
        try:
            listed, there = count_of(indexed), count_of(part)
            if listed != there:
                yield index, f"lists {listed:,} samples, {file} has {there:,}: it is the index of another file"
                continue
            failures = [failure for failure in _failures(indexed) if failure[0] not in known]
        except (OSError, RuntimeError, ValueError) as error:
            failures = [(index, first_line(error))]
        if failures:
            others = f", and {len(failures) - 1:,} more" if len(failures) > 1 else ""
            yield index, f"is not the index of {file}: {first_line(failures[0][1])}{others}"


def _failures(part):
    """(source, reason) of the samples that cannot be read."""
    found = []
    checked = {"check_crc": True} if part.kind == "tfrecord" else {}
    for _ in samples_of(part, on_failure=lambda *failure: found.append(failure), **checked):
        pass
    return found


def _columns(part, file, first):
    """The columns that are read have the type that they have in the first file."""
    import pyarrow.parquet

    try:
        here, there = (pyarrow.parquet.read_schema(one) for one in (file, first))
    except (OSError, ValueError):
        return  # reading its samples says why
    for name in part.arguments["columns"]:
        if name not in here.names:
            yield file, f'there is no column "{name}"; there are {", ".join(here.names)}'
            continue
        kinds = [_tables.plain(schema.field(name).type) for schema in (here, there)]
        if kinds[0] != kinds[1]:
            yield file, f'column "{name}" is {kinds[0]}, in {first} it is {kinds[1]}'
