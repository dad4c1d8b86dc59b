"""What scripts take from ``nvidia.dali.pickling``: how sources get into processes that call them."""

from .. import _pickling
from .._pickling import pickle_by_value

__all__ = ["pickle_by_value"]

_DaliPickle = _pickling  # users' picklers call its `dumps` and `loads`
