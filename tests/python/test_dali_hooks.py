"""Members and modules of DALI's that few scripts need, as DALI has them."""

import textwrap

import numpy as np
import pytest

from penstock import Pipeline, fn, ops, pipeline_def, types

ONE = {"batch_size": 2, "num_threads": 1, "device_id": None}


def ran(define):
    with Pipeline(**ONE) as pipe:
        pipe.set_outputs(define())
    return [np.array(sample) for sample in pipe.run()[0]]


def pictures(height=8, width=9):
    return fn.external_source(lambda: [np.zeros((height, width, 3), np.uint8)] * 2, layout="HWC")


def numbers(*values):
    return fn.external_source(lambda: [np.float32(value) for value in values])


def test_composed_operators_work_one_behind_the_other():
    resize, cast = ops.Resize(size=3), ops.Cast(dtype=types.FLOAT)
    both = ops.Compose([resize, cast])
    assert ops.Compose([resize]) is resize
    for chain in (both, ops.Compose([ops.Compose([resize, cast]), lambda x: x + 1])):
        [first, _] = ran(lambda chain=chain: chain(pictures()))
        assert (first.shape, first.dtype) == ((3, 3, 3), np.float32)
    assert (ran(lambda: ops.Compose([both, lambda x: [x, x], fn.cat])(pictures()))[0].shape) == (6, 3, 3)
    with pytest.raises(ValueError, match="one operator at least"):
        ops.Compose([])


def test_constants_are_operators():
    assert ran(lambda: fn.constant(fdata=[1, 2.5]))[0].tolist() == [1, 2.5]
    assert ran(lambda: ops.Constant(idata=[7], shape=[2, 2], dtype=types.UINT8)())[0].dtype == np.uint8
    assert ran(lambda: types.ConstantNode("cpu", 7.4, types.INT32, (2,), None))[0].tolist() == [7, 7]
    assert ran(lambda: types.ConstantNode("cpu", [1, 2], None, None, "X"))[1].tolist() == [1, 2]


def test_lists_of_arguments_may_have_nodes_in_them():
    sizes = [one.shape for one in ran(lambda: fn.crop(pictures(), crop=[numbers(3, 4), 5]))]
    assert sizes == [(3, 5, 3), (4, 5, 3)]
    sizes = [one.shape for one in ran(lambda: fn.reshape(pictures(), shape=(numbers(4, 2).gpu().cpu(), -1)))]
    assert sizes == [(4, 54), (2, 108)]
    with pytest.raises(TypeError, match="argument `dtype`"):
        ran(lambda: fn.cast(pictures(), dtype=[numbers(1, 2)]))


@pytest.mark.parametrize("tensors", [False, True])
@pytest.mark.parametrize("colours", [False, True])
def test_the_graph_as_a_file_for_graphviz(tmp_path, tensors, colours):
    with Pipeline(**ONE) as pipe:
        data = fn.external_source(name='odd "name"')
        scale = fn.random.uniform(name="scale")
        pipe.set_outputs(fn.resize(data, resize_x=scale), data)
    path = tmp_path / "graph.dot"
    pipe.save_graph_to_dot_file(path, show_tensors=tensors, use_colors=colours)
    text = path.read_text()
    assert text.startswith("digraph graphname {\n")
    assert text.endswith("}\n")
    assert '"odd \\"name\\""' in text
    assert ('"scale" -> "resize_2"' in text) is not tensors
    assert ('"scale[0]" -> "resize_2"' in text) is tensors
    assert '"resize_2" -> "output 0"' in text
    assert ('[color="blue"]' in text) is colours
    with pytest.warns(DeprecationWarning, match="show_ids"):
        pipe.save_graph_to_dot_file(path, show_ids=True)


def test_statistics_that_only_dali_has_are_empty():
    with Pipeline(**ONE, enable_memory_stats=True) as pipe:
        pipe.set_outputs(fn.random.uniform())
    assert pipe.executor_statistics() == {}
    assert pipe.external_source_shm_statistics() == {"capacities": [], "per_sample_capacities": []}
    assert pipe.output_stream is None


def test_a_pipeline_takes_the_graph_of_another():
    with Pipeline(**ONE, seed=5) as pipe:
        pipe.set_outputs(fn.random.uniform(seed=3), fn.constant(idata=[4]))
    other = Pipeline(batch_size=2, num_threads=1, device_id=None)
    other.deserialize_and_build(pipe.serialize())
    ours, theirs = pipe.run(), other.run()
    assert [one.as_array().tolist() for one in ours] == [one.as_array().tolist() for one in theirs]
    with pytest.raises(RuntimeError, match="is built"):
        other.deserialize_and_build(pipe.serialize())
    with pytest.raises(ValueError, match="not those of a pipeline"):
        Pipeline(**ONE).deserialize_and_build(b"{}")


def test_what_sources_get_are_plain_objects():
    sample, batch = types.SampleInfo(1, 2, 3, 4), types.BatchInfo(3, 4)
    sample.note = batch.note = "kept"
    sample.idx_in_epoch += 1
    assert vars(sample) == {"idx_in_epoch": 2, "idx_in_batch": 2, "iteration": 3, "epoch_idx": 4, "note": "kept"}
    assert sample == types.SampleInfo(2, 2, 3, 4)
    assert len({sample, batch, types.BatchInfo(3, 4)}) == 2


def test_a_definition_with_variadic_keywords_is_refused_when_it_is_called():
    @pipeline_def(**ONE)
    def variadic(**kwargs):
        return fn.constant(**kwargs)

    with pytest.raises(TypeError, match=r"\*\*kwargs` in variadic is not allowed"):
        variadic()


def test_modules_of_dalis(script, tmp_path, pictures):
    path = tmp_path / "theirs.py"
    path.write_text(
        """
import sys
import nvidia.dali as dali
from nvidia.dali import StreamPolicy, OperatorConcurrency, backend_impl, fn, ops, pickling, types
from nvidia.dali.backend_impl.types import DALIDataType
from nvidia.dali.pipeline.experimental import pipeline_def
from nvidia.dali.plugin.triton import autoserialize

assert dali.pipeline.experimental.pipeline_def is pipeline_def is dali.pipeline_def
assert DALIDataType is types.DALIDataType
assert dali.pipeline.StreamPolicy is StreamPolicy
assert dali.backend.__cuda_version__ == backend_impl.__cuda_version__ == dali.__cuda_version__ == 0

import inspect
import jax
from nvidia.dali.plugin.jax import DALIGenericIterator, data_iterator, integration

array = integration._to_jax_array(dali.tensors.TensorCPU(jax.numpy.arange(3)), False)
assert array.tolist() == [0, 1, 2] and integration._jax_device(array) == jax.devices()[0]
arguments = inspect.getfullargspec(data_iterator).args
assert [one for one in arguments if one not in ("pipeline_fn", "devices")] == (
    inspect.getfullargspec(DALIGenericIterator.__init__).args[2:]
)

@pickling.pickle_by_value
def source(info):
    return info.idx_in_epoch

@autoserialize
@pipeline_def(batch_size=2, num_threads=1, device_id=None, exec_dynamic=True,
              stream_policy=StreamPolicy.PER_OPERATOR, concurrency=OperatorConcurrency.FULL)
def defined():
    return fn.constant(idata=[1])

pipe = defined()
pipe.build()
print(pipe.stream_policy, defined._is_autoserialize)
for refused in (lambda: pickling.pickle_by_value(3), lambda: autoserialize(source)):
    try:
        refused()
    except TypeError as error:
        print(error)

class Old(dali.Pipeline):
    def __init__(self):
        super().__init__(batch_size=2, num_threads=1, device_id=0)
        self.input = ops.FileReader(file_root=sys.argv[1])
        self.decode = ops.nvJPEGDecoder(device="mixed", output_type=types.RGB)
        self.crop = ops.HostDecoderCrop(crop=(8, 8))
    def define_graph(self):
        files, _ = self.input()
        return self.decode(files), self.crop(files)

print([batch.as_cpu().at(0).shape for batch in Old().run()])
"""
    )
    assert script("-W", "ignore", "-m", "penstock.dali", path, pictures).splitlines() == [
        "StreamPolicy.PER_OPERATOR True",
        "Only functions can be explicitly set to be pickled by value",
        "Only `@pipeline_def` can be decorated with `@triton.autoserialize`.",
        "[(48, 64, 3), (8, 8, 3)]",
    ]


def test_operators_outside_of_definitions_have_dalis_choices_and_words(script, tmp_path):
    path = tmp_path / "their_script.py"
    path.write_text(
        textwrap.dedent("""
        import warnings

        import numpy as np
        from nvidia.dali import Pipeline, fn, ops

        boxes = fn.external_source(source=lambda: [np.float32([[0.9, 0.1, 0.2, 0.3]])] * 2)
        pipe = Pipeline(batch_size=2, num_threads=1, device_id=None)
        pipe.set_outputs(fn.bbox_rotate(boxes, angle=0.0, input_shape=[8, 8], remove_threshold=0.0))
        print((np.array(pipe.run()[0][0]) * 10).round().tolist())
        with warnings.catch_warnings(record=True) as seen:
            warnings.simplefilter("always")
            fn.transform_translation(offset=(0, 0))
            ops.TransformTranslation(offset=(0, 0))()
        print(*(one.message for one in seen), sep="\\n")
        """)
    )
    assert script("-m", "penstock.dali", path).splitlines() == [
        "[[2.0, 1.0, 9.0, 3.0]]",
        *(
            f"WARNING: `nvidia.dali.{old}` is now deprecated. Use `nvidia.dali.fn.transforms.translation` instead."
            for old in ("fn.transform_translation", "ops.TransformTranslation")
        ),
    ]
