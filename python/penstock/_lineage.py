"""Which operators made a picture out of its source, and where they moved its pixels."""

import collections

from . import _origin
from ._enumerations import DALIDataType
from ._operator import make_operator

# Operators that leave pixels where they are.
KEEPING = frozenset({
    "arithmetic", "brightness", "brightness_contrast", "cast", "cast_like", "clahe", "color_space_conversion",
    "color_twist", "contrast", "copy", "debayer", "dump_image", "element_extract", "equalize", "erase", "expand_dims",
    "experimental.dilate", "experimental.erode", "experimental.median_blur", "filter", "gaussian_blur", "grid_mask",
    "hsv", "hue", "jpeg_compression_distortion", "laplacian", "lookup_table", "noise.gaussian",
    "noise.salt_and_pepper", "noise.shot", "normalize", "pad", "per_frame", "reinterpret", "reshape", "saturation",
    "sequence_rearrange", "squeeze", "transpose",
})  # fmt: skip
# Operators that move them by a matrix, which they tell (MovesPixels in C++).
MOVING = frozenset({
    "crop", "crop_mirror_normalize", "decoders.image", "decoders.image_crop", "decoders.image_random_crop",
    "decoders.image_slice", "experimental.warp_perspective", "fast_resize_crop_mirror", "flip", "paste",
    "random_resized_crop", "resize", "resize_crop_mirror", "rotate", "slice", "tensor_resize", "warp_affine",
})  # fmt: skip
# Those that do so unless an argument says otherwise.
_UNLESS = {
    "filter": lambda args: args.get("mode") == "valid",
    "reinterpret": lambda args: bool({"shape", "rel_shape", "src_dims", "dtype"} & set(args)),
    "reshape": lambda args: bool({"shape", "rel_shape", "src_dims"} & set(args)),
    "transpose": lambda args: not args.get("transpose_layout", True),
}
# Operators whose results are no pictures, whatever they are made of.
MEASURING = ("reductions.", "random.", "transforms.", "shapes", "get_property", "peek_image_shape", "full_like",
             "zeros_like", "ones_like", "_conditional_truth", "segmentation.random_mask_pixel", "random_crop_generator",
             "connected_components")  # fmt: skip
# Operators on pictures that no labels follow, with why.
REFUSED = {
    "jitter": "moves pixels at random", "water": "moves pixels in waves", "sphere": "bends the picture to a sphere",
    "experimental.remap": "looks pixels up at places of their own",
    "multi_paste": "pastes pictures of several samples; follow each up to there, and move its labels as `in_ids`, "
                   "`in_anchors` and `out_anchors` say",
    "ssd_random_crop": "moves its boxes itself: take those that it gives, with `source=` its picture",
    "permute_batch": "gives samples the pictures of others",
    "batch_permutation": "gives samples the pictures of others",
    "callback": "is a Python function, of which nothing is known",
    "mixup": "mixes pictures of two samples", "cutmix": "mixes pictures of two samples",
    "_mixup": "mixes pictures of two samples", "_cutmix": "mixes pictures of two samples",
    "stack": "makes several pictures one", "cat": "makes several pictures one",
}  # fmt: skip

_Path = collections.namedtuple("_Path", "root, steps")  # root: operator and output; steps: what moved the picture


class _Merge:
    """What joins both branches of an `if`, and what moved the picture in each."""

    __slots__ = ("operator", "otherwise", "then")

    def __init__(self, operator, then, otherwise):
        self.operator = operator
        self.then = then
        self.otherwise = otherwise


class Lineage:
    """The way of `images` from `source`, or from the only source of pictures that there is. Nothing is made for that.

    `ValueError` that names the operator where labels could not follow.
    """

    def __init__(self, images, source=None):
        self._images = images
        self._source = None if source is None else (source.source, source.index)
        self._found = {}
        self._made = {}
        self._path = self._of(images)
        if self._path is None or (source is not None and self._path.root != self._source):
            where = "a source of pictures" if source is None else "`source`"
            raise ValueError(f"[fn.follow] `images` (of `{images.source.display}`) are not made from {where}")

    def geometry(self):
        """The node that tells where the pixels went."""
        return self._geometry(self._path.steps, self._images)

    def _of(self, node):
        """The way of a node, or None where it is no picture."""
        key = (node.source, node.index)
        if key not in self._found:
            self._found[key] = _Path(key, ()) if key == self._source else self._traced(node)
        return self._found[key]

    def _traced(self, node):
        operator = node.source
        name = operator.schema.name
        if not operator.inputs:
            return _Path((operator, node.index), ()) if operator.schema.kind in ("reader", "external") else None
        if name.startswith("decoders."):
            given = operator.inputs[0]
            steps = (operator,) if name in MOVING else ()
            return _Path((given.source, given.index), steps)
        if name.startswith(MEASURING) or (node.index > 0 and name in MOVING):
            return None
        if name == "_conditional_merge":
            return self._merged(operator)
        if name in MOVING:
            path = self._of(operator.inputs[0])
            return path and _Path(path.root, (*path.steps, operator))
        if name in KEEPING and not _UNLESS.get(name, lambda args: False)({**operator.args, **operator.arg_inputs}):
            path = self._met(operator)
            return path and _Path(path.root, (*path.steps, operator)) if name == "pad" else path
        if all(self._of(one) is None for one in operator.inputs):
            return None
        why = REFUSED.get(name, "is not known to leave pixels where they are, or to move them by a matrix")
        raise _refused(operator, why)

    def _met(self, operator):
        """The way of the picture among what an operator is given: those of all that lead to one source agree."""
        paths = [path for path in map(self._of, operator.inputs) if path is not None]
        if self._source is not None:
            paths = [path for path in paths if path.root == self._source]
        paths = [path for path in paths if _is_decoded(path.steps)] or paths
        if len({path.root for path in paths}) > 1:
            raise _refused(operator, "mixes several pictures; `source=` says whose labels they are")
        if len({path.steps for path in paths}) > 1:
            raise _refused(operator, "mixes a picture with itself, moved in another way")
        return paths[0] if paths else None

    def _merged(self, operator):
        then, otherwise = map(self._of, operator.inputs[:2])
        if then is None or otherwise is None:
            if then is otherwise:
                return None
            raise _refused(operator, "gives a picture in one branch only")
        if then.root != otherwise.root:
            raise _refused(operator, "gives another picture in each branch; follow each in its branch")
        if then.steps == otherwise.steps:
            return then
        return _Path(then.root, (_Merge(operator, then.steps, otherwise.steps),))

    def _geometry(self, steps, picture):
        if not steps:
            made = make_operator(
                "follow_source", [picture], {"device": "cpu"}, "fn.follow", branch=picture.source.branch
            )
            return made.outputs[0]
        if steps not in self._made:
            self._made[steps] = self._behind(steps)
        return self._made[steps]

    def _behind(self, steps):
        """The geometry behind the last of `steps`."""
        step = steps[-1]
        if isinstance(step, _Merge):
            then, otherwise, flag = step.operator.inputs
            inputs = [self._geometry(step.then, then), self._geometry(step.otherwise, otherwise), flag]
            return self._peer("_conditional_merge", step.operator, inputs)
        if step.schema.name == "pad":
            return self._peer("follow_source", step, [step.outputs[0], self._geometry(steps[:-1], step.inputs[0])])
        before = self._geometry(steps[:-1], None) if len(steps) > 1 else _nothing()
        name = "follow_file" if step.schema.name.startswith("decoders.") else "follow_operator"
        arguments = [node for _, node in sorted(step.arg_inputs.items())]
        return self._peer(name, step, [step.outputs[0], before, *step.inputs, *arguments])

    @staticmethod
    def _peer(name, operator, inputs):
        made = make_operator(name, inputs, {"device": "cpu"}, "fn.follow", branch=operator.branch)
        made.origin = operator.origin
        return made.outputs[0]


def _is_decoded(steps):
    while steps and isinstance(steps[0], _Merge):
        steps = steps[0].then or steps[0].otherwise
    return bool(steps) and steps[0].schema.name.startswith("decoders.")


def _nothing():
    """The geometry of a picture whose extents the next operator tells."""
    return make_operator("zeros", [], {"shape": [0, 4], "dtype": DALIDataType.FLOAT64, "device": "cpu"}).outputs[0]


def _refused(operator, why):
    return ValueError(
        f"[fn.follow] labels cannot follow through `{operator.display}`: it {why}\n"
        f"  the operator was made at\n{_origin.text(operator.origin)}"
    )
