"""Operators of a graph while it is being written down: checked against their schema, not yet in the engine."""

import difflib
import itertools

from . import _branch, _context, _core, _origin
from ._copied import copied
from ._deprecated import warn_of_seed, with_current_names
from ._enumerations import DALIDataType, element_type
from ._scalar import ScalarConstant
from ._schema import class_name, schemas
from .data_node import DataNode
from .errors import ForeignNodeError, MissingArgumentError, UnexpectedArgumentError

_GENERIC = {"device", "name", "preserve", "bytes_per_sample_hint", "seed"}
_SEED = {"per_sample": False}
_DEVICES = ("cpu", "gpu", "mixed")
_serial = itertools.count()


class Operator:
    """One operator with its inputs and arguments. `outputs` are its nodes."""

    __slots__ = (
        "arg_inputs", "args", "attached", "branch", "device", "display", "inputs", "name", "origin", "outputs",
        "pipeline", "preserve", "results", "schema", "seed_group", "serial",
    )  # fmt: skip

    def __init__(self, schema, inputs, args, arg_inputs, device, name, preserve, display, branch=None):
        self.schema = schema
        self.inputs = inputs
        self.args = args
        self.arg_inputs = arg_inputs
        self.device = device
        self.display = display
        self.preserve = preserve
        self.name = name
        self.origin = _origin.here()
        self.serial = next(_serial)
        self.seed_group = None
        self.pipeline = _context.mark()
        self.branch = branch  # whose samples it makes; None: all
        self.attached = None  # Python objects (sources, functions) that work for this operator
        self.results = None  # its batches, where it has run already
        count = _core.num_outputs(schema.name, args, list(arg_inputs), len(inputs))
        label = name or f"__{class_name(schema.name.rpartition('.')[2])}_{self.serial}"
        placed = "gpu" if device == "mixed" else device
        self.outputs = [
            DataNode(label if count == 1 else f"{label}[{i}]", placed, self, i) for i in range(count)
        ]  # fmt: skip


# Operators without inputs whose results depend on which other samples there are.
_OF_SCOPE = {"batch_permutation"}
_HERE = object()


def make_operator(op, inputs, kwargs, display=None, keep=None, attached=None, branch=_HERE):
    """Checks arguments against the schema of `op` and returns the operator. Inputs are nodes; `None` is "not given".

    `keep` says whether it stays where nothing reads its outputs; its schema does when that is None. `attached` is the
    Python object that works for it. It is of the branch that is being written down, where it has inputs; what has none
    is made for all samples, as in DALI, so that sources and random numbers do not depend on branches. Where `branch` is
    given, inputs may be of any branch.
    """
    schema = schemas()[op]
    display = display or f"fn.{op}"
    given = {key: value for key, value in kwargs.items() if value is not None}
    kwargs = with_current_names(schema, display, given)
    device = kwargs.pop("device", None)
    name = kwargs.pop("name", "")
    preserve = bool(kwargs.pop("preserve", False))
    kwargs.pop("bytes_per_sample_hint", None)
    if not schema.random and "seed" not in schema.args and kwargs.pop("seed", None) is not None:
        warn_of_seed()
    args, arg_inputs = _check_arguments(schema, display, kwargs)
    given = (*inputs, *arg_inputs.values())
    refuse_foreign([node.source for node in given], _context.mark(), f"[{display}]", _context.current_definition())
    if branch is _HERE:
        branch = _branch.of_inputs(given) if given or op in _OF_SCOPE else None
        _branch.refuse_hidden(given, branch, f"[{display}]")
    if branch is not None and schema.name == "consumer_step":
        raise ValueError(f"[{display}] cannot stand in a branch: all processes launch it together, for whole batches")
    if device is None:
        device = "gpu" if any(node.device == "gpu" for node in inputs) else "cpu"
    if device not in _DEVICES:
        raise ValueError(f"[{display}] device is one of 'cpu', 'gpu' and 'mixed', got {device!r}")
    made = Operator(schema, inputs, args, arg_inputs, device, name, preserve, display, branch)
    made.attached = attached
    eager = _context.eager()
    if eager is not None:
        eager.run(made)
    elif preserve or (schema.keep if keep is None else keep):
        _register(made, display)
    return made


def refuse_foreign(operators, pipeline, what, definition=None):
    """`ForeignNodeError` for operators of another pipeline's definition: their batches are not made here.

    `pipeline` is a mark, as `_context.mark` gives it, and `definition` its `Definition`, which may keep the error.
    Operators made outside of any definition fit everywhere.
    """
    for operator in operators:
        if None not in (operator.pipeline, pipeline) and operator.pipeline != pipeline:
            error = ForeignNodeError(
                f"{what} the node of `{operator.display}` belongs to another pipeline: make it in the definition of "
                "this one, or give the batches of that one to an external source here\n"
                f"  the node was made at\n{_origin.text(operator.origin)}"
            )
            if definition is None:
                raise error
            definition.refuse(error)


def _register(made, display):
    """Operators that stay although nothing reads them belong to the pipeline from the start."""
    if made.schema.kind == "external" and not made.preserve:
        return
    _context.require(f"`{display}`").sinks.append(made)


def _check_arguments(schema, display, kwargs):
    args, arg_inputs = {}, {}
    for name, value in kwargs.items():
        described = schema.args.get(name, _SEED if name == "seed" and schema.random else None)
        if described is None:
            raise UnexpectedArgumentError(_unknown(schema, display, name))
        if isinstance(value, ScalarConstant):
            value = value.value
        if isinstance(value, type):
            raise TypeError(
                f"[{display}] argument `{name}` takes a value, not the class {value.__name__}; element types are those "
                "of penstock.types, such as types.FLOAT"
            )
        if not isinstance(value, DataNode):
            args[name] = element_type(value) if isinstance(value, DALIDataType) else copied(value)
            continue
        if not described["per_sample"]:
            raise TypeError(f"[{display}] argument `{name}` takes a constant, not a node of the graph")
        if value.device != "cpu":
            raise ValueError(
                f'[{display}] Invalid device "{value.device}" for argument `{name}`: arguments given per sample '
                "come from cpu nodes"
            )
        arg_inputs[name] = value
    for name, described in schema.args.items():
        if described["required"] and name not in args and name not in arg_inputs:
            raise MissingArgumentError(f"[{display}] argument `{name}` is required")
    return args, arg_inputs


def _unknown(schema, display, name):
    shown = [arg for arg, described in schema.args.items() if not described["hidden"]]
    near = difflib.get_close_matches(name, [*shown, *_GENERIC], n=1)
    hint = f"; did you mean `{near[0]}`?" if near else f"; it takes {', '.join(f'`{arg}`' for arg in shown)}"
    return f"[{display}] got an unexpected argument `{name}`{hint}"
