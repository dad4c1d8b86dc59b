"""Runs scripts that were written for NVIDIA DALI: ``python -m penstock.dali train.py``, or `install` in a program."""

from ._hook import install

__all__ = ["install"]
