"""JAX functions inside pipelines."""

import functools
from collections.abc import Callable
from typing import Any, overload

from ..._callbacks import check_callable, check_num_outputs
from ..._copied import copied
from ..._operator import make_operator
from ._function import LocalFunction
from ._global_function import GlobalFunction

__all__ = ["jax_function"]


@overload
def jax_function(
    function: Callable[..., object], num_outputs: int = ..., output_layouts: Any = ..., sharding: Any = ...,
    device: str | None = ..., preserve: bool = ...,
) -> Callable[..., Any]: ...  # fmt: skip


@overload
def jax_function(
    function: None = ..., num_outputs: int = ..., output_layouts: Any = ..., sharding: Any = ...,
    device: str | None = ..., preserve: bool = ...,
) -> Callable[[Callable[..., object]], Callable[..., Any]]: ...  # fmt: skip


def jax_function(function=None, num_outputs=1, output_layouts=None, sharding=None, device=None, preserve=True):
    """Turns a function of JAX arrays, jitted or not, into an operator: it takes and gives nodes.

    The function is called with one array per input whose first axis is the batch; all samples must be of one shape.
    What it raises comes out of the call that takes the batch.

    With `sharding` the arrays are global, over all devices and processes, and the function may use collectives. It is
    launched by the thread that takes the batch, in the order of the graph, so that all processes launch the same things
    in the same order, whatever is prefetched. Operators that need its results run after it. Without `sharding` the
    arrays are of this process and the function runs ahead of time, on a worker thread.

    Args
    ----
    function : callable
        Takes `jax.Array` and gives arrays; a tuple of `num_outputs` when they are several. Without it a decorator is
        returned. `TypeError` for what cannot be called.
    num_outputs : int, default = 1
        Arrays that the function gives. `TypeError` for what is no whole number, `ValueError` for a negative one.
    output_layouts : str or list of str, default = None
        Axis letters of the outputs' samples, one text for all or one for each. When not given, those of the input of
        the same number and rank.
    sharding : jax.sharding.Sharding, default = None
        How global arrays lie on devices. It must cut the rows as the iterator's does, or into fewer pieces.
    device : "cpu" or "gpu", default = None
        Where the outputs are wanted; as the inputs when not given.
    preserve : bool, default = True
        Whether the function is called where nothing reads its outputs.
    """
    output_layouts = copied(output_layouts)
    check_num_outputs("fn.jax_function", num_outputs)

    def decorate(function):
        check_callable("fn.jax_function", function)

        @functools.wraps(function)
        def apply(*nodes):
            if sharding is None:
                made = LocalFunction(function, num_outputs, output_layouts)
            else:
                made = GlobalFunction(function, num_outputs, output_layouts, sharding)
            arguments = {"id": made.number, "num_outputs": num_outputs, "device": device}
            operator = make_operator(made.operator, nodes, arguments, "fn.jax_function", bool(preserve), made)
            if not operator.outputs:
                return None
            return operator.outputs[0] if num_outputs == 1 else tuple(operator.outputs)

        return apply

    return decorate if function is None else decorate(function)
