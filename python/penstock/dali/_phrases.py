"""Errors of a pipeline in the words of DALI's that scripts look for, around Penstock's own."""

import re

from ..errors import ForeignNodeError

_FORM = re.compile(
    r"\[(?P<op>[\w.]+)\] (?P<said>.*?)(?:\n  used in the pipeline definition at\n(?P<lines>.*))?", re.DOTALL
)
_NOT_UNIQUE = "The pipeline is invalid because it contains operators with non-unique names"
_MIXED = re.compile(r"Tensors cannot have different data types|tensors of one batch have one rank")
_LINE = re.compile(r"  (File \"|  )")
_DECODING = re.compile(r"Failed to decode(?=: .*; sample (\d+))", re.DOTALL)


def put(error, operators, doing):
    """Gives the error the text that DALI's have: `doing` is "in" a pipeline or "when building" it.

    Errors that name no operator keep their own.
    """
    if isinstance(error, ForeignNodeError):
        error.args = (f"{_NOT_UNIQUE}: {error}",)
        return
    if _MIXED.match(str(error)):
        error.args = (f"Inconsistent data: {error}",)
        return
    found = _FORM.fullmatch(str(error))
    if found is None or isinstance(error, StopIteration):
        return
    op, said, lines = found["op"].removeprefix("fn."), found["said"], found["lines"]
    said = _DECODING.sub(lambda one: f"Failed to decode sample #{one[1]}", said)
    text = f"Critical error {doing} pipeline:\nError in {_device(op, operators)} operator `{_shown(op)}`,\n"
    if lines:
        where, advice = _parted(lines)
        text += f"which was used in the pipeline definition with the following traceback:\n\n{where}\n\n"
        said = "\n".join([said, *advice])
    error.args = (f"{text}encountered:\n\n{said}",)


def _shown(op):
    return "nvidia.dali.math" if op == "arithmetic" else f"nvidia.dali.fn.{op}"


def _device(op, operators):
    devices = {one.device for one in operators if op in (one.schema.name, one.display.removeprefix("fn."))}
    return devices.pop().upper() if len(devices) == 1 else "CPU"


def _parted(lines):
    """Lines of the traceback, and what follows them."""
    where, advice = [], []
    for line in lines.splitlines():
        (where if _LINE.match(line) and not advice else advice).append(line)
    return "\n".join(where), advice
