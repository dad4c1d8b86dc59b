"""Says in what two wheels differ; the exit status is 1 where they do. usage: compare_wheels.py WHEEL WHEEL"""

import pathlib
import sys
import zipfile

_OF_ENTRY = "date_time", "external_attr", "compress_type", "create_system", "extra", "comment"


def entries(path):
    """{name: (entry, bytes)} of a wheel, in its order."""
    with zipfile.ZipFile(path) as wheel:
        return {entry.filename: (entry, wheel.read(entry)) for entry in wheel.infolist()}


def differences(one, other):
    """Lines that say in what the wheels at these paths differ; none where they are equal byte for byte."""
    if one.read_bytes() == other.read_bytes():
        return []
    lines = [] if one.name == other.name else [f"names: {one.name}, {other.name}"]
    left, right = entries(one), entries(other)
    lines += [f"{name}: in one of them alone" for name in sorted(left.keys() ^ right.keys())]
    for name in sorted(left.keys() & right.keys()):
        (entry, data), (other_entry, other_data) = left[name], right[name]
        if data != other_data:
            at = next((i for i, (a, b) in enumerate(zip(data, other_data, strict=False)) if a != b), None)
            place = "one ends where the other goes on" if at is None else f"first at byte {at}"
            lines.append(f"{name}: {len(data)} and {len(other_data)} bytes, {place}")
        lines += [f"{name}: {field}" for field in _OF_ENTRY if getattr(entry, field) != getattr(other_entry, field)]
    if not lines:
        lines.append("order of entries" if [*left] != [*right] else "how the zip files are packed")
    return lines


if __name__ == "__main__":
    found = differences(*map(pathlib.Path, sys.argv[1:]))
    print("\n".join(found) or "The wheels are equal.")
    sys.exit(bool(found))
