"""From the nodes that a user wrote down to the engine's graph."""

import hashlib
import warnings

from .. import _core, _origin
from .._constant import constant_node
from .._enumerations import CPU_ONLY_DEVICE_ID
from .._ranks import own_gpu
from .._scalar import ScalarConstant
from ..data_node import DataNode, holds_nodes

_warned_no_gpu = False


def normalised_outputs(outputs):
    """Nodes of a pipeline's outputs; constants become nodes. `TypeError` for what can be none."""
    nodes = []
    for i, value in enumerate(outputs):
        if isinstance(value, ScalarConstant):
            value = constant_node(value.value, dtype=value.dtype, device="cpu")
        if holds_nodes(value):
            raise TypeError(
                f"Illegal pipeline output type. The output {i} contains a nested `DataNode`. Is a `*` missing before a "
                "list of nodes?"
            )
        if not isinstance(value, DataNode):
            try:
                value = constant_node(value, device="cpu")
            except TypeError as e:
                raise TypeError(
                    f"Illegal output type. The output {i} is a `{type(value)}`. It is neither a `DataNode` nor can it "
                    f"be a constant: {e}"
                ) from e
        nodes.append(value)
    return nodes


def reachable(outputs, sinks):
    """Operators that outputs and sinks need, in the order in which they were written."""
    found, todo = {}, [node.source for node in outputs] + list(sinks)
    while todo:
        op = todo.pop()
        if op.serial in found:
            continue
        found[op.serial] = op
        todo += [node.source for node in (*op.inputs, *op.arg_inputs.values())]
        if op.branch is not None:
            todo.append(op.branch.flag.source)
    return [found[serial] for serial in sorted(found)]


def _group_seed(pipeline_seed, group):
    """Operators over several input sets draw the same numbers: one seed made from the pipeline's and the group's."""
    digest = hashlib.blake2b(f"{pipeline_seed}:{group}".encode(), digest_size=7).digest()
    return int.from_bytes(digest, "little")


def to_graph(operators, outputs, seed):
    """The engine's graph, and the names of external sources by operator: those without one get one to be fed by."""
    graph, placed, groups, fed = _core.Graph(), {}, {}, {}

    def place(node):
        return placed[node.source][node.index]

    for op in operators:
        args, name = dict(op.args), op.name
        if op.seed_group is not None and op.schema.random and "seed" not in args:
            args["seed"] = _group_seed(seed, groups.setdefault(op.seed_group, len(groups)))
        if op.schema.kind == "external":
            name = fed[op] = name or f"__external_source_{len(fed)}"
        arg_inputs = {argument: place(node) for argument, node in op.arg_inputs.items()}
        inputs = [place(node) for node in op.inputs]
        origin = _origin.text(op.origin)
        when = None if op.branch is None else place(op.branch.flag)
        placed[op] = graph.add(op.schema.name, inputs, args, arg_inputs, name, op.device, origin, op.preserve, when)
    graph.set_outputs([place(node) for node in outputs], [node.device == "gpu" for node in outputs])
    return graph, fed


def chosen_gpu(devices, device_id, strict):
    """The GPU that serves a pipeline, or None. Says once that what was asked of a GPU is done by the CPU where there is
    none; an error with `strict`. CPU_ONLY_DEVICE_ID does not even look for one, and is no surprise."""
    global _warned_no_gpu
    wanted = sorted({device for device in devices if device != "cpu"})
    if not wanted:
        return None
    if device_id == CPU_ONLY_DEVICE_ID:
        why = "device_id is types.CPU_ONLY_DEVICE_ID"
    elif count := _core.gpu_count():
        return own_gpu(count) if device_id is None else device_id
    else:
        why = f"there is no GPU that Penstock can use ({_core.why_no_gpu()})"
    message = f"{why}, so operators with device={wanted[0]!r} run on the CPU"
    if strict:
        raise RuntimeError(message + ", which strict_device=True forbids")
    if not _warned_no_gpu and device_id != CPU_ONLY_DEVICE_ID:
        _warned_no_gpu = True
        warnings.warn(
            message + "; results are the same, in host memory", RuntimeWarning, stacklevel=_origin.stack_level()
        )
    return None
