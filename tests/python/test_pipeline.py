"""Pipelines as a script makes and runs them: definition, arguments, outputs, mistakes."""

import copy
import gc
import pickle
import warnings

import numpy as np
import pytest

import penstock
from penstock import Pipeline, fn, pipeline_def, types
from penstock.pipeline import _build


@pipeline_def
def counted(step=1):
    return fn.external_source(lambda i: np.full((4, 2), i * step, np.int32), name="x")


def test_the_three_ways_to_define_a_graph(numbered):
    root = numbered(4)

    class Subclass(Pipeline):
        def define_graph(self):
            return fn.readers.file(file_root=root)

    detached = Pipeline(batch_size=4)
    detached.set_outputs(*fn.readers.file(file_root=root))
    with Pipeline(batch_size=4) as within:
        within.set_outputs(*fn.readers.file(file_root=root))
    decorated = pipeline_def(lambda: tuple(fn.readers.file(file_root=root)), batch_size=4)()
    for pipe in (Subclass(batch_size=4), detached, within, decorated):
        data, labels = pipe.run()
        assert data.as_array().ravel().tolist() == [0, 1, 2, 3]
        assert labels.as_array().tolist() == [[0]] * 4
        assert pipe.num_outputs == 2


def test_keywords_of_a_factory_go_to_the_function_or_to_the_pipeline(capsys):
    pipe = counted(batch_size=4, step=5)
    assert [int(pipe.run()[0].as_array()[0, 0]) for _ in range(3)] == [0, 5, 10]
    with pytest.raises(AssertionError, match="neither"):
        counted(batch_size=4, stride=5)
    with pytest.raises(TypeError, match=r"\*\*kwargs.*not allowed"):
        pipeline_def(lambda **kwargs: None, batch_size=4)()
    assert counted._is_pipeline_def

    @pipeline_def(batch_size=2)
    def shadowing(device_id):
        assert device_id == 3
        return types.Constant([1.0], device="cpu")

    assert shadowing(device_id=3).device_id is None
    assert shadowing(device_id=3, batch_size=5).max_batch_size == 5
    assert "Warning" in capsys.readouterr().out


def test_blocks_within_blocks_have_pipelines_of_their_own():
    outer, inner = Pipeline(batch_size=1), Pipeline(batch_size=1)
    with outer:
        with inner:
            assert Pipeline.current() is inner
        assert Pipeline.current() is outer
    assert Pipeline.current() is None


def test_constants_can_be_outputs():
    pipe = Pipeline(batch_size=2)
    pipe.set_outputs(types.Constant(7).uint8(), 2.5, [1, 2])
    outputs = pipe.run()
    assert [output.dtype for output in outputs] == [types.UINT8, types.FLOAT, types.INT32]
    assert [output.as_array().tolist() for output in outputs] == [[7, 7], [2.5, 2.5], [[1, 2], [1, 2]]]


def test_build_is_done_when_needed_and_once(numbered):
    with Pipeline(batch_size=2) as pipe:
        pipe.set_outputs(fn.readers.file(file_root=numbered(6))[0])
    first = pipe.run()
    pipe.build()
    assert [int(sample[0]) for batch in (first, pipe.run()) for sample in batch[0].as_array()] == [0, 1, 2, 3]


def test_batches_handed_over_are_never_written_again():
    pipe = counted(batch_size=4, prefetch_queue_depth=1)
    kept = [pipe.run()[0] for _ in range(20)]
    views = [np.asarray(batch.as_tensor()) for batch in kept]
    del kept, pipe
    gc.collect()
    for i, view in enumerate(views):
        assert (view == i).all()


def test_without_a_gpu_only_the_hosts_queue_counts():
    pipe = counted(batch_size=4, prefetch_queue_depth={"gpu_size": 7, "cpu_size": 3})
    pipe.run()
    assert pipe.explain().startswith("batches of 4, 3 in the making")
    assert pipe.prefetch_queue_depth == {"gpu_size": 7, "cpu_size": 3}


def test_outputs_are_a_tuple_that_knows_its_place():
    pipe = counted(batch_size=4)
    outputs = pipe.run()
    assert isinstance(outputs, tuple)
    assert (outputs.iteration, outputs.valid.tolist(), outputs.indices.tolist()) == (0, [True] * 4, [-1] * 4)


def test_styles_of_use_do_not_mix():
    pipe = counted(batch_size=4)
    pipe.schedule_run()
    assert not pipe.empty()
    assert pipe.share_outputs()[0].as_array()[0, 0] == 0
    pipe.release_outputs()
    with pytest.raises(RuntimeError, match=r"Mixing pipeline API type. Currently used: PipelineAPIType.SCHEDULED"):
        pipe.run()
    pipe.enable_api_check(False)
    assert pipe.run()[0].as_array()[0, 0] == 1


def test_batch_size_is_needed_to_build():
    with pytest.raises(ValueError, match="batch_size"):
        counted().build()
    with pytest.raises(ValueError, match="num_threads"):
        counted(batch_size=1, num_threads=0).build()
    assert counted(batch_size=4, num_threads=3).num_threads == 3


@pytest.mark.parametrize("switch", ["enable_conditionals", "debug"])
def test_switches_go_to_the_decorator_or_the_factory(switch):
    def drawn():
        return fn.random.uniform()

    for at_definition, at_call in [({switch: True}, {}), ({}, {switch: True}), ({switch: False}, {switch: True})]:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            pipeline_def(drawn, batch_size=1, **at_definition)(**at_call).run()
    pipeline_def(drawn, batch_size=1, debug=True, enable_conditionals=True)().run()


def test_what_dali_ignores_is_warned_about():
    with pytest.warns(DeprecationWarning, match="max_streams"):
        assert Pipeline(4, max_streams=2).max_streams == -1
    for wrong, error in [
        ({"prefetch_queue_depth": 0}, ValueError),
        ({"prefetch_queue_depth": "2"}, TypeError),
        ({"prefetch_queue_depth": {"cpu_size": 1, "gpu_size": 1}, "exec_async": False}, ValueError),
        ({"py_start_method": "forkserver"}, ValueError),
        ({"output_dtype": "float"}, TypeError),
        ({"output_ndim": -1}, ValueError),
    ]:
        with pytest.raises(error):
            Pipeline(4, **wrong)


def test_a_bound_on_multiprocessors_changes_nothing_on_a_cpu():
    bounded, free = counted(batch_size=4, multiprocessors=8), counted(batch_size=4)
    assert bounded.run()[0].as_array().tolist() == free.run()[0].as_array().tolist()
    assert "multiprocessors" not in bounded.explain()
    assert Pipeline.deserialize(bounded.serialize()).serialize() == bounded.serialize()
    with pytest.raises(ValueError, match="multiprocessors must be 0, for all of the GPU's, or more, got -1"):
        counted(batch_size=4, multiprocessors=-1).build()


def test_without_a_seed_every_run_and_rank_draws_the_same_numbers():
    def drawn(**options):
        with Pipeline(batch_size=8, **options) as pipe:
            pipe.set_outputs(fn.random.uniform())
        return pipe.run()[0].as_array().tolist()

    first = drawn()
    assert drawn() == first
    assert drawn(seed=0) == first
    assert drawn(seed=1) != first
    with pytest.warns(UserWarning, match="negative seed"):
        assert drawn(seed=-3) == first


def test_positional_order_is_dalis():
    pipe = Pipeline(4, 2, 0, 17, True, 3)
    assert (pipe.max_batch_size, pipe.num_threads, pipe.device_id, pipe.seed, pipe.prefetch_queue_depth) == (
        4,
        2,
        0,
        17,
        3,
    )


def test_outputs_are_held_to_what_was_promised():
    def make(**promises):
        return counted(batch_size=4, **promises)

    make(output_dtype=types.INT32, output_ndim=[1], output_layout=None).run()
    with pytest.raises(RuntimeError, match=r"Data type in the output_idx=0 does not match.*FLOAT.*INT32"):
        make(output_dtype=types.FLOAT).run()
    with pytest.raises(RuntimeError, match=r"Number of dimensions in the output_idx=0 does not match"):
        make(output_ndim=2).run()
    with pytest.raises(RuntimeError, match=r"Lengths .* do not match"):
        make(output_ndim=[1, 1]).build()
    assert make(output_ndim=1).output_ndim() == [1]
    assert make().output_dtype() == [None]


def test_a_gpu_that_is_not_there_is_said_once_or_is_an_error(pictures, script):
    code = f"""
import warnings
from penstock import Pipeline, fn, types

def build(device_id=0, **options):
    with Pipeline(batch_size=2, device_id=device_id, **options) as pipe:
        jpegs, _ = fn.readers.file(file_root={str(pictures)!r})
        pipe.set_outputs(fn.decoders.image(jpegs, device="mixed"))
    return pipe.run()

with warnings.catch_warnings(record=True) as seen:
    warnings.simplefilter("always")
    build(), build()
print(len(seen), seen[0].message)
for device_id in (0, types.CPU_ONLY_DEVICE_ID):
    try:
        build(strict_device=True, device_id=device_id)
    except RuntimeError as e:
        print(e)
"""
    first, second, third = script(code=code).splitlines()
    assert first.startswith("1 there is no GPU")
    assert "strict_device=True forbids" in second
    assert "device_id is types.CPU_ONLY_DEVICE_ID" in third


def test_cpu_only_does_not_even_look_for_a_gpu(monkeypatch):
    monkeypatch.setattr(_build, "_core", None)
    with Pipeline(batch_size=1, device_id=types.CPU_ONLY_DEVICE_ID) as pipe:
        assert pipe.device_id is None
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert _build.chosen_gpu(["cpu", "mixed"], types.CPU_ONLY_DEVICE_ID, strict=False) is None


def test_other_negative_numbers_of_a_gpu_are_refused():
    with pytest.raises(
        ValueError, match=r"device_id is the number of a GPU, from 0 on, got -5; types\.CPU_ONLY_DEVICE"
    ):
        Pipeline(batch_size=1, device_id=-5)


def test_mistakes_in_outputs_are_explained():
    node = fn.external_source(name="x")
    with pytest.raises(TypeError, match=r"(?s)Illegal pipeline output type.*`\*`"):
        Pipeline(1).set_outputs([node])
    with pytest.raises(TypeError, match="Illegal output type"):
        Pipeline(1).set_outputs(object())
    with pytest.raises(ValueError, match="at least one output"):
        Pipeline(1).set_outputs()
        pipeline_def(lambda: (), batch_size=1)().build()


def test_on_error_takes_its_four_words_only():
    with pytest.raises(ValueError, match="on_error is one of"):
        counted(batch_size=1, on_error="ignore").build()


def test_names_must_be_unique():
    pipe = Pipeline(batch_size=1)
    pipe.set_outputs(fn.external_source(name="x"), fn.external_source(name="x"))
    with pytest.raises(ValueError, match="non-unique names"):
        pipe.build()


def test_a_closed_pipeline_says_so():
    pipe = counted(batch_size=4)
    pipe.run()
    pipe.close()
    with pytest.raises(RuntimeError, match="closed"):
        pipe.run()


def test_the_version_is_that_of_the_package():
    assert penstock.__version__.count(".") == 2
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert issubclass(penstock.Pipeline, Pipeline)


def test_a_pipeline_is_not_copied():
    with Pipeline(1) as pipe:
        pipe.set_outputs(fn.random.uniform())
    for _ in ("not built", "at work"):
        for copied in (copy.copy, copy.deepcopy, pickle.dumps, lambda one: copy.deepcopy({"pipe": one})):
            with pytest.raises(TypeError, match="a pipeline cannot be copied or pickled.*serialize"):
                copied(pipe)
        assert len(pipe.run()[0]) == 1
