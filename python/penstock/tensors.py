"""Tensors and batches as pipelines hand them out. Their memory is yours for as long as you hold them."""

import math
import textwrap

import numpy as np

from ._core import TensorCPU, TensorGPU, TensorListCPU, TensorListGPU

__all__ = ["TensorCPU", "TensorGPU", "TensorListCPU", "TensorListGPU"]


_AT_ENDS = 2  # samples at each end of a long batch, as DALI shows them
_LEFT_OUT = "..."
_MOST_SHAPES = 16


def _describe(self, data=None):
    facts = [] if data is None else [textwrap.indent(data, "    ")[4:]]
    device = "gpu" if isinstance(self, (TensorGPU, TensorListGPU)) else "cpu"
    facts += [f"dtype={self.dtype}", f'layout="{self.layout()}"', f'device="{device}"']
    if isinstance(self, (TensorListCPU, TensorListGPU)):
        shapes = self.shape()
        shown = _ends([str(shape) for shape in shapes], len(shapes) > _MOST_SHAPES)
        facts += [f"num_samples={len(self)}", f"shape=[{', '.join(shown)}]"]
    else:
        facts.append(f"shape={tuple(self.shape())}")
    return f"{type(self).__name__}(\n    " + ",\n    ".join(facts) + ")"


def _tensor_text(self):
    return _describe(self, np.array2string(np.asarray(self)))


def _list_text(self):
    elements = sum(max(math.prod(shape), 1) for shape in self.shape())
    shown = _ends(range(len(self)), elements > np.get_printoptions()["threshold"])
    samples = [one if one == _LEFT_OUT else np.array2string(np.asarray(self[one])) for one in shown]
    return _describe(self, "[" + ",\n\n".join(samples) + "]")


def _ends(items, shortened):
    """The items, of many but the first and the last ones."""
    items = list(items)
    if not shortened or len(items) <= 2 * _AT_ENDS + 1:
        return items
    return [*items[:_AT_ENDS], _LEFT_OUT, *items[-_AT_ENDS:]]


TensorCPU.__str__ = _tensor_text
TensorCPU.__repr__ = _describe
TensorListCPU.__str__ = _list_text
TensorListCPU.__repr__ = _describe
TensorGPU.__str__ = TensorGPU.__repr__ = _describe
TensorListGPU.__str__ = TensorListGPU.__repr__ = _describe
for _class in (TensorCPU, TensorGPU, TensorListCPU, TensorListGPU):
    _class.__module__ = __name__
