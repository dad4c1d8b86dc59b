"""Batches as pictures for the page, and samples as facts."""

import functools
import threading

import numpy as np

from ... import _core, _sheet

_NUMBERS = 16  # elements that are shown of a small tensor


class Kept:
    """A batch that was taken: `number` from 1, `nbytes` that it holds. Drawn when the page first asks."""

    def __init__(self, number, outputs, draw):
        self.number = number
        self.outputs = outputs
        self._draw = draw
        self._lock = threading.Lock()
        self.nbytes = sum(_bytes_of(output) for output in outputs)

    @functools.cached_property
    def _drawn(self):
        try:
            return self._draw()
        except ValueError as error:  # no pictures among the outputs
            return None, str(error)

    def as_json(self):
        """The batch as a dict: `samples`, each with `caption`, `source`, `valid` and whether it is a `picture`."""
        with self._lock:
            pictures, captions = self._drawn
        count = len(self.outputs[0])
        sources = self.outputs[0].source_info() if hasattr(self.outputs[0], "source_info") else []
        valid = self.outputs.valid
        return {
            "number": self.number,
            "note": captions if pictures is None else None,
            "samples": [
                {
                    "caption": str(captions[i]) if pictures is not None and i < len(captions) else "",
                    "source": str(sources[i]) if i < len(sources) else "",
                    "valid": bool(valid[i]) if i < len(valid) else True,
                    "picture": pictures is not None,
                    "index": int(self.outputs.indices[i]) if i < len(self.outputs.indices) else -1,
                }
                for i in range(count)
            ],
        }

    def png(self, sample):
        """The picture of a sample with its labels. `IndexError` where there is none."""
        with self._lock:
            pictures, _ = self._drawn
        if pictures is None or not 0 <= sample < len(pictures):
            raise IndexError(sample)
        return _core.encode_png(np.ascontiguousarray(pictures[sample]), 1)

    def whole_png(self, sample):
        """The first output of a sample that is a picture, with all its pixels. `IndexError` where there is none."""
        for output in self.outputs:
            if 0 <= sample < len(output):
                picture = _sheet.as_picture(np.asarray(output[sample].as_cpu()), output.layout())
                if picture is not None:
                    return _core.encode_png(np.ascontiguousarray(picture), 1)
        raise IndexError(sample)

    def facts(self, sample):
        """What each output of a sample is: a list of dicts for JSON. `IndexError` where there is no such sample."""
        if not 0 <= sample < len(self.outputs[0]):
            raise IndexError(sample)
        return [
            {"output": number, **_facts(output[sample], output.layout())} for number, output in enumerate(self.outputs)
        ]


def _bytes_of(output):
    try:
        return int(output.nbytes())
    except (AttributeError, TypeError):
        return sum(int(np.prod(shape)) for shape in output.shape()) * 4


def _facts(tensor, layout):
    array = np.asarray(tensor.as_cpu())
    found = {
        "shape": list(array.shape), "dtype": str(array.dtype), "layout": layout, "bytes": int(array.nbytes),
        "source": tensor.source_info() or "", "device": "gpu" if "Gpu" in type(tensor).__name__ else "cpu",
    }  # fmt: skip
    if array.size and array.dtype.kind in "biuf":
        finite = array[np.isfinite(array)] if array.dtype.kind == "f" else array
        if finite.size:
            found |= {"min": float(finite.min()), "max": float(finite.max()), "mean": float(finite.mean(dtype=float))}
        found["not_finite"] = int(array.size - finite.size)
        if array.size <= _NUMBERS:
            found["values"] = str(array.tolist())
    return found
