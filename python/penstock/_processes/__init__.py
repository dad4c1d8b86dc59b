"""Processes that call external sources: `start` puts `Remote` sources in the place of those that they call."""

from .pool import Pool, start

__all__ = ["Pool", "start"]
