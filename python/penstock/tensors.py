"""Tensors and batches as pipelines hand them out. Their memory is yours for as long as you hold them."""

import textwrap

import numpy as np

from ._core import TensorCPU, TensorListCPU

__all__ = ["TensorCPU", "TensorGPU", "TensorListCPU", "TensorListGPU"]


class TensorGPU:
    """A tensor in GPU memory. There are none in a process without a GPU."""

    def __init__(self, *_args, **_kwargs):
        raise RuntimeError("there is no GPU that Penstock can use: tensors live in host memory (TensorCPU)")


class TensorListGPU:
    """A batch in GPU memory. There are none in a process without a GPU."""

    def __init__(self, *_args, **_kwargs):
        raise RuntimeError("there is no GPU that Penstock can use: batches live in host memory (TensorListCPU)")


def _describe(self, data=None):
    facts = [] if data is None else [textwrap.indent(data, "    ")[4:]]
    facts += [f"dtype={self.dtype}", f'layout="{self.layout()}"', 'device="cpu"']
    if isinstance(self, TensorListCPU):
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
for _class in (TensorCPU, TensorListCPU):
    _class.__module__ = __name__
