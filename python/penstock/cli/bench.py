"""Measures this machine: Penstock and other loaders that are installed, the same job in turns, and prints ratios."""

from ..bench import run as _bench

add_arguments = _bench.add_arguments
run = _bench.run
