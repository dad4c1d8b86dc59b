"""Errors are of Python's fitting kind and of the kind that DALI raises there, so that either `except` sees them."""

import pickle

import numpy as np
import pytest
from oracle import dali

from penstock import errors

PICTURE = np.zeros((4, 5, 3), np.uint8)


def _modules(library):
    import importlib

    return [importlib.import_module(f"{library}.{name}") for name in ("fn", "types", "pipeline")]


def _run(define):
    def run(fn, types, pipeline):
        pipe = pipeline.Pipeline(batch_size=2, num_threads=1, device_id=None)
        with pipe:
            pipe.set_outputs(define(fn, types))
        pipe.build()
        pipe.run()

    return run


def _given(fn):
    return fn.external_source(lambda: [PICTURE, PICTURE])


def _fed(pipeline, fn):
    pipe = pipeline.Pipeline(batch_size=2, num_threads=1, device_id=None)
    with pipe:
        pipe.set_outputs(fn.external_source(name="x"))
    pipe.build()
    return pipe


# What to do, and of which of Python's kinds the error is, whatever DALI has there.
CASES = {
    "no such folder": (_run(lambda fn, _: fn.readers.file(file_root="/no/such")[0]), ValueError),
    "no such list": (_run(lambda fn, _: fn.readers.file(file_list="/no/such")[0]), ValueError),
    "window outside": (_run(lambda fn, _: fn.crop(_given(fn), crop=(10, 10))), RuntimeError),
    "permutation": (_run(lambda fn, _: fn.transpose(_given(fn), perm=[0, 1])), ValueError),
    "misspelt argument": (_run(lambda fn, _: fn.resize(_given(fn), sizee=3)), TypeError),
    "text for numbers": (_run(lambda fn, _: fn.resize(_given(fn), size="abc")), TypeError),
    "text for whole numbers": (_run(lambda fn, _: fn.transpose(_given(fn), perm="abc")), TypeError),
    "no inputs": (_run(lambda fn, _: fn.resize(size=3)), ValueError),
    "shapes": (_run(lambda fn, _: _given(fn) + fn.external_source(lambda: [PICTURE[:2]] * 2)), ValueError),
    "function": (_run(lambda fn, _: fn.python_function(_given(fn), function=lambda _x: 1 / 0)), RuntimeError),
    "required by the call": (_run(lambda fn, _: fn.cast(_given(fn))), ValueError),
    "required by a reader": (_run(lambda fn, _: fn.readers.caffe()[0]), ValueError),
    "volume": (_run(lambda fn, _: fn.reshape(_given(fn), shape=[7])), ValueError),
    "shard": (_run(lambda fn, _: fn.readers.file(file_root="/", shard_id=3, num_shards=2)[0]), ValueError),
    "index": (_run(lambda fn, _: _given(fn)[7]), IndexError),
    "condition": (_run(lambda fn, _: _given(fn) if _given(fn) else 1), TypeError),
    "source gives text": (_run(lambda fn, _: fn.external_source(lambda: "abc")), TypeError),
    "source gives too much": (_run(lambda fn, _: fn.external_source(lambda: [PICTURE] * 5)), RuntimeError),
    "not fed": (lambda fn, _, pipeline: _fed(pipeline, fn).run(), ValueError),
    "fed by a wrong name": (lambda fn, _, pipeline: _fed(pipeline, fn).feed_input("y", [PICTURE] * 2), KeyError),
    "fed with nothing": (lambda fn, _, pipeline: _fed(pipeline, fn).feed_input("x", None), TypeError),
    "reader's name": (lambda fn, _, pipeline: _fed(pipeline, fn).reader_meta("y"), RuntimeError),
    "no pipeline's bytes": (lambda _fn, _, pipeline: pipeline.Pipeline.deserialize(b"abc"), ValueError),
}


@pytest.mark.parametrize("case", CASES)
def test_either_except_sees_them(case):
    dali()
    attempt, kind = CASES[case]
    with pytest.raises(Exception) as theirs:
        attempt(*_modules("nvidia.dali"))
    with pytest.raises(kind) as ours:
        attempt(*_modules("penstock"))
    assert isinstance(ours.value, theirs.type)


def test_texts_are_as_they_were_written_and_errors_travel_between_processes():
    for name in errors.__all__:
        kind = getattr(errors, name)
        assert issubclass(kind, RuntimeError) or kind is errors.UnexpectedArgumentError
        again = pickle.loads(pickle.dumps(kind("what is wrong")))
        assert (type(again), str(again)) == (kind, "what is wrong")


def test_dalis_module_has_dalis_words_around_them(script, tmp_path, numbered):
    path = tmp_path / "theirs.py"
    path.write_text(
        """
import sys
import numpy as np
from nvidia.dali import backend, fn, pipeline_def

@pipeline_def(batch_size=3, num_threads=1, device_id=None, prefetch_queue_depth=1)
def decoded(root):
    files, _ = fn.readers.file(file_root=root)
    return fn.decoders.image(files)  # here

@pipeline_def(batch_size=3, num_threads=1, device_id=None)
def summed():
    return fn.external_source(lambda: [np.zeros(2)] * 3) + fn.external_source(lambda: [np.zeros(3)] * 3)

@pipeline_def(batch_size=1, num_threads=1, device_id=None)
def called():
    return fn.python_function(function=lambda: 1 / 0)

for make in (lambda: decoded(sys.argv[1]), lambda: decoded("/no/such"), summed, called):
    pipe = make()
    try:
        pipe.build()
        pipe.run()
    except RuntimeError as error:
        print(error, end="\\n----\\n")
try:
    backend.GetSchema("nonsense")
except KeyError as error:
    print(error)
"""
    )
    damaged, absent, shapes, function, schema = script("-m", "penstock.dali", path, numbered(3)).split("----\n")
    before = "which was used in the pipeline definition with the following traceback:\n\n  File "
    assert damaged.startswith(
        f"Critical error in pipeline:\nError in CPU operator `nvidia.dali.fn.decoders.image`,\n{before}"
    )
    assert (
        "    return fn.decoders.image(files)  # here\n\nencountered:\n\nFailed to decode sample #0: no pic" in damaged
    )
    assert damaged.rstrip().endswith('or "zero" to Pipeline')  # what to do still comes last
    assert absent.startswith("Critical error when building pipeline:\nError in CPU operator `nvidia.dali.fn.readers.fi")
    assert '\n\nencountered:\n\nFailed to open directory "/no/such"' in absent
    assert "`nvidia.dali.math`,\nwhich was" in shapes
    assert "Can't broadcast shapes" in shapes
    assert "operator `nvidia.dali.fn.python_function`,\n" in function
    assert "ZeroDivisionError: division by zero" in function
    assert schema == "Schema for operator 'nonsense' not registered\n"
