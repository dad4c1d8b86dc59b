"""Data sets of pictures with labels in every kind of container: found out, read, and written."""

from ._found import Container, find
from ._samples import count_of, samples_of
from ._writers import KINDS, ending_of, shard_path, writer

__all__ = ["KINDS", "Container", "count_of", "ending_of", "find", "samples_of", "shard_path", "writer"]
