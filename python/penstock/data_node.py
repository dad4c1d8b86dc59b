"""What operators hand to each other while a pipeline is being written down."""

_DEEPEST = 40  # a list may be in itself


def holds_nodes(value, depth=_DEEPEST):
    """Whether `value` is a list or tuple with a node in it, or in lists within it, `depth` deep at most."""
    if not depth or not isinstance(value, (list, tuple)):
        return False
    return any(isinstance(item, DataNode) or holds_nodes(item, depth - 1) for item in value)


class DataNode:
    """One output of one operator: a batch that will exist when the pipeline runs.

    Arithmetic, comparisons and indexing on nodes make further operators (`penstock._expressions`). Operators make
    nodes: `name` is for people, `device` is "cpu" or "gpu", and the data is output number `index` of the operator
    `source`.
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
        return self if self.device == device else type(self)(self.name, device, self.source, self.index)

    def __bool__(self):
        raise TypeError(
            '"DataNode" was used in conditional context: its value is known only when the pipeline runs.'
            " To use conditional execution via `if` statements you need to specify"
            " `enable_conditionals=True` in `@nvidia.dali.pipeline_def` decorator (`@penstock.pipeline_def` likewise). "
            "Where that is given, this code is not converted: it is a `while`, an `assert`, a comprehension's `if`, a "
            "chained comparison, a generator, code without source, or under `do_not_convert`. Masks and arithmetic "
            "(mask * a + (1 - mask) * b) work everywhere."
        )
