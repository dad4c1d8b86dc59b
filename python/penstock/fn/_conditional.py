"""What DALI's `if` is made of, as scripts call it: a batch is split by a predicate, and its parts merged again.

A part has the samples of one branch: operators that take it make those samples alone, so that both parts come together
in `merge` before the pipeline gives them.
"""

from .. import _branch, _context
from .._branch import Branch
from .._conditionals._merge import logical, node_of, selected, truth
from .._operator import make_operator

__all__ = ["merge", "not_", "split", "validate_logical"]


def split(input, *, predicate, device=None, name=None, preserve=False, bytes_per_sample_hint=None):  # noqa: A002
    """(samples for which `predicate` is true, all others): two nodes.

    Args
    ----
    input : node
        The batch. Nodes that are split by one `predicate` fit together.
    predicate : node of bool without axes
        On the CPU. `ValueError` for one on a GPU.
    device, name, preserve, bytes_per_sample_hint
        As of every operator.
    """
    options = {"device": device, "name": name, "preserve": preserve, "bytes_per_sample_hint": bytes_per_sample_hint}
    whole = node_of(input, "the input of `split`")
    predicate = _predicate(predicate)
    branches = _branches(predicate, _branch.of_inputs([predicate, whole]))
    return tuple(
        make_operator("copy", [whole], options, "fn._conditional.split", branch=branch).outputs[0]
        for branch in branches
    )


def merge(*inputs, predicate, device=None, name=None, preserve=False, bytes_per_sample_hint=None):
    """The node of what two parts give: the first where `predicate` is true, the second elsewhere.

    Args
    ----
    inputs : two nodes
        What `split` gave for the same `predicate`, or operators made of it. `ValueError` for another number.
    predicate : node of bool without axes
        As for `split`.
    device, name, preserve, bytes_per_sample_hint
        As of every operator; without effect on the result.
    """
    del device, name, preserve, bytes_per_sample_hint
    if len(inputs) != 2:
        raise ValueError(f"[fn._conditional.merge] expects 2 inputs, but received {len(inputs)}")
    parts, predicate = [node_of(one, "an input of `merge`") for one in inputs], _predicate(predicate)
    outer = _branch_around(predicate, parts)
    branches = _branches(predicate, outer)
    for node, branch in zip(parts, branches, strict=True):
        _branch.refuse_hidden([node], branch, "[fn._conditional.merge]")
    return selected(*parts, branches[0].flag, outer)


def not_(input, *, device=None, name=None, preserve=False, bytes_per_sample_hint=None):  # noqa: A002
    """The node of the logical opposite of a bool without axes. Other arguments are accepted, without effect."""
    del device, name, preserve, bytes_per_sample_hint
    return logical(node_of(input, "the input of `not_`"), "not", negate=True)


def validate_logical(
    input,  # noqa: A002
    *, expression_name, expression_side, device=None, name=None, preserve=False, bytes_per_sample_hint=None,
):  # fmt: skip
    """The node itself, if each sample is a bool without axes; else the batch is an error.

    Args
    ----
    input : node
        What stands in a logical expression.
    expression_name, expression_side : str
        The expression ("or") and the side ("right") that errors speak of.
    device, name, preserve, bytes_per_sample_hint
        Accepted, without effect.
    """
    del device, name, preserve, bytes_per_sample_hint
    return logical(node_of(input, f"an argument of `{expression_name}`"), expression_name, expression_side)


def _predicate(value):
    node = node_of(value, "a predicate")
    if node.device == "gpu":
        raise ValueError('[fn._conditional] Invalid device "gpu" for argument `predicate`: compute it from cpu nodes')
    return node


def _splits(predicate):
    """What this predicate split so far: the branch around both parts -> the two of them."""
    definition = _context.require("`fn._conditional`")
    return definition.splits.setdefault((predicate.source, predicate.index), {})


def _branches(predicate, outer):
    """The branches within `outer` in which the predicate is true and is not, made once."""
    splits = _splits(predicate)
    if outer not in splits:
        splits[outer] = [
            Branch(truth(predicate, "predicate", negate=negate, within=outer), outer, follows=True)
            for negate in (False, True)
        ]
    return splits[outer]


def _branch_around(predicate, parts):
    """The branch in which the predicate split what `parts` were made of."""
    for outer, branches in _splits(predicate).items():
        for node, branch in zip(parts, branches, strict=True):
            if node.source.branch is not None and node.source.branch.is_within(branch):
                return outer
    return _branch.of_inputs([predicate, *parts])
