"""What rewritten functions call: see `_rewrite`."""

from .. import _branch
from .._branch import Branch
from ..data_node import DataNode
from ._merge import is_enabled, logical, merged, node_of, selected, truth

UNDEFINED = type("Undefined", (), {"__repr__": lambda self: "<no value>"})()

_INCONSISTENT = (
    "Encountered inconsistent outputs out of the `if/else` control flow statement. Variables need to be initialized in "
    "every code path (both `if` branches)."
)


class _Left(BaseException):
    """A branch over a node ends with `return`."""

    def __init__(self, statement):
        super().__init__()
        self.statement = statement


def _is_over_node(test):
    return isinstance(test, DataNode) and is_enabled()


def _flags(test, expression="if"):
    """The branches in which the test is true and is not, made where the program stands."""
    if test.device == "gpu":
        raise ValueError(
            f'Invalid device "gpu" for the condition of `{expression}`: conditions are scalars that are placed on CPU. '
            "Compute it from cpu nodes"
        )
    outer = _branch.current()
    _branch.refuse_hidden([test], outer, f"`{expression}`")
    return [Branch(truth(test, expression, negate=negate, within=outer), outer) for negate in (False, True)]


class _Attribute:
    """An attribute that branches set: ``self.x`` of a name that is known before the `if`."""

    def __init__(self, path, names):
        root, *self._way, self._name = path.split(".")
        self._path = path
        self._owner = names.get(root, UNDEFINED)
        for name in self._way:
            self._owner = getattr(self._owner, name, UNDEFINED)
        self._before = self._now()

    def _now(self):
        return getattr(self._owner, self._name, UNDEFINED)

    def _set(self, value):
        if self._owner is UNDEFINED or value is self._now():
            return
        if value is UNDEFINED:
            delattr(self._owner, self._name)
        else:
            setattr(self._owner, self._name, value)

    def turn(self):
        self._then = self._now()
        self._set(self._before)

    def join(self, flag):
        """Where a branch leaves it without a value it has none behind the `if`."""
        pair = (self._then, self._now())
        self._set(UNDEFINED if any(one is UNDEFINED for one in pair) else merged(*pair, flag, f"`{self._path}`"))


class If:
    """One `if` statement while it is executed.

    `both` says that it is over a node: both branches are then written down. `first` and `second` say whether to go
    into a branch, `turn` and `joined` what names hold after it.
    """

    def __init__(self, test, names, attributes=()):
        self.both = _is_over_node(test)
        self._attributes = [_Attribute(path, names) for path in attributes] if self.both else []
        self._test = test if self.both else bool(test)
        self._before = dict(names)  # locals() is one dict for a frame
        self._outer = _branch.current() if self.both else None
        self._branches = _flags(test) if self.both else None
        self._then = None  # names after the first branch
        self._values = []  # that branches return
        self._at = -1
        self.returned = False
        self.value = None

    def __enter__(self):
        return self

    def __exit__(self, _kind, error, _traceback):
        if self.both:
            _branch.enter(self._outer)
        return isinstance(error, _Left) and error.statement is self

    def first(self):
        return self._goes_into(0) if self.both else self._test

    def second(self):
        return self._goes_into(1) if self.both else not self._test

    def _goes_into(self, number):
        self._at = number
        _branch.enter(self._branches[number])
        return True

    def leave(self, value):
        """Ends the branch with a value that is returned."""
        self._values.append((self._at, value))
        raise _Left(self)

    def turn(self, names, now):
        """Values of the names for the second branch: those before the `if`."""
        self._then = dict(now)
        for attribute in self._attributes:
            attribute.turn()
        return [self._before.get(name, UNDEFINED) for name in names]

    def joined(self, names, captured, now):
        """Values of the names behind the `if`. `captured` ones may have none.

        `RuntimeError` for a name without a value in one branch; as `merged` for the others.
        """
        flag = self._branches[0].flag
        if self._values:
            self._join_returned(flag)
            return [self._before.get(name, UNDEFINED) for name in (*names, *captured)]
        for name in names:
            for values, branch in ((self._then, "if"), (now, "else")):
                if name not in values:
                    raise RuntimeError(
                        f"{_INCONSISTENT} Variable '{name}' must also be initialized in the `{branch}` branch."
                    )
        for attribute in self._attributes:
            attribute.join(flag)
        made = [merged(self._then[name], now[name], flag, f"variable `{name}`") for name in names]
        for name in captured:
            there = name in self._then and name in now
            made.append(merged(self._then[name], now[name], flag, f"variable `{name}`") if there else UNDEFINED)
        return made

    def _join_returned(self, flag):
        returned = dict(self._values)
        for number, branch in enumerate(("if", "else")):
            if number not in returned:
                raise RuntimeError(f"{_INCONSISTENT} The `{branch}` branch must also have a return statement.")
        self.value = merged(returned[0], returned[1], flag, "what is returned")
        self.returned = True


def ret(around, value):
    """What a `return` within the ifs `around` gives; does not come back where one of them is over a node."""
    for statement in reversed(around):
        if statement.both:
            statement.leave(value)
    return value


def jump(around, word):
    """`SyntaxError` for a `break` or `continue` that would leave one branch of an `if` over a node."""
    if any(statement.both for statement in around):
        raise SyntaxError(
            f"`{word}` in one branch of an `if` over a node: how often a loop of the pipeline definition runs is known "
            "when it is written down, so a sample cannot leave it. Decide with Python values"
        )


def if_exp(test, then, otherwise):
    """``then() if test else otherwise()``"""
    if not _is_over_node(test):
        return then() if test else otherwise()
    branches = _flags(test)
    values = [_within(branch, one) for branch, one in zip(branches, (then, otherwise), strict=True)]
    return merged(*values, branches[0].flag, "a conditional expression")


def _within(branch, function):
    outer = _branch.current()
    _branch.enter(branch)
    try:
        return function()
    finally:
        _branch.enter(outer)


def _lazy(left, right, word):
    left = logical(_on_host(left, word, "left"), word, "left")
    branches = _flags(left, word)
    taken = branches[word == "or"]

    def checked():
        value = right()
        return logical(_on_host(value, word, "right"), word, "right")

    value = _within(taken, checked)
    pair = (value, left) if word == "and" else (left, value)
    return selected(*pair, branches[0].flag, _branch.current())


def _on_host(value, word, side=""):
    node = node_of(value, f"an argument of `{word}`")
    if node.device != "cpu":
        raise RuntimeError(
            f"Logical expression `{word}` is restricted to scalar (0-d tensors) inputs of `bool` type, that are placed "
            f"on CPU. Got a GPU input as the {side + ' ' if side else ''}argument in logical expression."
        )
    return node


def and_(left, right):
    """``left and right()``"""
    return _lazy(left, right, "and") if _is_over_node(left) else left and right()


def or_(left, right):
    """``left or right()``"""
    return _lazy(left, right, "or") if _is_over_node(left) else left or right()


def not_(value):
    """``not value``"""
    return logical(_on_host(value, "not"), "not", negate=True) if _is_over_node(value) else not value
