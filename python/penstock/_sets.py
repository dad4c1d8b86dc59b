"""What the stubs of `penstock.fn` declare operators to be that take several sets of inputs. Nothing runs it."""

from collections.abc import Callable
from typing import Any, ParamSpec, Protocol, cast, overload

from .data_node import DataNode

P = ParamSpec("P")


class TakesSets(Protocol[P]):
    """Gives a node; a list of nodes where its first input is a list, one for each in that."""

    @overload
    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> DataNode: ...

    @overload
    def __call__(self, inputs: list[DataNode], /, *more: Any, **arguments: Any) -> list[DataNode]: ...


def takes_sets(function: Callable[P, DataNode]) -> TakesSets[P]:
    return cast(TakesSets[P], function)
