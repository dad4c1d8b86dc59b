"""Boxes, and operators on them run by Penstock and by DALI."""

import numpy as np
import oracle

import penstock


def boxes_of(count, seed=0, layout="ltrb"):
    rng = np.random.default_rng(seed)
    low = rng.random((count, 2)) * 0.6
    extent = rng.random((count, 2)) * 0.4
    return np.float32(np.hstack([low, extent if layout == "xywh" else low + extent]))


def run(module, make, *inputs, batches=1, **options):
    """[batch][output][sample]; each of `inputs` is a list of arrays, a sample each."""
    pipe = module.Pipeline(
        batch_size=len(inputs[0][0] if isinstance(inputs[0], tuple) else inputs[0]),
        num_threads=1,
        device_id=None,
        **options,
    )
    with pipe:
        nodes = [
            module.fn.external_source(source=(lambda batch: lambda: batch)(one), batch=True, layout=layout)
            for one, layout in ((one if isinstance(one, tuple) else (one, None)) for one in inputs)
        ]
        outputs = make(module.fn, *nodes)
        pipe.set_outputs(*(outputs if isinstance(outputs, (list, tuple)) else [outputs]))
    pipe.build()
    return [[[np.array(one.at(i)) for i in range(len(one))] for one in pipe.run()] for _ in range(batches)]


def assert_alike(make, *inputs, tolerance=0.0):
    [mine], [theirs] = run(penstock, make, *inputs), run(oracle.dali(), make, *inputs)
    assert len(mine) == len(theirs)
    for a, b in zip(mine, theirs, strict=True):
        for x, y in zip(a, b, strict=True):
            assert (x.dtype, x.shape) == (y.dtype, y.shape)
            np.testing.assert_allclose(x, y, rtol=tolerance, atol=tolerance)


SAMPLES = [boxes_of(n, n) for n in (200, 1, 0, 7)]
