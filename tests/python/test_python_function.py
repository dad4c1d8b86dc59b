import gc
import time
import weakref

import numpy as np
import pytest

from penstock import Pipeline, fn


def pipe_of(make, batch_size=2, **options):
    with Pipeline(batch_size=batch_size, **options) as pipe:
        source = fn.external_source(lambda i: np.arange(2 * batch_size).reshape(batch_size, 2) + i)
        made = make(source)
        pipe.set_outputs(*(made if isinstance(made, list) else [made]))
    return pipe


def test_functions_are_called_with_each_sample():
    pipe = pipe_of(lambda x: fn.python_function(x, function=lambda a: a.sum(keepdims=True)))
    assert [pipe.run()[0].as_array().tolist() for _ in range(2)] == [[[1], [5]], [[3], [7]]]


def test_several_outputs_inputs_and_layouts():
    pipe = pipe_of(
        lambda x: fn.python_function(x, x, function=lambda a, b: (a, -b), num_outputs=2, output_layouts=["W"])
    )
    first, second = pipe.run()
    assert (first.layout(), second.layout()) == ("W", "")
    np.testing.assert_array_equal(first.as_array(), -second.as_array())


def test_batches_come_as_lists():
    def function(samples):
        assert isinstance(samples, list)
        return [sample * len(samples) for sample in samples]

    pipe = pipe_of(lambda x: fn.python_function(x, function=function, batch_processing=True))
    assert pipe.run()[0].as_array().tolist() == [[0, 2], [4, 6]]


def test_functions_that_change_their_input_change_nothing_else():
    def function(a):
        a += 100
        return a

    pipe = pipe_of(lambda x: [fn.python_function(x, function=function), x])
    changed, original = pipe.run()
    assert (changed.as_array() - original.as_array() == 100).all()


def test_batches_are_seen_in_order():
    seen = []
    pipe = pipe_of(lambda x: fn.python_function(x, function=lambda a: seen.append(int(a[0])) or a), batch_size=1,
                   prefetch_queue_depth=4)  # fmt: skip
    for _ in range(10):
        pipe.run()
    assert seen == sorted(seen)


def test_without_inputs_and_without_outputs():
    calls = []
    with Pipeline(batch_size=3) as pipe:
        number = fn.python_function(function=lambda: np.array(7))
        fn.python_function(number, function=lambda a: calls.append(int(a)), num_outputs=0)
        pipe.set_outputs(number)
    assert pipe.run()[0].as_array().tolist() == [7, 7, 7]
    assert calls[:3] == [7, 7, 7]


def test_what_a_function_raises_comes_out_of_run_and_the_pipeline_goes_on():
    def function(a):
        if a[0] == 1:
            raise KeyError("no such thing")
        return a

    pipe = pipe_of(lambda x: fn.python_function(x, function=function), batch_size=1)
    pipe.run()
    with pytest.raises(RuntimeError, match=r"(?s)KeyError.*no such thing.*test_python_function"):
        pipe.run()
    assert pipe.run()[0].as_array().tolist() == [[2, 3]]


def test_a_wrong_number_of_outputs_is_named():
    pipe = pipe_of(lambda x: fn.python_function(x, function=lambda a: (a, a, a), num_outputs=2))
    with pytest.raises(RuntimeError, match="gave 3 outputs, num_outputs=2"):
        pipe.run()


def test_functions_need_a_pipeline_and_cannot_be_serialized():
    with pytest.raises(RuntimeError, match="current pipeline is not set"):
        fn.python_function(np.zeros(1), function=lambda a: a)
    with pytest.raises(RuntimeError, match="cannot be serialized"):
        pipe_of(lambda x: fn.python_function(x, function=lambda a: a)).serialize()


def test_functions_go_with_their_pipeline():
    def function(a):
        return a

    gone = weakref.ref(function)
    pipe = pipe_of(lambda x, function=function: fn.python_function(x, function=function))
    pipe.run()
    pipe.close()
    del pipe, function
    end = time.monotonic() + 20
    while gone() is not None and time.monotonic() < end:
        gc.collect()  # which does nothing while another thread is at it
    assert gone() is None


def test_a_pipeline_may_be_let_go_by_the_function_that_it_calls(script):
    """As happens where the garbage collector runs in it: a worker cannot wait for itself."""
    said = script(
        code="""
import gc, threading
import numpy as np
from penstock import Pipeline, fn

dropped, ended = threading.Event(), threading.Event()

def function(a):
    dropped.wait(10)
    kept.clear()
    gc.collect()
    ended.set()
    return a

kept = [Pipeline(batch_size=1, num_threads=1)]
with kept[0]:
    kept[0].set_outputs(fn.python_function(fn.external_source(lambda i: np.zeros((1, 1))), function=function))
kept[0].schedule_run()
dropped.set()
print(ended.wait(20))
"""
    )
    assert said.strip() == "True"


def test_dlpack_functions_get_and_give_capsules(torch):
    def function(samples):
        tensors = [torch.from_dlpack(sample) for sample in samples]
        return [torch.utils.dlpack.to_dlpack(tensor * 2) for tensor in tensors]

    pipe = pipe_of(lambda x: fn.dl_tensor_python_function(x, function=function))
    assert pipe.run()[0].as_array().tolist() == [[0, 2], [4, 6]]


class Mine(Exception):
    """One of the user's own."""


@pytest.mark.parametrize("on_error", ["raise", "skip", "zero"])
@pytest.mark.parametrize("error", [Mine("twice"), KeyboardInterrupt(), MemoryError("no more")], ids=repr)
def test_what_a_function_raises_is_the_cause_of_its_batchs_error(on_error, error):
    def function(a):
        if a[0] == 1:
            raise error
        return a

    pipe = pipe_of(lambda x: fn.python_function(x, function=function), batch_size=1, on_error=on_error)
    assert pipe.run()[0].as_array().tolist() == [[0, 1]]
    with pytest.raises(RuntimeError, match=r"^\[fn\.python_function\] the Python function raised") as caught:
        pipe.run()
    assert caught.value.__cause__ is error
    assert pipe.failures() == []
    assert pipe.run()[0].as_array().tolist() == [[2, 3]]


def test_causes_of_several_functions_are_told_apart():
    def failing(kind):
        def function(a):
            raise kind(f"at {a[0]}")

        return function

    pipe = pipe_of(lambda x: [fn.python_function(x, function=failing(kind)) for kind in (KeyError, Mine)])
    for _ in range(3):
        with pytest.raises(RuntimeError) as caught:
            pipe.run()
        cause = caught.value.__cause__
        assert f"{type(cause).__name__}: {cause}" in str(caught.value)


def test_what_is_no_function_is_refused():
    with pytest.raises(TypeError, match=r"\[fn\.python_function\] function must be callable, got 3"):
        pipe_of(lambda x: fn.python_function(x, function=3))
    with pytest.raises(TypeError, match=r"\[fn\.python_function\] num_outputs must be a whole number, got '2'"):
        pipe_of(lambda x: fn.python_function(x, function=len, num_outputs="2"))


def test_a_local_function_of_jax_is_named_too(jax):
    del jax
    from penstock.plugin.jax import fn as jax_fn

    @jax_fn.jax_function
    def fails(array):
        raise Mine("of JAX")

    with pytest.raises(RuntimeError, match=r"^\[fn\.jax_function\]") as caught:
        pipe_of(fails).run()
    assert isinstance(caught.value.__cause__, Mine)


def test_what_a_function_makes_of_a_file_comes_from_that_file(numbered):
    root = numbered(4)
    with Pipeline(batch_size=2) as pipe:
        data = fn.readers.file(file_root=root)[0]
        made = fn.python_function(np.ones(1), data, function=lambda one, x: (one, x), num_outputs=2)
        batchwise = fn.python_function(data, function=lambda x: x, batch_processing=True)
        pipe.set_outputs(data.source_info(), *(one.source_info() for one in (*made, batchwise)))
    files, *others = ([bytes(np.array(sample)).decode() for sample in output] for output in pipe.run())
    assert all(files)
    assert others == [files] * 3


def test_what_a_function_makes_of_several_files_names_them_all_once(numbered):
    root = numbered(5)
    with Pipeline(batch_size=5) as pipe:
        first, label = fn.readers.file(file_root=root, seed=1, random_shuffle=True)
        second = fn.readers.file(file_root=root, seed=2, random_shuffle=True)[0]
        made = fn.python_function(first, np.ones(1), second, label, first, function=lambda *all: all, num_outputs=5)
        pipe.set_outputs(first.source_info(), second.source_info(), *(one.source_info() for one in made))
    ones, others, *names = ([bytes(np.array(sample)).decode() for sample in output] for output in pipe.run())
    expected = [one if one == other else f"{one};{other}" for one, other in zip(ones, others, strict=True)]
    assert ones != others
    assert names == [expected] * 5
