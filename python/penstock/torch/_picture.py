"""A picture on its way through torchvision's transforms: what has to be known of it to write down the operators."""

from .. import fn, math, types
from ..data_node import DataNode

_TYPES = {"uint8": types.UINT8, "float32": types.FLOAT, "float16": types.FLOAT16}


class Picture:
    """A node with uint8 pixels (HWC), its height and width (numbers, or nodes where pictures differ) and its channels.

    Scaling and normalization are noted and done at the end, in one pass with the change to CHW. Only what pads
    normalized pixels has them done before, since it pads with zeros.
    """

    def __init__(self, node, height, width):
        self.node, self.height, self.width, self.channels = node, height, width, 3
        self.is_tensor = False  # a PIL image so far, for torchvision
        self.dtype = "uint8"
        self.scaled = False  # to 0 ... 1
        self.mean = self.std = None

    def resize(self, height, width, **filters):
        """Changes the size to these numbers or nodes."""
        self.node = fn.resize(self.node, resize_y=_float(height), resize_x=_float(width), **filters)
        self.height, self.width = height, width

    def crop(self, top, left, height, width, pads=True):
        """Cuts a window out; zeros where it sticks out."""
        if pads and self.mean is not None:
            self._normalize("HWC", types.FLOAT)
            self.mean, self.std, self.scaled = [0.0], [1.0], False
        start = fn.stack(*[side if isinstance(side, DataNode) else types.Constant(side) for side in (top, left)])
        if not any(isinstance(side, DataNode) for side in (top, left)):
            start = [top, left]
        self.node = fn.slice(
            self.node, start=start, shape=[height, width], axis_names="HW",
            out_of_bounds_policy="pad" if pads else "error",
        )  # fmt: skip
        self.height, self.width = height, width

    def to_rgb(self):
        """Makes three equal channels of a single one."""
        if self.channels == 1:
            self.node = fn.color_space_conversion(self.node, image_type=types.GRAY, output_type=types.RGB)
        self.channels = 3

    def convert(self, dtype, scale):
        """Notes another element type; with `scale` its range becomes the type's, 0 to 1 for floats."""
        self.scaled = scale if self.dtype == "uint8" else self.scaled
        self.dtype = dtype

    def finished(self):
        """The node of the tensors that the transforms give: CHW, scaled and normalized."""
        self._normalize("CHW", _TYPES[self.dtype])
        return self.node

    def _normalize(self, layout, dtype):
        one = 255.0 if self.scaled and self.dtype != "uint8" else 1.0
        mean, std = self.mean or [0.0], self.std or [1.0]
        self.node = fn.crop_mirror_normalize(
            self.node, dtype=dtype, output_layout=layout, mean=[one * m for m in mean], std=[one * s for s in std]
        )


def larger(a, b):
    """The larger of two, each a number or a node."""
    return max(a, b) if isinstance(a, int) and isinstance(b, int) else math.max(a, b)


def smaller(a, b):
    """The smaller of two, each a number or a node."""
    return min(a, b) if isinstance(a, int) and isinstance(b, int) else math.min(a, b)


def _float(value):
    return fn.cast(value, dtype=types.FLOAT) if isinstance(value, DataNode) else float(value)
