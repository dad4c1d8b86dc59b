"""Labels that move along with their picture: ``fn.follow``."""

from typing import Any

import numpy as np

from . import _branch, _context
from ._constant import as_node
from ._lineage import Lineage
from ._operator import make_operator
from .data_node import DataNode

_OF_KIND = {
    "boxes": {"ratio", "ltrb", "min_visible", "labels"},
    "points": {"ratio", "flip_pairs"},
    "polygons": {"ratio", "polygons"},
    "masks": {"fill_value"},
}


def follow(
    data,
    images,
    kind="boxes",
    *,
    ratio=None,
    ltrb=None,
    min_visible=None,
    labels=None,
    polygons=None,
    flip_pairs=None,
    fill_value=None,
    source=None,
    device=None,
    name="",
    preserve=False,
) -> Any:  # by `kind`, `labels` and `min_visible` one node or a tuple of them
    """Moves the labels of a picture to where operators moved its pixels: ``boxes = fn.follow(boxes, images)``.

    The operators between the source of the pictures and `images` tell what they did, with the same arguments and the
    same random numbers, sample by sample: decoders that crop, `resize`, `crop`, `slice`, `flip`, `rotate`,
    `warp_affine`, `warp_perspective`, `paste`, `random_resized_crop`, `crop_mirror_normalize`, `resize_crop_mirror` and
    `tensor_resize`, on CPUs and GPUs, in branches of `if`, too. Operators that change colours, blur, add noise or erase
    move nothing. What an operator cut off is not seen any more, even where a later one makes the picture larger again.

    `ValueError` that names the operator where one moves pixels in a way that no matrix tells (`water`, `sphere`,
    `jitter`, `remap`, Python functions), mixes samples, or where two pictures meet. `debug=True` pipelines have no
    graph to go by.

    Args
    ----
    data : DataNode
        What to move, for the pictures as they came out of their decoder or source; coordinates are x before y before
        z, in pixels, (0, 0) the corner of the first pixel:

        - boxes: FLOAT [n, 4], as `readers.coco` gives them; in volumes [n, 6];
        - points: FLOAT [..., 2], or [..., 3] with how visible they are, such as key points [objects, points, 3]; in
          volumes one more;
        - polygons: the vertices, FLOAT [n, 2], and `polygons`; not in volumes;
        - masks: pictures as large as the source, of any type, HWC, HW, CHW or frames of them; in volumes DHWC, DHW or
          CDHW.
    images : DataNode
        The moved pictures, or volumes, whose layout has a D.
    kind : "boxes", "points", "polygons" or "masks"
        What `data` is.
    ratio : bool, default False
        Coordinates are parts of the extents: of the source, and then of `images`.
    ltrb : bool, default False
        Boxes are left, top, right, bottom; otherwise left, top, width, height. In volumes: left, top, front, right,
        bottom, back; or left, top, front, width, height, depth.
    min_visible : float
        Boxes of whose area, or volume, less than this share is seen are left out, and those of which nothing is.
        Without it all stay; one of which nothing is seen becomes 0, 0, 0, 0.
    labels : DataNode or list of DataNode
        One label for each box, returned behind the boxes: with `min_visible` those of the boxes left, else all.
    polygons : DataNode
        INT32 [k, 3]: mask, first vertex, vertex past the last.
    flip_pairs : list of pairs of int
        Key points, by their places among an object's, that are exchanged in mirrored pictures: left and right hands.
    fill_value : float, default 0
        What pixels of masks get that show nothing of the source.
    source : DataNode
        The pictures that `data` belongs to, where that is neither what the decoder was given nor the only source.
    device : "cpu" or "gpu"
        Where the moved labels are wanted; by default where `data` is. The host moves them.
    name, preserve
        As for every operator.

    Returns
    -------
    boxes
        Boxes that hold all that is seen of each; [n, 4] or [n, 6]. With `labels` or `min_visible` a tuple: the boxes
        that are left, then their `labels`, then with `min_visible` their places among all, INT32, for
        `segmentation.select_masks` and the like.
    points
        Of the same shape. How visible a point is becomes 0 where it is not seen. Points behind the horizon of
        a perspective are NaN, or 0, 0, 0.
    polygons
        A tuple of `polygons` and vertices; what is not seen is cut off, and a polygon of which nothing is seen has no
        vertices.
    masks
        As large as `images`; each pixel is the nearest one of the source, one of both where two are as near.
    """
    given = {
        "ratio": ratio, "ltrb": ltrb, "min_visible": min_visible, "labels": labels, "polygons": polygons,
        "flip_pairs": flip_pairs, "fill_value": fill_value,
    }  # fmt: skip
    _check(kind, images, given, source)
    geometry = Lineage(images, source).geometry()
    given = {name: value for name, value in given.items() if value is not None}
    data = as_node(data, f"the {kind} of `fn.follow`")
    inputs = [data, geometry]
    if kind == "boxes":
        inputs += _list(given.pop("labels", []))
    if kind == "polygons":
        inputs = [as_node(given.pop("polygons"), "`polygons` of `fn.follow`"), data, geometry]
    if "flip_pairs" in given:
        given["flip_pairs"] = [int(one) for one in np.asarray(flip_pairs, int).reshape(-1)]
    made = make_operator(
        f"follow_{kind}",
        inputs,
        {**given, "device": device or data.device, "name": name, "preserve": preserve},
        "fn.follow",
    )
    return made.outputs[0] if len(made.outputs) == 1 else tuple(made.outputs)


def _list(labels):
    labels = labels if isinstance(labels, (list, tuple)) else [labels]
    return [as_node(one, "`labels` of `fn.follow`") for one in labels]


def _check(kind, images, given, source):
    if _context.eager() is not None:
        raise ValueError("[fn.follow] goes by the graph of a pipeline, which debug=True pipelines do not have")
    if kind not in _OF_KIND:
        raise ValueError(f"[fn.follow] `kind` is one of {', '.join(map(repr, _OF_KIND))}; got {kind!r}")
    for name, node in (("images", images), ("source", source)):
        if not isinstance(node, DataNode) and not (name == "source" and node is None):
            raise TypeError(f"[fn.follow] `{name}` is a node of the graph, got {type(node).__name__}")
    for name, value in given.items():
        if value is not None and name not in _OF_KIND[kind]:
            kinds = ", ".join(repr(one) for one, names in _OF_KIND.items() if name in names)
            raise ValueError(f"[fn.follow] `{name}` belongs to kind {kinds}, not to {kind!r}")
    if kind == "polygons" and given["polygons"] is None:
        raise ValueError("[fn.follow] polygons need `polygons`, which says whose vertices are whose; points do not")
    _branch.refuse_hidden([images], _branch.current(), "[fn.follow]")
