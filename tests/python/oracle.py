"""The same graph in Penstock and in DALI, batch by batch.

A graph is a function of (fn, types, math) that returns nodes; both libraries run it with their own modules.
"""

import numpy as np
import pytest


def dali():
    """The modules of DALI; skips where it is not installed."""
    return pytest.importorskip("nvidia.dali", reason="nvidia-dali is not installed")


def _modules(library):
    import importlib

    return [importlib.import_module(f"{library}.{name}") for name in ("fn", "types", "math")]


def _batches(library, graph, batch_size, iterations, options):
    import importlib

    pipeline = importlib.import_module(library).Pipeline
    pipe = pipeline(batch_size=batch_size, num_threads=1, device_id=None, seed=42, **options)
    with pipe:
        outputs = graph(*_modules(library))
        pipe.set_outputs(*(outputs if isinstance(outputs, tuple) else (outputs,)))
    pipe.build()
    return [
        [[np.array(sample) for sample in output] for output in pipe.run()] for _ in range(iterations)
    ]  # fmt: skip


def run_ours(graph, batch_size=4, iterations=1, **options):
    """Batches of Penstock: [iteration][output][sample]."""
    return _batches("penstock", graph, batch_size, iterations, options)


def run_dali(graph, batch_size=4, iterations=1, **options):
    """Batches of DALI: [iteration][output][sample]."""
    dali()
    return _batches("nvidia.dali", graph, batch_size, iterations, options)


def assert_same(graph, batch_size=4, iterations=1, tolerance=0.0, **options):
    """Both libraries give equal types, shapes and values (within `tolerance`, absolute)."""
    ours = run_ours(graph, batch_size, iterations, **options)
    theirs = run_dali(graph, batch_size, iterations, **options)
    for step, (mine, his) in enumerate(zip(ours, theirs, strict=True)):
        assert len(mine) == len(his)
        for output, (a, b) in enumerate(zip(mine, his, strict=True)):
            assert len(a) == len(b)
            for sample, (x, y) in enumerate(zip(a, b, strict=True)):
                where = f"iteration {step}, output {output}, sample {sample}"
                assert x.dtype == y.dtype, where
                assert x.shape == y.shape, where
                np.testing.assert_allclose(x.astype(np.float64), y.astype(np.float64), rtol=0, atol=tolerance,
                                           err_msg=where)  # fmt: skip
