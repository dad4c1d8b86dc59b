"""Functions that Numba compiles give what they give in Python, a sample or a batch at a time."""

import numpy as np
import pytest

from penstock import fn, pipeline_def, types

numba = pytest.importorskip("numba", reason="Numba is not installed")
plugin = pytest.importorskip("penstock.plugin.numba")
SHAPES = [(3, 4, 1), (2, 2, 3), (5, 1, 2), (1, 1, 1), (4, 3, 3)]


def twice(out0, in0):
    out0[:] = in0 * 2


def twice_of_all(out0, in0):
    for i in range(len(out0)):
        out0[i][:] = in0[i] * 2


def moved_shapes(outs, ins):
    for out, one in zip(outs[0], ins[0], strict=True):
        out[:] = [one[1], one[2], one[0]]


def move(out0, in0):
    for i in range(in0.shape[0]):
        for j in range(in0.shape[1]):
            for k in range(in0.shape[2]):
                out0[j, k, i] = in0[i, j, k]


def sums_and_sizes(out0, out1, in0, in1):
    out0[0] = in0.sum()
    out1[0] = in1.size


def sums_setup(outs, ins):
    for out in outs[0] + outs[1]:
        out[:] = [1]


def data(dtype=np.int32):
    return [np.arange(np.prod(shape), dtype=dtype).reshape(shape) for shape in SHAPES]


def run(function, out_types, outs_ndim, in_types=(types.INT32,), ins_ndim=(3,), inputs=1, num_threads=2, **options):
    @pipeline_def(batch_size=len(SHAPES), num_threads=num_threads, device_id=types.CPU_ONLY_DEVICE_ID)
    def pipe():
        fed = [fn.external_source(lambda: data()) for _ in range(inputs)]
        made = plugin.fn.numba_function(
            *fed, run_fn=function, out_types=out_types, outs_ndim=outs_ndim, in_types=list(in_types),
            ins_ndim=list(ins_ndim), **options
        )  # fmt: skip
        return tuple(made) if isinstance(made, (list, tuple)) else made

    made = pipe()
    made.run()
    return [[np.array(batch[i]) for i in range(len(batch))] for batch in made.run()]


@pytest.mark.parametrize("num_threads", [1, 3])
@pytest.mark.parametrize(("function", "whole"), [(twice, False), (twice_of_all, True), (numba.njit(twice), False)])
def test_samples_and_batches_are_filled(function, whole, num_threads):
    [got] = run(function, types.INT32, 3, batch_processing=whole, num_threads=num_threads)
    assert all(np.array_equal(one, 2 * given) for one, given in zip(got, data(), strict=True))


def test_shapes_are_set_up_and_outputs_may_be_several():
    [got] = run(move, [types.INT32], [3], setup_fn=moved_shapes)
    assert all(np.array_equal(one, given.transpose(1, 2, 0)) for one, given in zip(got, data(), strict=True))
    sums, sizes = run(
        sums_and_sizes, [types.FLOAT, types.INT64], [1, 1], (types.INT32,) * 2, (3, 3), 2, setup_fn=sums_setup
    )
    assert [one.tolist() for one in sums] == [[float(given.sum())] for given in data()]
    assert [one.tolist() for one in sizes] == [[given.size] for given in data()]


def test_the_class_and_the_old_name_are_the_same():
    @pipeline_def(batch_size=len(SHAPES), num_threads=1, device_id=types.CPU_ONLY_DEVICE_ID)
    def pipe():
        fed = fn.external_source(lambda: data())
        known = {
            "run_fn": twice,
            "out_types": [types.INT32],
            "in_types": [types.INT32],
            "outs_ndim": [3],
            "ins_ndim": [3],
        }
        return plugin.NumbaFunction(**known)(fed), plugin.fn.experimental.numba_function(fed, **known)

    one, other = pipe().run()
    assert all(np.array_equal(np.array(a), np.array(b)) for a, b in zip(one, other, strict=True))


def test_what_does_not_fit_is_refused():
    with pytest.raises(AssertionError, match="types and output dimensions should match"):
        run(twice, [types.INT32], [3, 3])
    with pytest.raises(RuntimeError, match="float16"):
        run(twice, types.FLOAT16, 3)
    with pytest.raises(NotImplementedError, match="device='cpu'"):
        run(twice, types.INT32, 3, device="gpu")
    with pytest.raises(numba.core.errors.TypingError):
        run(lambda out0, in0: unknown(in0), types.INT32, 3)  # noqa: F821 - that is the point
    with pytest.raises(RuntimeError, match="came, .* was said"):
        run(twice, types.FLOAT, 3, in_types=[types.FLOAT])


def test_dalis_question_about_gpus_is_answered():
    assert not plugin.NumbaFunction._check_cuda_compatibility(throw=False)
    assert not plugin.NumbaFunction._check_minimal_numba_version(False)
    with pytest.raises(NotImplementedError, match="device='cpu'"):
        plugin.NumbaFunction._check_cuda_compatibility()
