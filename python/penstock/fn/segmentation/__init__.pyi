# Written by tools/gen_api.py from the operators' schemas: change those, then `make generated`.
from collections.abc import Mapping as _Mapping
from collections.abc import Sequence as _Sequence
from typing import Any as _Any
from typing import Literal as _Literal

from numpy.typing import ArrayLike as _ArrayLike

from penstock import types as _types
from penstock._sets import takes_sets as _takes_sets
from penstock.data_node import DataNode as _DataNode

_Ints = _Sequence[int] | int
_Floats = _Sequence[float] | float
_Strings = _Sequence[str] | str
_Tensor = _DataNode | _ArrayLike

@_takes_sets
def random_mask_pixel(
    mask: _Tensor, /, *, foreground: int | _Tensor = 0, seed: int | None = None, threshold: float | _Tensor = 0.0,
    value: int | _Tensor | None = None, device: _Literal['cpu', 'gpu', 'mixed'] | None = None, name: str | None = None,
    preserve: bool = False,
) -> _DataNode:
    """The place of a random element of a mask: of any, or, with `foreground`, of one in the foreground. A mask without foreground gives any element's."""

def random_object_bbox(
    labels: _Tensor, /, *, background: int | _Tensor = 0, cache_objects: bool = False,
    class_weights: _Floats | _Tensor | None = None, classes: _Ints | _Tensor | None = None,
    foreground_prob: float | _Tensor = 1.0, format: str = 'anchor_shape', ignore_class: bool = False,
    k_largest: int | None = None, output_class: bool = False, seed: int | None = None,
    threshold: _Ints | _Tensor | None = None, device: _Literal['cpu', 'gpu', 'mixed'] | None = None,
    name: str | None = None, preserve: bool = False,
) -> _Any:
    """The box of a random object of a label map. An object is a set of elements of one label that touch along an axis. With probability `foreground_prob` a class is picked, and then one of its objects; otherwise, and where there is none, the box is the whole map."""

def select_masks(
    mask_ids: _Tensor, polygons: _Tensor, vertices: _Tensor, /, *, last_polygon: bool = False,
    reindex_masks: bool = False, device: _Literal['cpu', 'gpu', 'mixed'] | None = None, name: str | None = None,
    preserve: bool = False,
) -> list[_DataNode]:
    """Takes the polygons of some masks, in the order in which the masks are named, as `readers.coco` gives them."""
