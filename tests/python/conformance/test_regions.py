"""Every operator gives the same pixels when only parts of its outputs, or of its inputs, are wanted or held."""

import functools

import cases
import numpy as np
import pytest
from runs import Run, by_sample, runnable, same

from penstock import Pipeline, _core, fn, types
from penstock.pipeline import _pipeline


def cuts(node, ndim, starts=(0.2, 0.4)):
    """Two windows that overlap in part: what is held for both is more than either needs."""
    if not ndim:
        return [node]
    axes = list(range(ndim))
    return [fn.slice(node, rel_start=[start] * ndim, rel_shape=[0.5] * ndim, axes=axes) for start in starts]


class Cut(cases.Case):
    """A case whose inputs are windows, where they are not just bytes; others read other windows of the same."""

    def apply(self, nodes, folder, more=None):
        windows = [fn.slice(node, start=[1, 0], shape=[10, 10], axes=[0, 1], out_of_bounds_policy="trim_to_shape")
                   if one.layout else node for node, one in zip(nodes, self.inputs, strict=True)]  # fmt: skip
        others = [
            cut
            for window, one in zip(windows, self.inputs, strict=True)
            if one.layout
            for cut in cuts(window, len(one.layout), starts=(0.0, 0.5))
        ]
        return [*super().apply(windows, folder, more), *others]


@by_sample
@pytest.mark.parametrize("form", ["plain", "ragged"])
def test_pushing_regions_changes_nothing(op, form, folder, monkeypatch):
    for case in runnable(op, folder):
        ranks = [array.ndim for array in Run(case, folder).batches(1)[0]]

        def through(nodes, outputs, ranks=ranks):
            del nodes
            made = [cut for node, ndim in zip(outputs, ranks, strict=False) for cut in cuts(node, ndim)]
            return made + outputs[len(ranks) :]

        pushed = Run(Cut(case.op, case.inputs), folder, form, through=through).batches(1)
        whole = functools.partial(_core.Pipeline, push_regions=False)
        with monkeypatch.context() as patch:
            patch.setattr(_pipeline, "_core", _Replaced(_core, Pipeline=whole))
            same(pushed, Run(Cut(case.op, case.inputs), folder, form, through=through).batches(1))


class _Replaced:
    """A module with some names replaced."""

    def __init__(self, module, **names):
        self._module = module
        self.__dict__.update(names)

    def __getattr__(self, name):
        return getattr(self._module, name)


@pytest.mark.parametrize("made", [
    lambda pixels: fn.cast(pixels, dtype=types.FLOAT), lambda pixels: pixels * 0.5, lambda pixels: pixels[:, 1:],
    lambda pixels: fn.pad(pixels, fill_value=3), lambda pixels: fn.copy(pixels)])  # fmt: skip
def test_what_has_no_layout_is_there_as_a_whole(made):
    pixels = np.arange(5 * 7 * 3, dtype=np.uint8).reshape(5, 7, 3)
    results = []
    for layout in ("HWC", None):
        with Pipeline(1) as pipe:
            x = made(fn.external_source(lambda info: pixels, batch=False, layout=layout))
            pipe.set_outputs(fn.crop(x, crop=[2, 3], crop_pos_x=1.0), fn.flip(x), fn.resize(x, size=[4, 4]))
        results.append([np.array(one[0]) for one in pipe.run()])
    same(*([tuple(result)] for result in results))
