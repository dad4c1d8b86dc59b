"""Calls of operators with whatever a user may give: nodes, numbers, arrays, lists of nodes."""

import numpy as np

from . import _context, _mixing
from ._constant import as_node
from ._enumerations import DALIDataType
from ._operator import make_operator
from ._schema import schemas
from .data_node import DataNode, holds_nodes


def applied(op, inputs, kwargs, display=None, attached=None):
    """The operator, to which the Python object `attached` belongs.

    Inputs that are no nodes become constants; so do arrays given for per-sample arguments.
    """
    schema = schemas()[op]
    display = display or f"fn.{op}"
    least, most = schema.input_range()
    if len(inputs) < least or (most is not None and len(inputs) > most):
        span = f"from {least} to {'any number of' if most is None else most}"
        raise ValueError(f"Operator {display} expects {span} inputs, but received {len(inputs)}.")
    nodes = [as_node(value, f"input {i} of operator `{display}`") for i, value in enumerate(inputs)]
    policy = _context.policy()
    if policy is not None:
        kwargs = {**policy.arguments.get(op, {}), **kwargs}
    given = {name: _argument(schema, display, name, value) for name, value in kwargs.items()}
    if schema.kind == "reader" and policy is not None and policy.reader is not None:
        given = policy.reader(op, given)
    if callable(given.get("subset")) and schema.kind == "reader":
        given["subset"] = _mixing.indices_of(schema, given, display)
    return make_operator(op, nodes, given, display, attached=attached)


def _argument(schema, display, name, value):
    described = schema.args.get(name, {"per_sample": False, "type": ""})
    kind, what = described["type"], f"argument `{name}` of `{display}`"
    policy, eager = _context.policy(), _context.eager()
    if policy is not None and policy.constant is not None:
        value = policy.constant(kind, value)
    if not described["per_sample"]:
        return value
    value = value if eager is None else eager.seen(value)
    if isinstance(value, np.ndarray) and value.ndim:
        return as_node(value, what)
    return _stacked(value, kind, what) if holds_nodes(value) else value


def _stacked(values, kind, what):
    """One node of a list of numbers, some of which are nodes: ``crop=[heights, 224]``."""
    dtype = DALIDataType.FLOAT if "float" in kind else DALIDataType.INT32
    nodes = [applied("cast", [as_node(one, what)], {"dtype": dtype}).outputs[0] for one in values]
    return applied("stack", nodes, {}).outputs[0]


def call(op, inputs, kwargs, display=None):
    """Applies an operator as ``fn`` functions do: one node, a list of nodes, or None, by the number of its outputs; a
    dict of nodes where an argument names the outputs.

    A list of nodes as an input ("several input sets") applies the operator to each set with the same random numbers;
    a list of one node is as good as the node.
    """
    if op == _mixing.MIXTURE and "num_outputs" not in kwargs:
        return _mixing.of_readers(inputs, kwargs, lambda *given: call(op, *given, display))
    sets = {len(value) for value in inputs if _is_set(value)}
    if not sets:
        return _unpack(applied(op, inputs, kwargs, display))
    if len(sets) > 1:
        raise ValueError(f"[{display or 'fn.' + op}] all lists of inputs must have one length, got {sorted(sets)}")
    made = [
        applied(op, [value[i] if _is_set(value) else value for value in inputs], kwargs, display)
        for i in range(sets.pop())
    ]
    for one in made:
        one.seed_group = made[0].serial
    results = [_unpack(one) for one in made]
    if len(made) == 1:
        return results[0]
    if len(made[0].outputs) > 1:
        return [list(column) for column in zip(*results, strict=True)]
    return results


def _is_set(value):
    return isinstance(value, (list, tuple)) and bool(value) and all(isinstance(item, DataNode) for item in value)


def _unpack(made):
    outputs = made.outputs
    if made.schema.outputs_by:
        names = made.args[made.schema.outputs_by]
        return dict(zip([names] if isinstance(names, str) else names, outputs, strict=True))
    if not outputs:
        return None
    return outputs[0] if len(outputs) == 1 else outputs
