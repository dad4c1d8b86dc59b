"""Broken files, missing data and interruptions, end to end: one clear error or the treatment asked for; nothing hangs,
leaks or dies of it."""

import contextlib
import importlib
import itertools
import os
import re
import signal
import subprocess
import sys
import threading
import time

import hostile
import numpy as np
import pytest

from penstock import Pipeline, fn
from penstock.plugin.base_iterator import LastBatchPolicy

BAD = hostile.bad_files()
_SIDE = 8


@pytest.fixture(scope="module")
def mixed(tmp_path_factory):
    """Makes a folder of six files of which the third holds the given bytes."""

    def make(name, data):
        folder = tmp_path_factory.mktemp(re.sub(r"\W", "_", name)) / "class"
        folder.mkdir()
        for i in range(6):
            (folder / f"{i}.jpg").write_bytes(data if i == 2 else hostile.picture(seed=i))
        return folder.parent

    return make


def loading(root, batch_size=3, reader=None, **options):
    with Pipeline(batch_size, num_threads=2, **options) as pipe:
        files, labels = fn.readers.file(file_root=str(root), **(reader or {}))
        images = fn.resize(fn.decoders.image(files), size=[_SIDE, _SIDE])
        pipe.set_outputs(images, labels)
    return pipe


def good(seed):
    """What becomes of a good file."""
    with Pipeline(1) as pipe:
        encoded = fn.external_source([[np.frombuffer(hostile.picture(seed=seed), np.uint8)]])
        pipe.set_outputs(fn.resize(fn.decoders.image(encoded), size=[_SIDE, _SIDE]))
    return np.array(pipe.run()[0][0])


@pytest.mark.parametrize("kind", BAD)
def test_raise_names_operator_file_sample_and_remedy_and_goes_on(mixed, kind):
    root = mixed(kind, BAD[kind])
    path = str(root / "class" / "2.jpg")
    pipe = loading(root)
    for _ in range(2):  # each epoch alike
        with pytest.raises(RuntimeError) as error:
            pipe.run()
        text = str(error.value)
        assert re.match(rf"\[(decoders.image|readers.file)\] .*; sample 2, {re.escape(path)}\n", text)
        assert pipe.failures()[-1].source == path
        assert 'on_error="skip"' in text
        assert "test_bad_input.py" in text
        images, _ = pipe.run()
        np.testing.assert_array_equal(images.as_array(), [good(i) for i in (3, 4, 5)])


@pytest.mark.parametrize("on_error", ["replace", "skip", "zero"])
@pytest.mark.parametrize("kind", BAD)
def test_other_treatments_keep_the_good_samples(mixed, kind, on_error):
    pipe = loading(mixed(kind, BAD[kind]), on_error=on_error)
    images, _ = outputs = pipe.run()
    assert [int(mark) for mark in outputs.valid] == {"replace": [1, 1, 1], "skip": [1, 1], "zero": [1, 1, 0]}[on_error]
    expected = [good(0), good(1)]
    if on_error == "zero":
        expected.append(np.zeros_like(expected[0]))
    np.testing.assert_array_equal(images.as_array()[: len(expected)], expected)
    if on_error == "replace":
        assert any((np.array(images[2]) == good(i)).all() for i in (0, 1, 3, 4, 5))
    np.testing.assert_array_equal(pipe.run()[0].as_array(), [good(i) for i in (3, 4, 5)])
    failure = pipe.failures()[0]
    assert failure.source.endswith("2.jpg")
    assert failure.reason


@pytest.mark.parametrize("framework,name", [("torch", "pytorch"), ("jax", "jax")])
def test_skipping_is_refused_where_an_iterator_counts_samples(mixed, framework, name):
    """The first batch that is short would end the loop in the middle of an epoch."""
    pytest.importorskip(framework)
    plugin = importlib.import_module(f"penstock.plugin.{name}")
    folder = mixed("text", BAD["text"])

    def lengths(on_error="skip", end="", **options):
        pipe = loading(folder, on_error=on_error, reader={"name": "Reader", "epoch_end": end})
        iterator = plugin.DALIGenericIterator(pipe, ["images", "labels"], **options)
        batches = [batch if name == "jax" else batch[0] for batch in itertools.islice(iterator, 3)]
        return [len(batch["images"]) for batch in batches]

    for options in ({"reader_name": "Reader"}, {"size": 6}):
        for policy in LastBatchPolicy:
            with pytest.raises(ValueError, match='^on_error="skip" .*; use "replace" or "zero", or an `epoch_end` of'):
                lengths(last_batch_policy=policy, **options)
    assert lengths("zero", reader_name="Reader") == [3, 3]
    for options in ({"end": "pad"}, {"end": "drop", "reader_name": "Reader"}, {"end": "partial"}, {"end": "wrap"}):
        assert lengths(**options) == [2, 3], options
    assert lengths() == [2, 3, 2]  # size=-1: a reader alone has no end


def test_extensions_do_not_matter(mixed):
    images, _ = loading(mixed("wrong extension", hostile.picture("PNG", seed=9))).run()
    with Pipeline(1) as pipe:
        encoded = fn.external_source([[np.frombuffer(hostile.picture("PNG", seed=9), np.uint8)]])
        pipe.set_outputs(fn.resize(fn.decoders.image(encoded), size=[_SIDE, _SIDE]))
    np.testing.assert_array_equal(images[2], pipe.run()[0][0])


_COMMON = """
import gc, os, sys, threading
import hostile, numpy as np
from penstock import Pipeline, fn

def resident():
    return int(open("/proc/self/statm").read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
def files():
    return len(os.listdir("/proc/self/fd"))
def threads():
    return len(os.listdir("/proc/self/task"))
"""


def ends_silently(code, **options):
    """Runs code in a process of its own, which must end by itself without a word on stderr. Returns what it printed."""
    done = subprocess.run([sys.executable, "-c", _COMMON + code], env=_environment(), capture_output=True, text=True,
                          timeout=120, check=False, **options)  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    return done.stdout


def _environment():
    return {**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}


@pytest.mark.parametrize("on_error", ["raise", "replace", "skip", "zero"])
def test_bad_batches_leak_neither_memory_nor_files_nor_threads(tmp_path, on_error):
    folder = tmp_path / "class"
    folder.mkdir()
    for i, data in enumerate(BAD.values()):
        (folder / f"{i:02}.jpg").write_bytes(data)
        (folder / f"{i:02} good.jpg").write_bytes(hostile.picture(seed=i))
    out = ends_silently(f"""
def load(root, count):
    with Pipeline(4, num_threads=2, on_error={on_error!r}) as pipe:
        jpegs, labels = fn.readers.file(file_root=root)
        pipe.set_outputs(fn.resize(fn.decoders.image(jpegs), size=[200, 200]), labels)
    raised = 0
    for _ in range(count):
        try:
            pipe.run()
        except RuntimeError:
            raised += 1
    pipe.close()
    return raised

root = {str(tmp_path)!r}
load(root, 100)
gc.collect()
before = resident(), files(), threads()
raised = load(root, 300)
for _ in range(10):
    load(root, 2)
gc.collect()
after = resident(), files(), threads()
print(raised, *(b - a for a, b in zip(before, after)))
""")
    raised, memory, files, threads = map(int, out.split())
    assert (raised == 300) == (on_error == "raise")
    assert (files, threads) == (0, 0)
    assert memory < 4 << 20


@pytest.mark.parametrize(
    "arguments,message",
    [
        ({"file_root": "{}/absent"}, "absent"),
        ({"file_root": "{}/hollow"}, "hollow"),
        ({"file_list": "{}/absent.txt"}, "absent.txt"),
        ({"files": []}, "files"),
        ({}, "file_root"),
    ],
)
def test_missing_folders_are_named(tmp_path, arguments, message):
    (tmp_path / "hollow").mkdir()
    arguments = {k: v.format(tmp_path) if isinstance(v, str) else v for k, v in arguments.items()}
    refused = pytest.raises((RuntimeError, ValueError), match=rf"\[(fn\.)?readers.file\] .*{message}")
    with Pipeline(1) as pipe, refused:
        pipe.set_outputs(*fn.readers.file(**arguments))
        pipe.build()


@pytest.mark.parametrize("reader", ["caffe", "caffe2"])
@pytest.mark.parametrize("kind", ["absent", "hollow", "empty file", "no records", "cut off", "random bytes"])
def test_unusable_databases_are_named(tmp_path, reader, kind):
    lmdb = pytest.importorskip("lmdb")
    path = tmp_path / "data"
    if kind != "absent":
        path.mkdir()
    if kind in ("no records", "cut off"):
        with lmdb.open(str(path), map_size=1 << 20) as database, database.begin(write=True) as records:
            if kind == "cut off":
                records.put(b"0", bytes(20000))
    if kind == "cut off":
        os.truncate(path / "data.mdb", 5000)
    if kind in ("empty file", "random bytes"):
        (path / "data.mdb").write_bytes(b"" if kind == "empty file" else np.random.default_rng(1).bytes(9000))
    with Pipeline(1) as pipe:
        pipe.set_outputs(*getattr(fn.readers, reader)(path=str(path)))
    with pytest.raises((ValueError, RuntimeError), match=rf"\[readers.{reader}\] .*{re.escape(str(path))}"):
        pipe.build()


@pytest.mark.parametrize("reader", ["caffe", "caffe2"])
def test_records_of_random_bytes_are_named_and_others_still_come(tmp_path, reader):
    lmdb = pytest.importorskip("lmdb")
    random = np.random.default_rng(2)
    with lmdb.open(str(tmp_path), map_size=1 << 20) as database, database.begin(write=True) as records:
        for i in range(6):
            records.put(b"key %d" % i, random.bytes(int(random.integers(0, 300))))
    with Pipeline(2) as pipe:
        pipe.set_outputs(*getattr(fn.readers, reader)(path=str(tmp_path)))
    for _ in range(6):
        with pytest.raises(RuntimeError, match=rf"(?s)\[readers.{reader}\] .*key \d"):
            pipe.run()


@pytest.mark.parametrize("shape", [(4,), (4, 6), (2, 2, 2, 4, 6, 3)])
def test_inputs_of_the_wrong_shape_are_refused_and_the_pipeline_goes_on(shape):
    batches = [[np.zeros(shape, np.uint8)], [np.zeros((4, 6, 3), np.uint8)]]
    with Pipeline(1, prefetch_queue_depth=1) as pipe:
        pipe.set_outputs(fn.flip(fn.external_source(batches, cycle=True)))
    for _ in range(2):
        with pytest.raises(ValueError, match=rf"\[flip\] The number of dimensions {len(shape)} does not match"):
            pipe.run()
        assert pipe.run()[0].as_array().shape == (1, 4, 6, 3)


def test_a_function_that_raises_names_itself_and_leaves_nothing_behind():
    out = ends_silently("""
def fails(x):
    if x[0] % 2:
        raise ZeroDivisionError("odd")
    return x

with Pipeline(1, prefetch_queue_depth=2) as pipe:
    x = fn.external_source(lambda i: np.full((1, 1), i))
    pipe.set_outputs(fn.python_function(x, function=fails))
got = []
for _ in range(6):
    try:
        got.append(int(pipe.run()[0].as_array()[0, 0]))
    except Exception as e:
        got.append("odd" in str(e) and "ZeroDivisionError" in repr(e) + str(e) and "python_function" in str(e))
print(got)
""")
    assert out == "[0, True, 2, True, 4, True]\n"


@pytest.fixture
def numbers(tmp_path):
    """Makes pipelines of the numbers 0 to 15, two at a time, that wait at the 4 until `numbers.go` is set."""
    (tmp_path / "class").mkdir()
    for i in range(16):
        (tmp_path / "class" / f"{i:02}.jpg").write_bytes(bytes([i]))

    def function(x):
        if x[0] == 4:
            make.go.wait(20)
        return x

    def make(shard=0, num_shards=1):
        with Pipeline(2) as pipe:
            number = fn.readers.file(
                file_root=str(tmp_path), name="Reader", shard_id=shard, num_shards=num_shards, stick_to_shard=True
            )[0]
            pipe.set_outputs(fn.python_function(number, function=function))
        return pipe

    make.go = threading.Event()
    yield make
    make.go.set()


@contextlib.contextmanager
def ctrl_c(numbers):
    """Presses it while the code in the block waits for the 4."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # background jobs of a shell ignore it
    presses = threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT))
    presses.start()
    try:
        with pytest.raises(KeyboardInterrupt):
            yield
    finally:
        presses.join()
        signal.signal(signal.SIGINT, before)
        numbers.go.set()


def test_ctrl_c_leaves_the_batch_to_the_next_run_and_to_a_resumed_one(numbers):
    pipe = numbers()
    for _ in range(2):
        pipe.run()
    with ctrl_c(numbers):
        pipe.run()
    resumed = numbers()
    resumed.load_state_dict(pipe.state_dict())
    for one in (pipe, resumed):
        assert [one.run()[0].as_array().ravel().tolist() for _ in range(2)] == [[4, 5], [6, 7]]


@pytest.mark.parametrize("goes_on", [True, False])
@pytest.mark.parametrize("first_waits", [True, False])
def test_ctrl_c_in_the_middle_of_an_epoch_keeps_pipelines_in_step(numbers, torch, first_waits, goes_on):
    del torch
    from penstock.plugin.pytorch import DALIGenericIterator

    shards = [0, 1] if first_waits else [1, 0]
    iterator = DALIGenericIterator([numbers(shard, 2) for shard in shards], ["x"], reader_name="Reader")

    def values(batches):
        return [[one["x"].ravel().tolist() for one in batch] for batch in batches]

    expected = [[[2 * i + 8 * shard, 2 * i + 1 + 8 * shard] for shard in shards] for i in range(4)]
    assert values([next(iterator), next(iterator)]) == expected[:2]
    with ctrl_c(numbers):
        next(iterator)
    if goes_on:
        assert values([next(iterator), next(iterator)]) == expected[2:]
    for _ in range(2):
        assert values(iterator) == expected


def test_ctrl_c_in_the_middle_of_an_epoch_stops_a_loop_over_jax_arrays(pictures, jax):
    del jax
    code = f"""
import signal, time
signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background job starts with SIGINT ignored
from penstock import pipeline_def
from penstock.plugin.jax import DALIGenericIterator

@pipeline_def(batch_size=2, num_threads=2)
def slow():
    jpegs, labels = fn.readers.file(file_root={str(pictures)!r}, name="Reader")
    images = fn.resize(fn.decoders.image(jpegs), size=[8, 8])
    return fn.python_function(images, function=lambda x: time.sleep(0.1) or x), labels

iterator = DALIGenericIterator(slow(), ["images", "labels"], reader_name="Reader")
try:
    while True:
        for batch in iterator:
            print("batch", flush=True)
except KeyboardInterrupt:
    print("interrupted", flush=True)
print(next(iter(iterator))["images"].shape)
"""
    process = subprocess.Popen([sys.executable, "-c", _COMMON + code], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                               text=True, env=_environment())  # fmt: skip
    try:
        for _ in range(3):
            assert process.stdout.readline() == "batch\n", process.stderr.read()
        process.send_signal(signal.SIGINT)
        begun = time.monotonic()
        line = next(line for line in process.stdout if line != "batch\n")
        waited = time.monotonic() - begun
        rest, errors = process.communicate(timeout=60)
    finally:
        process.kill()
    assert (line, rest) == ("interrupted\n", "(2, 8, 8, 3)\n")
    assert waited < 5
    assert errors == ""
    assert process.returncode == 0
