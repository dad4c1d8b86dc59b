"""Expressions of nodes: one `arithmetic` operator per function, with numbers as constants inside it."""

import numbers

import numpy as np

from ._call import call
from ._constant import constant_node
from ._enumerations import NUMPY_NAMES
from ._scalar import ScalarConstant
from .data_node import DataNode, holds_nodes

_INTEGERS = ["uint8", "uint16", "uint32", "uint64", "int8", "int16", "int32", "int64", "bool"]
_SYMBOLS = {
    "add": "+", "sub": "-", "mul": "*", "fdiv": "/", "div": "//", "mod": "%", "pow": "**", "bitand": "&", "bitor": "|",
    "bitxor": "^", "lshift": "<<", "rshift": ">>", "eq": "==", "neq": "!=", "lt": "<", "leq": "<=", "gt": ">",
    "geq": ">=",
}  # fmt: skip
_OPERANDS = (DataNode, ScalarConstant, numbers.Number, np.ndarray, np.generic, list, tuple)


def takes_part(value):
    """Whether a value may be an operand of an expression with a node."""
    return isinstance(value, _OPERANDS)


def apply(function, *operands, display=None):
    """The function of nodes, numbers and arrays, element by element.

    Python's bool, int and float count as BOOL, INT32 and FLOAT; arrays and lists become constants. With a node on a GPU
    among the operands the others follow it there.
    """
    operands = [_operand(value, i, _SYMBOLS.get(function, function)) for i, value in enumerate(operands)]
    nodes = [value for value in operands if isinstance(value, DataNode)]
    device = "gpu" if any(node.device == "gpu" for node in nodes) else "cpu"
    slots, integers, reals = [], [], []
    for value in operands:
        if isinstance(value, DataNode):
            slots.append("&")
            continue
        name = NUMPY_NAMES[value.dtype]
        slots.append(name)
        (integers if name in _INTEGERS else reals).append(value.value)
    arguments = {"op": function, "operands": slots, "integers": integers or None, "reals": reals or None}
    inputs = [getattr(node, device)() for node in nodes]
    return call("arithmetic", inputs, {**arguments, "device": device}, display=display or f"math.{function}")


def _operand(value, number, symbol):
    if isinstance(value, (DataNode, ScalarConstant)):
        return value
    if isinstance(value, (bool, int, float, np.bool_, np.integer, np.floating)):
        return ScalarConstant(value)
    if holds_nodes(value):
        raise TypeError(
            f"input {number} of operator `{symbol}` must be a DataNode or a constant. Got a "
            f"`{type(value).__name__}` with nested DataNode"
        )
    return constant_node(np.asarray(value), device="cpu")
