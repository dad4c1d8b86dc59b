"""The two faces of operators: functions and classes, and what they check before anything runs."""

import inspect

import numpy as np
import oracle
import pytest

import penstock
from penstock import Pipeline, fn, ops, types
from penstock._schema import public_names


@pytest.fixture
def node():
    return fn.external_source(name="x")


def test_every_function_has_a_signature_and_documentation():
    for name, schema in public_names().items():
        function = fn
        for part in name.split("."):
            function = getattr(function, part)
        assert function.__doc__.startswith(schema.doc)
        keywords = [p.name for p in inspect.signature(function).parameters.values() if p.kind is p.KEYWORD_ONLY]
        assert keywords == sorted(keywords)
        assert {"device", "name", "preserve"} <= set(keywords)
        for arg in schema.args.values():
            assert arg["hidden"] or f"\n{arg['name']} : " in function.__doc__
            assert arg["hidden"] or arg["doc"].splitlines()[0] in function.__doc__


def test_signatures_show_defaults_and_what_is_required():
    def default(function, name):
        return inspect.signature(function).parameters[name].default

    assert default(fn.resize, "interp_type") is types.INTERP_LINEAR
    assert default(fn.flip, "horizontal") == 1
    assert default(fn.flip, "images") is default(fn.readers.caffe2, "path") is inspect.Parameter.empty
    assert default(fn.random.uniform, "shape_like") is None


def test_namespaces_can_be_imported_and_listed():
    from penstock.fn import readers
    from penstock.fn.readers import file

    assert readers.file is file is fn.readers.file
    assert "file" in dir(fn.readers)
    assert "readers" in dir(fn)


def test_names_that_do_not_exist_come_with_the_nearest():
    with pytest.raises(AttributeError, match=r"no operator `readers.fil`; did you mean `file`"):
        fn.readers.fil  # noqa: B018
    with pytest.raises(AttributeError, match="no operator `Nothing`"):
        ops.Nothing  # noqa: B018


def test_unknown_arguments_come_with_the_nearest():
    with pytest.raises(TypeError, match=r"\[fn.readers.file\] got an unexpected argument `file_rot`; .*`file_root`"):
        fn.readers.file(file_rot="x")


def test_numbers_of_inputs_are_checked(node):
    with pytest.raises(ValueError, match=r"Operator fn.decoders.image expects from 1 to 1 inputs, but received 2"):
        fn.decoders.image(node, node)


def test_inputs_that_are_no_nodes_become_constants_or_are_refused(node):
    with pytest.raises(TypeError, match="input 0 of operator `fn.copy` cannot be made a constant"):
        fn.copy("text")
    with pytest.raises(TypeError, match=r"input 1 of operator `fn.cat` must be .* nested .*DataNode"):
        fn.cat(node, [node, 1])


@pytest.mark.parametrize(
    "use",
    [
        lambda node: fn.cat([[node]]), lambda node: fn.flip([(node,)]), lambda node: node + [[node]],
        lambda node: [(1, [node])] * node, lambda node: fn.crop(node, crop=[[node], 3]),
        lambda node: types.Constant([node]), lambda node: fn.reshape(node, [[node], 1]),
    ],
)  # fmt: skip
def test_nodes_in_lists_within_lists_are_refused_by_name(node, use):
    with pytest.raises(TypeError, match=r"with nested DataNode|holds numbers, not a DataNode"):
        use(node)


def test_arguments_that_are_constants_take_no_nodes(node):
    with pytest.raises(TypeError, match="argument `num_classes` takes a constant"):
        fn.one_hot(node, num_classes=node)
    with pytest.raises(ValueError, match='Invalid device "gpu" for argument `shape`'):
        fn.zeros(shape=node.gpu())


def test_none_means_not_given():
    assert fn.zeros(shape=None, dtype=None).source.args == {}


def test_required_arguments_are_asked_for(node):
    with pytest.raises(ValueError, match=r"\[fn.expand_dims\] argument `axes` is required"):
        fn.expand_dims(node)


def test_numbers_beyond_their_type_are_refused(node):
    with Pipeline(batch_size=1) as pipe:
        pipe.set_outputs(fn.flip(node, horizontal=2**32 + 1))
    with pytest.raises(ValueError, match=r"(?s)flip.*`horizontal`.*4294967297 does not fit a 32-bit integer"):
        pipe.build()


def test_devices_follow_the_inputs(node):
    assert fn.copy(node).device == "cpu"
    assert fn.copy(node.gpu()).device == "gpu"
    assert fn.decoders.image(node, device="mixed").device == "gpu"
    assert fn.copy(node.gpu()).cpu().device == "cpu"
    with pytest.raises(ValueError, match="device is one of"):
        fn.copy(node, device="tpu")


def test_gpu_means_the_same_data(numbered):
    root = numbered(2)
    with Pipeline(batch_size=2) as pipe:
        _, labels = fn.readers.file(files=[f"{root}/class/000{i}.jpg" for i in range(2)], labels=[5, 300])
        assert (labels.gpu().device, labels.gpu().gpu().cpu().device) == ("gpu", "cpu")
        pipe.set_outputs(labels.gpu(), labels.gpu().cpu())
    assert [output.as_cpu().as_array().ravel().tolist() for output in pipe.run()] == [[5, 300]] * 2


def test_nodes_are_not_values(node):
    with pytest.raises(TypeError, match='"DataNode" was used in conditional context'):
        bool(node)
    with pytest.raises(TypeError, match="not iterable"):
        iter(node)
    with pytest.raises(TypeError):
        list(node)


def test_lists_of_nodes_apply_an_operator_to_each():
    with Pipeline(batch_size=2) as pipe:
        a, b = (fn.external_source([np.full((2, 1), k)], cycle=True) for k in (1, 2))
        pipe.set_outputs(*fn.copy([a, b]))
    assert [output.as_array().tolist() for output in pipe.run()] == [[[1], [1]], [[2], [2]]]


def test_classes_take_arguments_once():
    with Pipeline(batch_size=2) as pipe:
        x = ops.ExternalSource(lambda i: np.full((2, 1), i, np.int32))()
        hot = ops.OneHot(num_classes=3)
        pipe.set_outputs(hot(x))
        with pytest.raises(ValueError, match="to the constructor and to the call"):
            hot(x, num_classes=4)
    assert pipe.run()[0].as_array()[0].tolist() == [1, 0, 0]


def test_class_names_are_dalis():
    theirs = oracle.dali().ops
    alone = ("ConnectedComponents", "Cutmix", "Follow", "Mixup")  # DALI has none of these
    names = [name for name in dir(ops) if name not in ("ops", *alone)]
    assert [name for name in names if not hasattr(theirs, name)] == []
    for space in ("readers", "decoders"):
        ours = [name for name in dir(getattr(ops, space)) if name not in ("Arrow", "Mixture", "Parquet")]  # likewise
        assert [name for name in ours if not hasattr(getattr(theirs, space), name)] == []


def test_errors_of_operators_name_the_lines_that_made_them():
    with Pipeline(batch_size=1) as pipe:
        x = fn.external_source(lambda i: np.zeros((1, 2)))
        pipe.set_outputs(fn.reshape(x, shape=[3]))  # the line to be named
    with pytest.raises(Exception, match=r"(?s)reshape.*test_fn.py.*the line to be named"):
        pipe.run()


def test_unread_operators_do_not_run_and_preserved_ones_do():
    calls = []

    def source(i):
        calls.append(i)
        return np.zeros((1, 1))

    with Pipeline(batch_size=1) as pipe:
        fn.copy(fn.external_source(source))
        pipe.set_outputs(fn.zeros(shape=[1]))
    pipe.run()
    assert calls == []
    with Pipeline(batch_size=1) as pipe:
        fn.copy(fn.external_source(source), preserve=True)
        pipe.set_outputs(fn.zeros(shape=[1]))
    pipe.run()
    assert calls != []


def test_subscripts_are_dalis():
    def graph(fn, types, _math):
        x = fn.external_source(lambda: np.arange(48, dtype=np.int32).reshape(2, 2, 3, 4), batch=True)
        i = fn.external_source(lambda: np.array([0, 1]), batch=True)
        step = fn.external_source(lambda: np.array([2, -3]), batch=True)
        return x[0], x[-1, :, 1], x[:, 1:3], x[:, ::-1, ::2], x[i], x[:, i:], x[:, :, :], x[:, ::step, ::step]

    oracle.assert_same(graph, batch_size=2)


def test_new_axes_can_be_named():
    import penstock as ours

    with Pipeline(batch_size=1) as pipe:
        x = fn.external_source(lambda: np.zeros((1, 2, 3)), layout="HW")
        pipe.set_outputs(x[:, :, ours.newaxis("C")], x[ours.newaxis], x[0, :, ours.newaxis])
    shapes = [(output.shape()[0], output.layout()) for output in pipe.run()]
    assert shapes == [((2, 3, 1), "HWC"), ((1, 2, 3), ""), ((3, 1), "")]


def test_subscripts_that_are_none(node):
    with pytest.raises(NotImplementedError):
        node[..., 0]
    with pytest.raises(TypeError, match="not float"):
        node[1.5]
    with pytest.raises(ValueError, match="all new axes"):
        node[penstock.newaxis("C"), penstock.newaxis]


def test_constants_become_what_dali_makes_of_them():
    def graph(_fn, types, _math):
        return (
            types.Constant([1, 2, 3], device="cpu"),
            types.Constant(np.array([[1.5, 2]]), device="cpu"),
            types.Constant(7, dtype=types.UINT8, shape=[2], device="cpu"),
            types.Constant(np.array([1, 2], np.int64), device="cpu"),
        )

    oracle.assert_same(graph, batch_size=2)
