"""Branches of a pipeline definition: which samples an operator makes that is written down now."""

from . import _context, _origin


class Branch:
    """One branch of an `if` over a node. `flag` is a node: true for samples of the branch, within that `outer`.

    Where it `follows`, operators are of it because their inputs are, wherever they are written down.
    """

    __slots__ = ("flag", "follows", "outer", "where")

    def __init__(self, flag, outer, follows=False):
        self.flag = flag
        self.outer = outer
        self.follows = follows
        self.where = _origin.here()

    def is_within(self, other):
        """Whether all samples of this branch are of the `other`, too."""
        branch = self
        while branch is not None and branch is not other:
            branch = branch.outer
        return branch is other


def current():
    """The innermost branch that is being written down, or None."""
    definition = _context.current_definition()
    return None if definition is None else definition.branch


def enter(branch):
    """Operators that are made from now on are of that branch."""
    _context.current_definition().branch = branch


def of_inputs(nodes):
    """The branch of an operator with these inputs: the current one, or one within it that `follows` a node there."""
    branch = current()
    for node in nodes:
        made_in = node.source.branch
        if made_in is not None and made_in.follows and made_in.is_within(branch):
            branch = made_in
    return branch


def refuse_hidden(nodes, branch, what):
    """`ValueError` for nodes that samples outside of a branch do not have."""
    for node in nodes:
        made_in = node.source.branch
        if made_in is not None and not (branch is not None and branch.is_within(made_in)):
            raise ValueError(
                f"{what} takes the node of `{node.source.display}`, which is made in one branch of an `if` only: "
                "samples of the other branch do not have it. Give it a name in both branches, and use that name "
                f"behind the `if`\n  the node was made at\n{_origin.text(node.source.origin)}"
            )
