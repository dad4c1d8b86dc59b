"""Which outputs of a pipeline are labels to draw on its pictures."""

import ast
import inspect
import textwrap

import numpy as np

from .. import _overlay

_WORDS = {"boxes": ("box",), "points": ("point", "joint"), "masks": ("mask",)}


def add_arguments(parser):
    for kind in _WORDS:
        parser.add_argument(
            f"--{kind}", metavar="OUTPUT", action="append", default=[],
            help=f"an output with {kind} to draw on the pictures: its number, from 0, or the name of the variable that "
            "the function returns; those with a fitting name are drawn by themselves",
        )  # fmt: skip
    parser.add_argument(
        "--ltrb", action="store_true", help="boxes are left, top, right, bottom, not left, top, width, height"
    )


class Labels:
    """The labels that `options` ask for, and those that the names of a function's outputs tell."""

    def __init__(self, options, function=None):
        self._names = names_of(function)
        self._ltrb = options.ltrb
        self._asked = {kind: [self._number(one) for one in getattr(options, kind)] for kind in _WORDS}

    def draw(self, pictures, outputs, picture_output, extents):
        """The pictures of a batch with their labels. `ValueError` where what was asked for is no such label."""
        for kind in ("masks", "boxes", "points"):  # boxes on masks
            for number in self._outputs(kind, len(outputs), picture_output):
                samples = [np.asarray(sample) for sample in outputs[number]]
                if all(_overlay.fits(kind, sample) for sample in samples):
                    rows = zip(pictures, samples, extents, strict=True)
                    pictures = [_overlay.draw(kind, *row, ltrb=self._ltrb) for row in rows]
                elif number in self._asked[kind]:
                    raise ValueError(
                        f"output {number} holds no {kind}: its samples have shapes such as {samples[0].shape} of "
                        f"{samples[0].dtype}"
                    )
        return pictures

    def _number(self, text):
        if text.isdecimal():
            return int(text)
        if text.lower() not in self._names:
            names = ", ".join(map(repr, self._names)) or "none with names"
            raise ValueError(f"there is no output {text!r}; there are {names}. Or give its number")
        return self._names.index(text.lower())

    def _outputs(self, kind, count, picture_output):
        for number in self._asked[kind]:
            if number >= count:
                raise ValueError(f"there is no output {number}: the pipeline has {count}")
        asked = {number for numbers in self._asked.values() for number in numbers}
        named = [i for i, name in enumerate(self._names) if i < count and any(word in name for word in _WORDS[kind])]
        return self._asked[kind] + [i for i in named if i not in asked and i != picture_output]


def names_of(function):
    """Names of what a function returns: variables of its last `return`; nothing where they have none."""
    try:
        tree = ast.parse(textwrap.dedent(inspect.getsource(inspect.unwrap(function))))
    except (OSError, SyntaxError, TypeError):
        return []
    returned = [node.value for node in _returns(getattr(tree.body[0], "body", []))]
    if not returned or returned[-1] is None:
        return []
    values = returned[-1].elts if isinstance(returned[-1], ast.Tuple) else [returned[-1]]
    if any(isinstance(one, ast.Starred) for one in values):
        return []
    return [one.id.lower() if isinstance(one, ast.Name) else "" for one in values]


def _returns(statements):
    """`return` statements of a function, without those of functions within."""
    for statement in statements:
        if isinstance(statement, ast.Return):
            yield statement
        elif not isinstance(statement, (ast.FunctionDef, ast.ClassDef)):
            for body in ("body", "orelse", "finalbody"):
                yield from _returns(getattr(statement, body, []))
