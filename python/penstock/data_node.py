"""What operators hand to each other while a pipeline is being written down."""


class DataNode:
    """One output of one operator: a batch that will exist when the pipeline runs.

    Arithmetic, comparisons and indexing on nodes make further operators. Operators make nodes: `name` is for people,
    `device` is "cpu" or "gpu", and the data is output number `index` of the operator `source`.
    """

    __slots__ = ("device", "index", "name", "source")
    __array_priority__ = 1000  # NumPy leaves `array + node` to the node
    __array_ufunc__ = None
    __iter__ = None  # keeps isinstance(node, collections.abc.Iterable) false
    __hash__ = object.__hash__

    def __init__(self, name, device="cpu", source=None, index=0):
        self.name = name
        self.device = device
        self.source = source
        self.index = index

    def __repr__(self):
        return f'DataNode(name="{self.name}", device="{self.device}")'

    def gpu(self):
        """The same data in the memory of the pipeline's GPU."""
        return self._on("gpu")

    def cpu(self):
        """The same data in host memory."""
        return self._on("cpu")

    def _on(self, device):
        return self if self.device == device else DataNode(self.name, device, self.source, self.index)

    def shape(self, *, dtype=None, device="cpu"):
        """Extents of each sample, as a 1-D tensor (INT64 unless `dtype` says otherwise) on `device`."""
        return _call("shapes", [self], {"dtype": dtype, "device": device})

    def property(self, key, *, device="cpu"):
        """What `key` names, "source_info" or "layout", of each sample, as 1-D uint8 text on `device`."""
        return _call("get_property", [self], {"key": key, "device": device})

    def source_info(self, *, device="cpu"):
        """File or key each sample was read from, as 1-D uint8 text on `device`."""
        return self.property("source_info", device=device)

    def __bool__(self):
        raise TypeError(
            '"DataNode" was used in conditional context: its value is known only when the pipeline runs. '
            "Use masks and arithmetic (mask * a + (1 - mask) * b), or decide with Python values."
        )

    def __getitem__(self, subscript):
        from ._subscript import subscripted

        return subscripted(self, subscript)


def _call(op, inputs, kwargs):
    from ._operator import call

    return call(op, inputs, kwargs)


def _binary(function):
    def apply(self, other):
        from ._arithmetic import apply, takes_part

        return apply(function, self, other) if takes_part(other) else NotImplemented

    def apply_right(self, other):
        from ._arithmetic import apply, takes_part

        return apply(function, other, self) if takes_part(other) else NotImplemented

    return apply, apply_right


def _unary(function):
    def apply(self):
        from ._arithmetic import apply

        return apply(function, self)

    return apply


def _add_operators():
    for python, function in [
        ("add", "add"), ("sub", "sub"), ("mul", "mul"), ("truediv", "fdiv"), ("floordiv", "div"), ("mod", "mod"),
        ("pow", "pow"), ("and", "bitand"), ("or", "bitor"), ("xor", "bitxor"), ("lshift", "lshift"),
        ("rshift", "rshift"),
    ]:  # fmt: skip
        left, right = _binary(function)
        setattr(DataNode, f"__{python}__", left)
        setattr(DataNode, f"__r{python}__", right)
    for python, function in [("eq", "eq"), ("ne", "neq"), ("lt", "lt"), ("le", "leq"), ("gt", "gt"), ("ge", "geq")]:
        setattr(DataNode, f"__{python}__", _binary(function)[0])
    for python, function in [("neg", "minus"), ("invert", "bitnot"), ("abs", "abs"), ("pos", "plus")]:
        setattr(DataNode, f"__{python}__", _unary(function))


_add_operators()
