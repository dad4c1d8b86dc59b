"""What two branches give for one name, as one value: nodes are joined, in tuples, lists and dicts one by one."""

from .. import _branch, _context
from .._constant import constant_node
from .._operator import make_operator
from .._scalar import ScalarConstant
from ..data_node import DataNode

_DIVERGENT = (
    "Divergent data found in different branches of `if/else` control flow statement. A variable needs the same nesting "
    "structure in both: tuples and lists as long, dicts with the same keys.\n"
)


def truth(value, expression, side="", negate=False, within=None):
    """A node: whether `value` is true, for samples of the branch `within`, and false for others.

    Errors speak of the `expression`, and of the `side` of it on which the value stands.
    """
    inputs = [value] if within is None else [value, within.flag]
    arguments = {"expression": expression, "side": side, "negate": negate}
    return make_operator("_conditional_truth", inputs, arguments, f"`{expression}`", branch=None).outputs[0]


def logical(value, expression, side="", negate=False):
    """The value as an argument of `and`, `or` or `not`: a BOOL without axes, or an error when the pipeline runs."""
    arguments = {"expression": expression, "side": side, "negate": negate}
    branch = _branch.of_inputs([value])
    made = make_operator("_conditional_truth", [value], arguments, f"`{expression}`", branch=branch)
    return made.outputs[0]


def selected(then, otherwise, flag, branch):
    """The node of what each sample's branch gives, for samples of the `branch` around both."""
    device = "gpu" if "gpu" in (then.device, otherwise.device) else "cpu"
    kinds = {"device": device}
    return make_operator("_conditional_merge", [then, otherwise, flag], kinds, "`if`", branch=branch).outputs[0]


def merged(then, otherwise, flag, what):
    """One value of both branches' values.

    `ValueError` for values of another structure, `TypeError` for what is no data.
    """
    if not _alike(then, otherwise):
        raise ValueError(
            f"{_DIVERGENT}\n{what} differs:\n'If' output structure: {_outline(then)}\n"
            f"'Else' output structure: {_outline(otherwise)}"
        )
    return _merged(then, otherwise, flag, what)


def _merged(then, otherwise, flag, what):
    if then is otherwise:
        return then
    if isinstance(then, dict):
        return type(then)((key, _merged(value, otherwise[key], flag, what)) for key, value in then.items())
    if isinstance(then, (list, tuple)):
        parts = [_merged(*pair, flag, what) for pair in zip(then, otherwise, strict=True)]
        return type(then)(*parts) if hasattr(then, "_fields") else type(then)(parts)
    return selected(node_of(then, what), node_of(otherwise, what), flag, _branch.current())


def node_of(value, what):
    """The value as a node: constants become one. `TypeError` for what is no data."""
    if isinstance(value, DataNode):
        return value
    try:
        if isinstance(value, ScalarConstant):
            return constant_node(value.value, dtype=value.dtype, device="cpu")
        return constant_node(value, device="cpu")
    except TypeError as error:
        raise TypeError(
            f"{what} is {type(value)} in one branch of an `if` over a node, which is no data: {error}. Decide with a "
            "Python value, or give it another name in each branch"
        ) from error


def _alike(then, otherwise):
    if then is otherwise:
        return True
    if isinstance(then, dict):
        return (
            type(then) is type(otherwise)
            and then.keys() == otherwise.keys()
            and all(_alike(value, otherwise[key]) for key, value in then.items())
        )
    if isinstance(then, (list, tuple)):
        return type(then) is type(otherwise) and len(then) == len(otherwise) and all(map(_alike, then, otherwise))
    return not isinstance(otherwise, (dict, list, tuple)) and (then is None) == (otherwise is None)


def _outline(value):
    """The structure alone: what is in it are stars."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key!r}: {_outline(one)}" for key, one in value.items()) + "}"
    if isinstance(value, (list, tuple)):
        parts = ", ".join(map(_outline, value))
        return f"[{parts}]" if isinstance(value, list) else f"({parts}{',' * (len(value) == 1)})"
    return repr(value) if value is None else "*"


def is_enabled():
    """Whether the pipeline that is being written down has `if` over nodes."""
    definition = _context.current_definition()
    return definition is not None and definition.conditionals
