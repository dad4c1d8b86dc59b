"""Errors that are of more than one of Python's kinds: the fitting one, and the one that DALI raises in such places.

Scripts that catch either see them.
"""

from ._core import ArgumentError, ArgumentTypeError, OutOfMemoryError, OutOfRangeError, UnknownNameError

__all__ = [
    "ArgumentError", "ArgumentTypeError", "ForeignNodeError", "MissingArgumentError", "NotFedError", "OutOfMemoryError",
    "OutOfRangeError", "UnexpectedArgumentError", "UnknownNameError",
]  # fmt: skip

UnknownNameError.__str__ = RuntimeError.__str__  # KeyError's puts quotes around sentences


class UnexpectedArgumentError(TypeError, KeyError):
    """An operator has no argument of that name."""

    __str__ = TypeError.__str__


class MissingArgumentError(ArgumentError, TypeError):
    """An operator needs an argument that was not given."""


class ForeignNodeError(ArgumentError):
    """A node belongs to another pipeline."""


class NotFedError(ArgumentError, IndexError):
    """An external source was given no batch."""
