"""The user's own lines that made an operator, for error messages."""

import linecache
import os
import sys

_PACKAGE = os.path.dirname(os.path.abspath(__file__)) + os.sep
_MOST_FRAMES = 4


def here():
    """Where the user's code stands: (file, line, function) from the outermost to the innermost. Costs microseconds."""
    frame = sys._getframe(1)
    frames = []
    while frame is not None and len(frames) < _MOST_FRAMES:
        code = frame.f_code
        if not code.co_filename.startswith((_PACKAGE, "<frozen")):
            frames.append((code.co_filename, frame.f_lineno, code.co_qualname))
        frame = frame.f_back
    return frames[::-1]


def stack_level():
    """What a caller gives `warnings.warn` for its `stacklevel`, so that the warning names the user's line."""
    frame, level = sys._getframe(1), 1
    while frame.f_back is not None and frame.f_code.co_filename.startswith((_PACKAGE, "<frozen")):
        frame, level = frame.f_back, level + 1
    return level


def text(frames):
    """The frames as Python prints them."""
    lines = []
    for file, line, function in frames:
        lines.append(f'  File "{file}", line {line}, in {function}')
        source = linecache.getline(file, line).strip()
        if source:
            lines.append(f"    {source}")
    return "\n".join(lines)
