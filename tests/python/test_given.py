"""What a user gives is taken as it is at that moment: lists may change afterwards, and nodes keep to their pipeline."""

import importlib
import warnings

import numpy as np
import oracle
import pytest

from penstock import Pipeline, fn, ops, pipeline_def, types


def counting(layout="HWC"):
    return fn.external_source(source=lambda: [np.arange(16, dtype=np.uint8).reshape(4, 4, 1)], layout=layout)


def made(graph, **options):
    """The shapes of the outputs of the graph's nodes."""
    pipe = Pipeline(batch_size=1, num_threads=1, **options)
    with pipe:
        pipe.set_outputs(*graph())
    return [np.array(output[0]) for output in pipe.run()]


def shapes(graph):
    return [array.shape for array in made(graph)]


def test_a_list_may_change_between_operators():
    def graph():
        size = [0, 0]
        for n in (1, 2, 3):
            size[:] = [n, n]
            yield fn.crop(counting(), crop=size)

    assert shapes(graph) == [(1, 1, 1), (2, 2, 1), (3, 3, 1)]


def test_lists_within_lists_may_change():
    def graph():
        extents, fill = ([2], [8]), [7.0]
        yield fn.reshape(counting(), shape=extents)
        yield fn.pad(fn.crop(counting(), crop=(1, 1)), axes=(2,), shape=[2], fill_value=fill)
        extents[0][:] = extents[1][:] = [4]
        fill[:] = [8.0]

    reshaped, padded = made(graph)
    assert reshaped.shape == (2, 8) and padded[0, 0, 1] == 7


def test_arrays_may_change():
    def graph():
        size = np.array([2, 2])
        yield fn.crop(counting(), crop=size)
        yield types.Constant(size, device="cpu")
        yield counting() + size.reshape(2, 1)[:1]
        size[:] = 3

    first, second, third = made(graph)
    assert first.shape == (2, 2, 1) and second.tolist() == [2, 2] and third[0, 0].tolist() == [2]


def test_tensors_of_torch_may_change(torch):
    def graph():
        size = torch.tensor([2, 2])
        yield fn.crop(counting(), crop=size)
        size[:] = 3

    assert shapes(graph) == [(2, 2, 1)]


def test_operator_objects_take_their_arguments_when_they_are_made():
    def graph():
        size = [1, 1]
        crop = ops.Crop(crop=size)
        size[:] = [3, 3]
        yield crop(counting())

    assert shapes(graph) == [(1, 1, 1)]


def test_readers_take_their_lists_when_they_are_made(numbered):
    def graph():
        files = ["class/0000.jpg", "class/0001.jpg"]
        yield fn.readers.file(file_root=numbered(2), files=files)[0]
        files.clear()

    assert shapes(graph) == [(1,)]


def test_a_pipeline_takes_its_lists_when_it_is_made():
    ranks, depth = [3], {"cpu_size": 2, "gpu_size": 2}
    pipe = Pipeline(batch_size=1, num_threads=1, output_ndim=ranks, prefetch_queue_depth=depth)
    ranks[0] = 1
    depth.clear()
    with pipe:
        pipe.set_outputs(counting())
    assert pipe.run()[0].shape() == [(4, 4, 1)]
    assert pipe.prefetch_queue_depth == {"cpu_size": 2, "gpu_size": 2}


def test_a_pipeline_definition_takes_its_lists_when_it_is_decorated():
    ranks = [3]

    @pipeline_def(batch_size=1, num_threads=1, output_ndim=ranks)
    def definition():
        return counting()

    ranks[0] = 1
    assert definition().run()[0].shape() == [(4, 4, 1)]


def test_jax_functions_take_their_lists_when_they_are_decorated(jax):
    del jax
    from penstock.plugin.jax.fn import jax_function

    def graph():
        layouts = ["HWC"]
        function = jax_function(lambda x: x, output_layouts=layouts)
        layouts[0] = "nonsense"
        yield function(counting())

    assert shapes(graph) == [(4, 4, 1)]


def test_jax_iterators_take_their_lists_when_they_are_decorated(jax):
    del jax
    from penstock.plugin.jax import data_iterator

    names = ["pixels"]

    @data_iterator(output_map=names, size=1)
    def iterator():
        return counting()

    names[0] = "other"
    assert list(next(iterator(batch_size=1, num_threads=1))) == ["pixels"]


def elsewhere():
    other = Pipeline(batch_size=1, num_threads=1)
    with other:
        return other, counting()


@pytest.mark.parametrize("plugin", ["pytorch", "jax"])
def test_iterators_take_their_lists_when_they_are_made(numbered, plugin):
    pytest.importorskip(plugin.removeprefix("py"))
    make = importlib.import_module(f"penstock.plugin.{plugin}").DALIGenericIterator
    pipes, names = [numbers_of(numbered(4))], ["x"]
    iterator = make(pipes, names)
    names[0] = "y"
    names.append("z")
    pipes.clear()
    for _ in range(2):
        assert [set(one if isinstance(one, dict) else one[0]) for one in iterator] == [{"x"}, {"x"}]


def test_ragged_iterators_and_loaders_take_their_lists_when_they_are_made(numbered, torch):
    from penstock.plugin.pytorch import DALIRaggedIterator
    from penstock.torch import Loader

    kinds, names, ragged = ["sparse_list"], ["x"], ["x"]
    iterator = DALIRaggedIterator(numbers_of(numbered(4)), names, output_types=kinds)
    loader = Loader(numbers_of(numbered(4)), names, ragged=ragged)
    kinds[0] = "dense"
    names[0] = "y"
    ragged.clear()
    assert all(isinstance(one[0]["x"], list) for one in iterator)
    assert all(isinstance(one["x"], list) for one in loader)
    del torch


def numbers_of(root):
    pipe = Pipeline(batch_size=2)
    with pipe:
        pipe.set_outputs(fn.readers.file(file_root=root, name="r", epoch_end="partial")[0])
    return pipe


def test_a_node_of_another_pipeline_is_refused_where_it_is_used():
    other, node = elsewhere()
    pipe = Pipeline(batch_size=1, num_threads=1)
    with (
        pipe,
        pytest.raises(ValueError, match=r"\[fn.crop\] the node of `fn.external_source` belongs to another pipel"),
    ):
        fn.crop(node, crop=(1, 1))
    with other:
        number = fn.random.uniform()
    with pipe, pytest.raises(ValueError, match=r"\[fn.crop\].*`fn.random.uniform` belongs to another pipeline"):
        fn.crop(counting(), crop_pos_x=number, crop=(1, 1))
    with pipe, pytest.raises(ValueError, match="belongs to another pipeline"):
        node + 1  # noqa: B018 - refused


def test_a_node_of_another_pipeline_is_refused_as_output_sink_and_name():
    other, node = elsewhere()
    pipe = Pipeline(batch_size=1, num_threads=1)
    with pytest.raises(ValueError, match=r"\[set_outputs\].*belongs to another pipeline"):
        pipe.set_outputs(node)
    with pytest.raises(ValueError, match=r"\[set_outputs\].*belongs to another pipeline"):
        pipe.set_outputs(fn.crop(node, crop=(1, 1)))  # made outside of any definition
    with pytest.raises(ValueError, match=r"\[add_sink\].*belongs to another pipeline"):
        pipe.add_sink(node)
    pipe.set_outputs(types.Constant([1], device="cpu"))
    with pytest.raises(ValueError, match=r"\[feed_input\].*belongs to another pipeline"):
        pipe.feed_input(node, [np.zeros(1)])
    other.set_outputs(node)
    assert other.run()[0].shape() == [(4, 4, 1)]


def test_nodes_made_outside_of_definitions_belong_nowhere():
    node = counting()
    pipe = Pipeline(batch_size=1, num_threads=1)
    with pipe:
        pipe.set_outputs(fn.crop(node, crop=(2, 1)))
    assert pipe.run()[0].shape() == [(2, 1, 1)]


def test_constants_among_the_outputs_belong_to_the_pipeline_that_gets_them():
    pipe, other = (Pipeline(batch_size=1, num_threads=1) for _ in range(2))
    with other:
        pipe.set_outputs(np.array([1, 2]))
    assert np.array(pipe.run()[0][0]).tolist() == [1, 2]


@pytest.mark.parametrize("give", [lambda x: fn.copy([x]), lambda x: fn.copy((x,)), lambda x: ops.Copy()([x])])
def test_a_list_of_one_node_is_as_good_as_the_node(give):
    assert shapes(lambda: [give(counting())]) == [(4, 4, 1)]


def deprecations(graph):
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        made(graph)
    return [(str(one.message), one.filename) for one in seen if one.category is DeprecationWarning]


@pytest.mark.parametrize(
    ("graph", "said"),
    [
        (
            lambda: [fn.crop(counting(), output_dtype=types.FLOAT)],
            "The argument `output_dtype` is a deprecated alias for `dtype`. Use",
        ),
        (lambda: [fn.crop_mirror_normalize(counting(), output_dtype=types.FLOAT)], "deprecated alias for `dtype`"),
        (lambda: [fn.slice(counting(), start=[0], axes=[0], image_type=types.RGB)], "`image_type` is no longer used"),
        (lambda: [fn.resize(counting(), size=2, image_type=types.RGB)], "`image_type` is no longer used and will be"),
        (lambda: [fn.uniform(range=[0.0, 1.0])], "`fn.uniform` is deprecated, use `fn.random.uniform`"),
        (
            lambda: [ops.TransformTranslation(offset=(0, 0))()],
            "`ops.TransformTranslation` is deprecated, use `fn.transforms.translation`",
        ),
        (lambda: [fn.shapes(counting(), type=types.INT32)], "`type` is a deprecated alias for `dtype`"),
        (lambda: [fn.copy(counting(), seed=3)], '"seed" should not be used with operators that don\'t use random'),
    ],
    ids=["crop", "crop_mirror_normalize", "slice", "resize", "uniform", "class", "shapes", "seed"],
)
def test_what_is_deprecated_says_so_at_the_line_that_uses_it(graph, said):
    said_here = [message for message, file in deprecations(graph) if file == __file__]
    assert any(said in message for message in said_here)


def test_an_older_name_has_its_effect():
    [converted] = made(lambda: [fn.crop(counting(), output_dtype=types.FLOAT)])
    assert converted.dtype == np.float32


def test_what_is_not_deprecated_says_nothing():
    assert (
        deprecations(lambda: [fn.crop(counting(), dtype=types.FLOAT), fn.random.uniform(seed=1), counting().shape()])
        == []
    )


def test_an_argument_by_both_its_names_is_refused_as_in_dali():
    with Pipeline(batch_size=1), pytest.raises(TypeError, match="got both `output_dtype` and `dtype`"):
        fn.crop(counting(), dtype=types.FLOAT, output_dtype=types.FLOAT)
    dali = oracle.dali()
    with dali.Pipeline(1, 1, None), pytest.raises(TypeError, match="'dtype' was already provided"):
        dali.fn.crop(dali.fn.external_source(name="x"), dtype=dali.types.FLOAT, output_dtype=dali.types.FLOAT)


@pytest.mark.parametrize("source", [lambda: [np.zeros(1)], [[np.zeros(1)]]], ids=["no parameter", "iterable"])
def test_checkpoints_that_lose_the_state_of_a_source_say_so_when_the_pipeline_is_built(source):
    pipe = Pipeline(batch_size=1, num_threads=1, enable_checkpointing=True)
    with pipe:
        pipe.set_outputs(fn.external_source(source=source))
    with pytest.warns(RuntimeWarning, match="do not capture the state of its external source"):
        pipe.build()


def test_checkpoints_that_keep_everything_say_nothing():
    pipe = Pipeline(batch_size=1, num_threads=1, enable_checkpointing=True)
    with pipe:
        pipe.set_outputs(fn.external_source(source=lambda batch: [np.full(1, batch)]))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        pipe.build()
