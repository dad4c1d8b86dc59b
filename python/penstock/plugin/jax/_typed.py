"""What type checkers are told of decorators that make iterators: `data_iterator` and `peekable_data_iterator`."""

from collections.abc import Callable, Sequence
from typing import Any, Protocol, TypeVar, cast, overload

from ..base_iterator import LastBatchPolicy

I = TypeVar("I", covariant=True)  # noqa: E741 - of iterators


class Decorating(Protocol[I]):
    """Of a function it makes a maker of iterators, without one a decorator; arguments are those of the iterator."""

    @overload
    def __call__(
        self, pipeline_fn: Callable[..., object], output_map: Sequence[str] = ..., size: int = ...,
        reader_name: str | None = ..., auto_reset: bool | str = ..., last_batch_padded: bool = ...,
        last_batch_policy: LastBatchPolicy = ..., prepare_first_batch: bool = ..., sharding: Any = ...,
        devices: Sequence[Any] | None = ..., pmap_compatible: bool | None = ...,
    ) -> Callable[..., I]: ...  # fmt: skip

    @overload
    def __call__(
        self, pipeline_fn: None = ..., output_map: Sequence[str] = ..., size: int = ...,
        reader_name: str | None = ..., auto_reset: bool | str = ..., last_batch_padded: bool = ...,
        last_batch_policy: LastBatchPolicy = ..., prepare_first_batch: bool = ..., sharding: Any = ...,
        devices: Sequence[Any] | None = ..., pmap_compatible: bool | None = ...,
    ) -> Callable[[Callable[..., object]], Callable[..., I]]: ...  # fmt: skip


def makes(iterator_class: type[I]) -> Callable[[Callable[..., object]], Decorating[I]]:
    """Declares a function to be such a decorator, of iterators of the `iterator_class`."""
    return lambda function: cast(Decorating[I], function)
