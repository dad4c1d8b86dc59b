"""Mistakes in what Pipeline itself is given: its arguments, its states and its serial form."""

import copy
import functools
import importlib
import operator
import re

import numpy as np
import pytest

from penstock import Pipeline, fn, memory, packing, pipeline_def, types


def made(**options):
    with Pipeline(**{"batch_size": 2, **options}) as pipe:
        pipe.set_outputs(fn.random.uniform(range=[0.0, 1.0]))
    return pipe


@pytest.mark.parametrize(
    "name",
    ["batch_size", "num_threads", "device_id", "seed", "shuffle_seed", "multiprocessors", "py_num_workers"],
)  # fmt: skip
def test_numbers_are_whole_and_named(name):
    for wrong in ("4", 2.5):
        with pytest.raises(TypeError, match=f"{name} must be a whole number, got {wrong!r}"):
            made(**{name: wrong}).run()
    with pytest.raises(ValueError, match=f"{name} must fit into .. bits"):
        made(**{name: 2**70}).run()
    assert len(made(batch_size=np.int64(3)).run()[0]) == 3


def test_limits_of_memory_are_whole_numbers_of_bytes():
    for wrong in ("4GB", 1.5e9, None):
        with pytest.raises(TypeError, match="limit, in bytes, must be a whole number"):
            memory.set_limit(wrong)
    with pytest.raises(ValueError, match="64 bits"):
        memory.set_limit(2**70)
    with pytest.raises(TypeError, match="device_id must be a whole number, got 'x'"):
        memory.use("x")


def test_quality_is_a_whole_number(tmp_path):
    with pytest.raises(TypeError, match=r"quality must be a whole number, got 50\.5"):
        packing.pack_arrays(np.zeros((1, 4, 4), np.uint8), [0], tmp_path / "out", quality=50.5)


def test_what_is_no_state_is_refused_by_name(torch):
    del torch
    from penstock.plugin.pytorch import DALIGenericIterator

    with Pipeline(batch_size=1) as fed:
        fed.set_outputs(fn.external_source(lambda i: [[i]]))
    fed_state = {**made().state_dict(), "sources": fed.state_dict()["sources"]}
    for wrong, message in (
        ({}, "no state of a pipeline"),
        (None, "no state of a pipeline"),
        (fed_state, "1 external sources"),
    ):
        with pytest.raises(ValueError, match=message):
            made().load_state_dict(wrong)
    with pytest.raises(ValueError, match="no state of an iterator"):
        DALIGenericIterator(made(), ["x"]).load_state_dict(made().state_dict())
    with pytest.raises(ValueError, match=r"not what `Pipeline\.checkpoint` gave"):
        made(checkpoint=b"garbage").run()
    with pytest.raises(ValueError, match=r"not what `Pipeline\.serialize` gave"):
        Pipeline.deserialize(b"garbage")


def with_(state, value, *path):
    """A copy of the state in which what lies there is that value."""
    copied = copy.deepcopy(state)
    *outer, last = path
    functools.reduce(operator.getitem, outer, copied)[last] = value
    return copied


@pytest.mark.parametrize("wrong", [-5, 10**30, 1.5, "x", None, []])
def test_numbers_of_a_state_that_cannot_have_been_saved_are_named(wrong):
    with Pipeline(batch_size=1) as pipe:
        pipe.set_outputs(fn.external_source(lambda i: [[i]]))
    pipe.run()
    state = pipe.state_dict()
    inner = ("engine", "iteration"), ("sources", 0, "epoch"), ("sources", 0, "iteration")
    for path in (("taken",), *inner):
        with pytest.raises(ValueError, match=f"^`{path[-1]}` of .* is {re.escape(repr(wrong))}, a whole number from 0"):
            pipe.load_state_dict(with_(state, wrong, *path))
        if len(path) > 1:
            with pytest.raises(ValueError, match=f"of the state of the pipeline .*{re.escape(repr(wrong))}"):
                pipe.load_state_dict(with_(state, wrong, *path[:-1]))
    assert pipe.state_dict() == state
    with pytest.raises(ValueError, match="`taken` of the state of the pipeline is 2, `iteration` of its `engine` 1:"):
        pipe.load_state_dict(with_(state, 2, "taken"))


@pytest.mark.parametrize("wrong", [-5, 10**30, 1.5, "x", None, []])
@pytest.mark.parametrize("framework,name", [("torch", "pytorch"), ("jax", "jax")])
def test_so_are_those_of_an_iterators_state(framework, name, wrong, numbered):
    pytest.importorskip(framework)
    plugin = importlib.import_module(f"penstock.plugin.{name}")

    def iterator_of(reader_name="Reader", **options):
        with Pipeline(batch_size=2) as pipe:
            pipe.set_outputs(fn.readers.file(file_root=numbered(6), name="Reader", **options)[0])
        return plugin.DALIGenericIterator(pipe, ["x"], reader_name=reader_name)

    of_reader = "_counter", "_counter_per_gpu", "_shard_sizes_per_gpu", "_moved", "_size"
    for iterator, fields in (
        (iterator_of(), of_reader), (iterator_of(epoch_end="pad"), ["_counter"]), (iterator_of(None), ["_counter"])
    ):  # fmt: skip
        state = iterator.state_dict()
        for field in fields:
            with pytest.raises(ValueError, match=f"`{field}` of the state of the iterator is|the state .* on 0 shards"):
                iterator.load_state_dict(with_(state, wrong, "pipelines", 0, "iterator", field))
        with pytest.raises(ValueError, match="`taken` of the state of the pipeline is"):
            iterator.load_state_dict(with_(state, wrong, "pipelines", 0, "taken"))
        with pytest.raises(ValueError, match="`pipelines` of the state is .*: a list of the pipelines' states was"):
            iterator.load_state_dict({"pipelines": wrong})
        iterator.load_state_dict(state)
        assert np.asarray(next(iter(iterator))["x"] if name == "jax" else next(iter(iterator))[0]["x"]).shape == (2, 1)


def test_a_class_is_no_value_of_an_argument():
    with pytest.raises(TypeError, match=r"\[fn.cast\] argument `dtype` .* class float32; .* types.FLOAT"), Pipeline(1):
        fn.cast(fn.random.uniform(), dtype=np.float32)


def test_a_definition_without_return_is_told_so():
    with pytest.raises(NotImplementedError, match="return them from its definition"):
        pipeline_def(batch_size=1)(lambda: None)().run()


@pytest.mark.parametrize(
    "promise,found",
    [
        ({"output_dtype": types.INT32}, "DALIDataType.FLOAT"),
        ({"output_dtype": [types.INT32]}, "DALIDataType.FLOAT"),
        ({"output_ndim": [3]}, "0"),
        ({"output_layout": "HWC"}, ""),
    ],
)
def test_a_serialised_pipeline_keeps_what_outputs_were_promised_to_be(promise, found):
    for pipe in (made(**promise), Pipeline.deserialize(made(**promise).serialize())):
        with pytest.raises(RuntimeError, match=f"does not match. Expected: .*. Received: {found}"):
            pipe.run()


def test_a_serialised_pipeline_stays_strict_about_its_device():
    assert Pipeline.deserialize(made(strict_device=True).serialize())._given["strict_device"]
