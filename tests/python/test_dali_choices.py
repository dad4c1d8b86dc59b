"""What `penstock.dali` chooses as DALI does, beside DALI: keys, types, refusals, and how far ahead it works."""

import json

import numpy as np
import oracle
import pytest
from beside_dali import Both

from penstock import fn, types
from penstock.dali import _choices


@pytest.fixture
def same():
    both = [Both("penstock"), Both("dali")]

    def check(call):
        ours, theirs = (one.outcome(call) for one in both)
        assert ours == theirs
        return ours

    return check


def numbers(iteration):
    return [np.int32([iteration])] * 2


def fed(fn):
    return fn.external_source(name="fed")


def first(batches):
    return [int(np.array(batch[0])[0]) for batch in batches]


QUEUES = [1, 2, 3, {"cpu_size": 2, "gpu_size": 3}, {"cpu_size": 3, "gpu_size": 1}, {"cpu_size": 1, "gpu_size": 1}]


@pytest.mark.parametrize("queues", QUEUES)
def test_sources_are_asked_as_far_ahead(same, queues):
    def asked(both):
        calls = []

        def source(iteration):
            calls.append(iteration)
            return numbers(iteration)

        options = {"exec_dynamic": False} if isinstance(queues, dict) else {}
        pipe = both.pipe(lambda fn: fn.external_source(source), prefetch_queue_depth=queues, **options)
        seen = [len(calls)]
        for _ in range(3):
            pipe.run()
            seen.append(len(calls))
        return seen, pipe.prefetch_queue_depth, pipe.cpu_queue_size, pipe.gpu_queue_size, pipe.exec_separated

    same(asked)


@pytest.mark.parametrize("queues", [True, None, "2", 1.5])
def test_queues_are_whole_numbers(same, queues):
    assert same(lambda both: both.pipe(fed, prefetch_queue_depth=queues)) is TypeError


@pytest.mark.parametrize("queues", QUEUES)
def test_so_many_batches_are_to_be_fed(same, queues):
    count = same(lambda both: both.pipe(fed, prefetch_queue_depth=queues).input_feed_count("fed"))
    assert count == (max(queues.values()) if isinstance(queues, dict) else queues)
    assert same(lambda both: both.pipe(fed).input_feed_count("other")) is KeyError


@pytest.mark.parametrize("queues", QUEUES)
@pytest.mark.parametrize("pipelined", [True, False])
def test_inputs_by_keyword_are_refused_where_batches_are_made_ahead(same, queues, pipelined):
    def given(both):
        options = {"exec_dynamic": False} if isinstance(queues, dict) or not pipelined else {}
        pipe = both.pipe(fed, prefetch_queue_depth=queues, exec_pipelined=pipelined, **options)
        return [first(pipe.run(fed=numbers(i))) for i in range(3)]

    taken = not pipelined or queues in (1, {"cpu_size": 1, "gpu_size": 1})
    if isinstance(queues, dict) and not pipelined:
        return  # DALI has no executor for that
    assert same(given) == ([[0], [1], [2]] if taken else RuntimeError)


def test_run_gives_a_plain_tuple(same):
    def kinds(both):
        pipe = both.pipe(lambda fn: (fn.external_source(numbers), fn.external_source(numbers)))
        other = both.pipe(lambda fn: fn.external_source(numbers))
        other.schedule_run()
        return type(pipe.run()).__name__, len(pipe.run()), type(other.share_outputs()).__name__

    assert same(kinds) == ("tuple", 2, "tuple")


def test_reader_meta_has_the_same_keys_and_types(same, shared):
    def meta(both):
        options = {"num_shards": 3, "shard_id": 1, "pad_last_batch": True, "stick_to_shard": True}
        pipe = both.pipe(lambda fn: fn.readers.file(file_root=str(shared / "photos"), name="R", **options))
        facts = pipe.reader_meta("R")
        kinds = [type(one).__name__ for one in facts.values()]
        return list(facts.items()), kinds, pipe.reader_meta(), pipe.epoch_size()

    same(meta)
    assert same(lambda both: both.pipe(lambda fn: fn.external_source(numbers)).reader_meta("X")) is RuntimeError


def test_checkpoints_need_that_they_are_enabled(same):
    def saved(both, enabled=True):
        pipe = both.pipe(lambda fn: fn.random.uniform(), enable_checkpointing=enabled)
        pipe.run()
        return pipe.checkpoint()

    assert same(lambda both: saved(both, False)) is RuntimeError
    assert same(lambda both: type(saved(both)).__name__) == "bytes"
    assert same(lambda both: both.pipe(lambda fn: fn.random.uniform(), checkpoint=saved(both))) is RuntimeError


def test_a_pipeline_is_restored_when_it_is_built(same):
    def restored(both):
        options = {"enable_checkpointing": True}
        data = both.pipe(lambda fn: fn.random.uniform(), **options).checkpoint()
        pipe = both.pipe(lambda fn: fn.random.uniform(), built=False, checkpoint=data, **options)
        before = pipe.is_restored_from_checkpoint
        pipe.build()
        return before, pipe.is_restored_from_checkpoint

    assert same(restored) == (False, True)


@pytest.mark.parametrize("data", [b"what is no checkpoint", json.dumps({"engine": {}}).encode()])
def test_damaged_checkpoints_are_told_when_the_pipeline_is_built(data):
    options = {"enable_checkpointing": True, "checkpoint": data}
    pipe = Both("penstock").pipe(lambda fn: fn.random.uniform(), built=False, **options)
    with pytest.raises(ValueError, match="no state of a pipeline|not what `Pipeline.checkpoint` gave"):
        pipe.build()


PICTURE = {"shape": [4, 5, 3], "dtype": int(types.UINT8)}
CONSTANTS = [
    lambda fn: fn.zeros(shape=[2.7, 3.0]),
    lambda fn: fn.slice(fn.zeros(**PICTURE), start=[1.5], end=[3.2], axes=[0]),
    lambda fn: fn.slice(fn.zeros(**PICTURE), start=1.5, shape=2.9, axes=[1]),
    lambda fn: fn.slice(fn.zeros(**PICTURE), start=[-0.5, 0.2], end=(2.0, 3.9), axes=[0, 1]),
    lambda fn: fn.slice(fn.zeros(**PICTURE), start=np.float32([0.5]), end=[3], axes=[0]),
    lambda fn: fn.reductions.sum(fn.zeros(**PICTURE), axes=[1.9]),
    lambda fn: fn.reductions.sum(fn.zeros(**PICTURE), axes="1"),
    lambda fn: fn.pad(fn.zeros(**PICTURE), axes=[0], shape=[6.5]),
    lambda fn: fn.flip(fn.zeros(**PICTURE), horizontal=np.float32(1.5)),
    lambda fn: fn.flip(fn.zeros(**PICTURE), horizontal="x"),
    lambda fn: fn.rotate(fn.zeros(**PICTURE), angle="30"),
    lambda fn: fn.rotate(fn.zeros(**PICTURE), angle=3, keep_size="False"),
    lambda fn: fn.crop(fn.zeros(**PICTURE), crop=[2.7, 3.9]),
    lambda fn: fn.constant(idata=[1.5, 2]),
]


@pytest.mark.parametrize("number", range(len(CONSTANTS)))
def test_constants_are_converted_by_python(same, number):
    def made(both):
        [batch] = both.pipe(CONSTANTS[number]).run()
        return batch.dtype.name, np.array(batch[0]).tolist()

    same(made)


def test_penstock_itself_refuses_them():
    from penstock import Pipeline

    with Pipeline(2, 1) as pipe:
        pipe.set_outputs(fn.slice(fn.zeros(shape=[4, 5, 3]), start=[1.5], end=[3.2], axes=[0]))
    with pytest.raises(TypeError, match="start"):
        pipe.build()


TYPES = [
    "bool",
    "uint8",
    "int8",
    "uint16",
    "int16",
    "uint32",
    "int32",
    "uint64",
    "int64",
    "float16",
    "float32",
    "float64",
]


@pytest.mark.parametrize("dtype", TYPES)
def test_views_of_tensors_are_those_of_dali_but_for_the_byte_order_that_they_name(dtype):
    from penstock.tensors import TensorCPU

    array = np.ones((2, 0, 3) if dtype == "float64" else (2, 3), dtype)
    ours, theirs = TensorCPU(array), oracle.dali().tensors.TensorCPU(array)
    view, expected = memoryview(ours), memoryview(theirs)
    for fact in ("itemsize", "shape", "strides", "readonly", "ndim", "nbytes", "c_contiguous"):
        assert getattr(view, fact) == getattr(expected, fact)
    assert f"={view.format}" == expected.format
    described, other = ours.__array_interface__, theirs.__array_interface__
    assert described.keys() == other.keys()
    assert described["typestr"] == np.dtype(dtype).str
    assert described["data"] == (ours.data_ptr(), other["data"][1])
    assert all(described[key] == other[key] for key in ("shape", "strides", "version"))
    if array.size and dtype != "float16":  # which Python does not index, whatever it is called
        assert view[0, 0] == 1


FIRST = np.ones((2, 4, 3), np.float32)
CHANGES = [
    (FIRST, np.ones((2, 4, 3), np.uint8)),
    (FIRST, np.ones((2, 12), np.float32)),
    (FIRST, FIRST[:, :2].copy()),
    (FIRST, [np.ones((5, 3), np.float32), np.ones((1, 1), np.float32)]),
    (FIRST, np.ones((2, 4, 3), np.float64)),
]


@pytest.mark.parametrize("number", range(len(CHANGES)))
def test_batches_of_a_source_keep_type_and_rank(same, number):
    def given(both):
        pipe = both.pipe(lambda fn: fn.external_source(list(CHANGES[number])))
        seen = [pipe.run()[0].dtype.name]
        try:
            return [*seen, pipe.run()[0].dtype.name]
        except RuntimeError as error:
            text = str(error)
            begin = text.find("data fed to the external source")
            return [*seen, text[begin : text.index(".", text.index("revious iteration was"))]]

    ours = same(given)
    assert (ours[1] == "FLOAT") == (number in (2, 3))


def test_batches_fed_keep_their_layout_and_the_pipeline_goes_on():
    pipe = Both("penstock").pipe(fed)
    pipe.feed_input("fed", FIRST, layout="HW")
    with pytest.raises(RuntimeError, match='(?s)external_source. Layout.* was "HW" and the current is ""'):
        pipe.feed_input("fed", FIRST)
    pipe.feed_input("fed", FIRST, layout="HW")
    assert [pipe.run()[0].layout() for _ in range(2)] == ["HW", "HW"]


def test_penstock_itself_takes_batches_of_several_kinds():
    from penstock import Pipeline

    for first, second in CHANGES:
        with Pipeline(2, 1) as pipe:
            pipe.set_outputs(fn.external_source([first, second]))
        assert [pipe.run()[0][0].shape() for _ in range(2)] == [list(np.shape(one[0])) for one in (first, second)]


@pytest.mark.parametrize("output", ["text", [fed]])
def test_what_can_be_no_output_is_told_when_the_pipeline_is_built(same, output):
    def made(both, build):
        pipe = both.pipe(lambda fn: output if output == "text" else [output[0](fn)], built=False)
        if build:
            pipe.build()

    assert same(lambda both: made(both, False)) is None
    assert same(lambda both: made(both, True)) is TypeError


def test_a_node_of_another_pipeline_is_told_when_the_pipeline_is_built(same):
    def made(both, build):
        nodes = []
        both.pipe(lambda fn: nodes.append(fn.external_source(numbers)) or nodes[0])
        pipe = both.pipe(lambda fn: nodes[0] + fn.external_source(numbers), built=False)
        if build:
            pipe.build()

    assert same(lambda both: made(both, False)) is None
    assert same(lambda both: made(both, True)) is RuntimeError


def test_serialized_pipelines_keep_the_flags_of_the_executor():
    from penstock.dali.flags import OperatorConcurrency, StreamPolicy

    flags = {"stream_policy": StreamPolicy.SINGLE, "concurrency": OperatorConcurrency.FULL}
    data = Both("penstock").pipe(lambda fn: fn.random.uniform(), **flags).serialize()
    again = _choices.Pipeline.deserialize(data)
    assert {name: getattr(again, name) for name in flags} == flags


@pytest.mark.parametrize("second", [np.zeros((2, 3, 4), np.float32), np.zeros((2, 3), np.int32)])
def test_files_of_arrays_that_do_not_go_together_are_refused_in_dalis_words(tmp_path, second):
    np.save(tmp_path / "a.npy", np.zeros((2, 3), np.float32))
    np.save(tmp_path / "b.npy", second)
    for both in (Both("penstock"), Both("dali")):
        pipe = both.pipe(lambda fn: fn.readers.numpy(file_root=str(tmp_path)))
        with pytest.raises(RuntimeError, match="Inconsistent data"):
            pipe.run()


def test_a_source_whose_place_is_lost_is_told_of_in_dalis_words():
    for both in (Both("penstock"), Both("dali")):
        with pytest.warns(Warning, match=r"DALI doesn't capture state of such 'source'\."):
            both.pipe(lambda fn: fn.external_source([np.zeros((2, 1))]), enable_checkpointing=True)
