"""Mathematical functions of nodes; results and types follow DALI's rules of promotion."""

from ._arithmetic import apply as _apply

_UNARY = (
    "abs fabs floor ceil sqrt rsqrt cbrt exp log log2 log10 sin cos tan asin acos atan sinh cosh tanh asinh acosh atanh"
)
_BINARY = "pow fpow min max atan2"


def _function(name, count):
    def function(*operands):
        if len(operands) != count:
            raise TypeError(f"math.{name} takes {count} operands, got {len(operands)}")
        return _apply(name, *operands)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"`{name}` of the `operands`, {count} of them, nodes or numbers, element by element."
    return function


for _count, _names in [(1, _UNARY), (2, _BINARY)]:
    for _name in _names.split():
        globals()[_name] = _function(_name, _count)


def clamp(value, lo, hi):
    """The `value`, no less than `lo` and no more than `hi`; all three promote to one type."""
    return _apply("clamp", value, lo, hi)
