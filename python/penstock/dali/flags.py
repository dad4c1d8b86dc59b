"""Choices of DALI's executor, for `Pipeline`'s `concurrency` and `stream_policy`, which have no effect."""

import enum

__all__ = ["OperatorConcurrency", "StreamPolicy"]


class StreamPolicy(enum.Enum):
    """How many CUDA streams operators share."""

    SINGLE = 16
    PER_BACKEND = 32
    PER_OPERATOR = 48
    UNSPECIFIED = 0


class OperatorConcurrency(enum.Enum):
    """Which operators run at the same time."""

    NONE = 2
    BACKEND = 4
    FULL = 6
    UNSPECIFIED = 0
