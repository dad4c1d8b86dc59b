"""Tensors and batches as pipelines hand them out. Their memory is yours for as long as you hold them."""

import textwrap

import numpy as np

from ._core import TensorCPU, TensorGPU, TensorListCPU, TensorListGPU

__all__ = ["TensorCPU", "TensorGPU", "TensorListCPU", "TensorListGPU"]


def _describe(self, data=None):
    facts = [] if data is None else [textwrap.indent(data, "    ")[4:]]
    device = "gpu" if isinstance(self, (TensorGPU, TensorListGPU)) else "cpu"
    facts += [f"dtype={self.dtype}", f'layout="{self.layout()}"', f'device="{device}"']
    if isinstance(self, (TensorListCPU, TensorListGPU)):
        facts += [f"num_samples={len(self)}", f"shape={self.shape()}"]
    else:
        facts.append(f"shape={tuple(self.shape())}")
    return f"{type(self).__name__}(\n    " + ",\n    ".join(facts) + ")"


def _tensor_text(self):
    return _describe(self, np.array2string(np.asarray(self)))


def _list_text(self):
    return _describe(self, "[" + ",\n\n".join(np.array2string(np.asarray(sample)) for sample in self) + "]")


TensorCPU.__str__ = _tensor_text
TensorCPU.__repr__ = _describe
TensorListCPU.__str__ = _list_text
TensorListCPU.__repr__ = _describe
TensorGPU.__str__ = TensorGPU.__repr__ = _describe
TensorListGPU.__str__ = TensorListGPU.__repr__ = _describe
for _class in (TensorCPU, TensorGPU, TensorListCPU, TensorListGPU):
    _class.__module__ = __name__
