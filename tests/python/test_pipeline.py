import gc
import json
import signal
import subprocess
import sys
import time
import warnings

import numpy as np
import pytest

import penstock
from penstock import Pipeline, fn, pipeline_def, types


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
        pipeline_def(lambda **kwargs: None)
    assert counted._is_pipeline_def

    @pipeline_def(batch_size=2)
    def shadowing(device_id):
        assert device_id == 3
        return types.Constant([1.0], device="cpu")

    assert shadowing(device_id=3).device_id is None
    assert "Warning" in capsys.readouterr().out


def test_batches_handed_over_are_never_written_again():
    pipe = counted(batch_size=4, prefetch_queue_depth=1)
    kept = [pipe.run()[0] for _ in range(20)]
    views = [np.asarray(batch.as_tensor()) for batch in kept]
    del kept, pipe
    gc.collect()
    for i, view in enumerate(views):
        assert (view == i).all()


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


def test_what_dali_ignores_is_warned_about():
    with pytest.warns(DeprecationWarning, match="max_streams"):
        assert Pipeline(4, max_streams=2).max_streams == -1
    for wrong, error in [
        ({"prefetch_queue_depth": 0}, ValueError),
        ({"prefetch_queue_depth": "2"}, TypeError),
        ({"prefetch_queue_depth": {"cpu_size": 1, "gpu_size": 1}, "exec_async": False}, ValueError),
        ({"py_start_method": "thread"}, ValueError),
        ({"output_dtype": "float"}, TypeError),
        ({"output_ndim": -1}, ValueError),
    ]:
        with pytest.raises(error):
            Pipeline(4, **wrong)


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
from penstock import Pipeline, fn

def build(**options):
    with Pipeline(batch_size=2, device_id=0, **options) as pipe:
        jpegs, _ = fn.readers.file(file_root={str(pictures)!r})
        pipe.set_outputs(fn.decoders.image(jpegs, device="mixed"))
    return pipe.run()

with warnings.catch_warnings(record=True) as seen:
    warnings.simplefilter("always")
    build(), build()
print(len(seen), seen[0].message)
try:
    build(strict_device=True)
except RuntimeError as e:
    print(e)
"""
    first, second = script(code=code).splitlines()
    assert first.startswith("1 there is no GPU")
    assert "strict_device=True forbids" in second


def test_mistakes_in_outputs_are_explained():
    node = fn.external_source(name="x")
    with pytest.raises(TypeError, match=r"(?s)Illegal pipeline output type.*`\*`"):
        Pipeline(1).set_outputs([node])
    with pytest.raises(TypeError, match="Illegal output type"):
        Pipeline(1).set_outputs(object())
    with pytest.raises(ValueError, match="at least one output"):
        Pipeline(1).set_outputs()
        pipeline_def(lambda: (), batch_size=1)().build()


def test_names_must_be_unique():
    pipe = Pipeline(batch_size=1)
    pipe.set_outputs(fn.external_source(name="x"), fn.external_source(name="x"))
    with pytest.raises(ValueError, match="non-unique names"):
        pipe.build()


def test_equal_graphs_serialize_equally_and_come_back(numbered):
    root = numbered(6)

    def make(**options):
        with Pipeline(batch_size=3, seed=5, **options) as pipe:
            pipe.set_outputs(fn.readers.file(file_root=root, random_shuffle=True)[0])
        return pipe

    data = make().serialize()
    assert data == make().serialize()
    again = Pipeline.deserialize(data)
    assert again.run()[0].as_array().tolist() == make().run()[0].as_array().tolist()
    assert Pipeline.deserialize(data, batch_size=2).max_batch_size == 2
    with pytest.raises(ValueError, match="either"):
        Pipeline.deserialize()
    with pytest.raises(TypeError, match="filename="):
        make().serialize("graph.bin")


def test_deserialised_external_sources_are_fed_by_name():
    with Pipeline(batch_size=2) as pipe:
        pipe.set_outputs(fn.external_source(name="x"))
    again = Pipeline.deserialize(pipe.serialize())
    again.feed_input("x", np.ones((2, 1)))
    assert again.run()[0].as_array().sum() == 2


def test_a_run_is_resumed_bit_for_bit(numbered):
    root = numbered(11)

    def make(**options):
        with Pipeline(batch_size=3, seed=5, enable_checkpointing=True, **options) as pipe:
            pipe.set_outputs(fn.readers.file(file_root=root, random_shuffle=True)[0])
        return pipe

    first = make()
    for _ in range(5):
        first.run()
    saved = first.checkpoint()
    expected = [first.run()[0].as_array().tolist() for _ in range(5)]
    second = make(checkpoint=saved)
    assert [second.run()[0].as_array().tolist() for _ in range(5)] == expected
    assert second.is_restored_from_checkpoint
    assert len(saved) < 1000


def test_a_state_of_another_pipeline_is_refused(numbered):
    def make(**reader):
        with Pipeline(batch_size=3, seed=5) as pipe:
            pipe.set_outputs(fn.readers.file(file_root=numbered(6), **reader)[0])
        return pipe

    saved = make().state_dict()
    with pytest.raises(ValueError, match="file"):
        make(random_shuffle=True).load_state_dict(saved)


def test_facts_about_readers(numbered):
    with Pipeline(batch_size=4) as pipe:
        data, _ = fn.readers.file(file_root=numbered(10), name="Reader", num_shards=3, shard_id=1, pad_last_batch=True)
        pipe.set_outputs(data)
    meta = pipe.reader_meta("Reader")
    expected = {
        "epoch_size": 10, "epoch_size_padded": 12, "number_of_shards": 3, "shard_id": 1, "pad_last_batch": 1,
        "stick_to_shard": 0,
    }  # fmt: skip
    assert expected.items() <= meta.items()
    assert pipe.reader_meta() == {"Reader": meta}
    assert pipe.epoch_size("Reader") == 12
    assert pipe.epoch_size() == {"Reader": 12}
    with pytest.raises(RuntimeError, match="Reader"):
        pipe.reader_meta("reader")


@pytest.fixture
def with_a_broken_file(tmp_path, pictures):
    import shutil

    root = tmp_path / "some"
    shutil.copytree(pictures, root)
    (root / "cat" / "3.jpg").write_bytes(b"this is no picture")
    return root


def decoding(root, **options):
    with Pipeline(batch_size=3, **options) as pipe:
        jpegs, labels = fn.readers.file(file_root=str(root))
        pipe.set_outputs(fn.decoders.image(jpegs), labels)
    return pipe


def test_one_bad_file_does_not_end_the_run(with_a_broken_file):
    pipe = decoding(with_a_broken_file)
    pipe.run()
    with pytest.raises(RuntimeError, match=r"(?s)decoders.image.*3.jpg.*test_pipeline.py"):
        pipe.run()
    assert len(pipe.run()[0]) == 3
    [failure, *_] = pipe.failures()
    assert failure.source.endswith("3.jpg")
    assert (failure.stage, failure.iteration, failure.slot, failure.index) == ("decoders.image", 1, 0, 3)
    assert failure.reason


@pytest.mark.parametrize(
    "on_error,samples,valid", [("skip", 2, [1, 1]), ("zero", 3, [0, 1, 1]), ("replace", 3, [1, 1, 1])]
)
def test_what_happens_to_a_bad_sample_can_be_chosen(with_a_broken_file, on_error, samples, valid):
    pipe = decoding(with_a_broken_file, on_error=on_error)
    pipe.run()
    images, labels = outputs = pipe.run()
    assert (len(images), len(labels)) == (samples, samples)
    assert [int(mark) for mark in outputs.valid] == valid
    assert len(pipe.failures()) >= 1


def test_on_error_takes_its_four_words_only():
    with pytest.raises(ValueError, match="on_error is one of"):
        counted(batch_size=1, on_error="ignore").build()


def test_explain_and_stats_speak_of_the_operators(pictures):
    pipe = decoding(pictures)
    pipe.run()
    assert "decoders.image" in pipe.explain()
    stats = pipe.stats()
    assert stats["batches"] >= 1
    assert stats["samples"] >= 3
    assert stats["failures"] == 0
    assert stats["consumer_waited_seconds"] > 0
    [decoder] = [one for one in stats["operators"] if one["operator"] == "decoders.image"]
    assert decoder["timed_samples"] >= 1
    assert decoder["microseconds_per_sample"] > 0


def test_a_timeline_is_written_when_its_block_ends(pictures, tmp_path):
    def events():
        timeline = json.loads((tmp_path / "timeline.json").read_text())
        return [one for one in timeline["traceEvents"] if one["name"] == "decoders.image"]

    pipe = decoding(pictures, prefetch_queue_depth=1)
    pipe.run()
    with pipe.trace(tmp_path / "timeline.json"):
        pipe.run()
        pipe.run()
    first = events()
    assert {one["args"]["sample"] for one in first} == {0, 1, 2}
    assert {2} <= {one["args"]["batch"] for one in first} <= {1, 2}
    assert all(one["ph"] == "X" and one["dur"] > 0 for one in first)
    with pytest.raises(KeyError), pipe.trace(str(tmp_path / "timeline.json")):
        pipe.run()
        raise KeyError
    assert {one["args"]["batch"] for one in events()} == {3}
    with pytest.raises(FileNotFoundError), pipe.trace(tmp_path / "missing" / "timeline.json"):
        pass


def test_a_closed_pipeline_says_so():
    pipe = counted(batch_size=4)
    pipe.run()
    pipe.close()
    with pytest.raises(RuntimeError, match="closed"):
        pipe.run()


def test_ctrl_c_ends_the_wait_for_a_batch():
    code = """
import signal
import time
import numpy as np
from penstock import Pipeline, fn
signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background job starts with SIGINT ignored
with Pipeline(batch_size=1) as pipe:
    pipe.set_outputs(fn.python_function(function=lambda: time.sleep(3) or np.zeros(1)))
pipe.build()
print("ready", flush=True)
try:
    pipe.run()
except KeyboardInterrupt:
    print("interrupted", flush=True)
"""
    process = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True, env=_environment())
    assert process.stdout.readline() == "ready\n"
    time.sleep(0.5)
    begun = time.monotonic()
    process.send_signal(signal.SIGINT)
    assert process.stdout.readline() == "interrupted\n"
    assert time.monotonic() - begun < 1.5
    process.wait(timeout=20)
    assert process.returncode == 0


def _environment():
    import os

    return {**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}


def test_interpreters_end_with_pipelines_at_work(script):
    out = script(
        code="""
import numpy as np
from penstock import Pipeline, fn
with Pipeline(batch_size=4) as pipe:
    x = fn.external_source(lambda i: np.zeros((4, 1000)))
    pipe.set_outputs(fn.python_function(x, function=lambda a: a + 1))
kept = pipe.run()
print("done")
"""
    )
    assert out == "done\n"


def test_importing_is_quick_and_leaves_frameworks_alone(script):
    out = script(
        code="""
import numpy, sys, time
begun = time.perf_counter()
import penstock.plugin.jax
print(time.perf_counter() - begun)
print([name for name in ("jax", "torch", "PIL") if name in sys.modules])
"""
    )
    seconds, frameworks = out.splitlines()
    assert float(seconds) < 0.5  # 0.1 when nothing else runs
    assert frameworks == "[]"


def test_the_version_is_that_of_the_package():
    assert penstock.__version__.count(".") == 2
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert issubclass(penstock.Pipeline, Pipeline)


def test_a_forked_process_makes_pipelines_of_its_own(tmp_path):
    """As the workers of a PyTorch DataLoader do, which are forked while the parent's pipelines live."""
    code = """
import os
import numpy as np
from penstock import Pipeline, fn

def made():
    with Pipeline(batch_size=2) as pipe:
        pipe.set_outputs(fn.cast(fn.external_source(source=lambda: np.ones((2, 3), np.uint8)), dtype=9))
    return pipe

mine = made()
mine.run()
if os.fork() == 0:
    own = made()
    assert own.run()[0].as_array().sum() == 6
    del own
    mine.close()
    os._exit(0)
print(os.waitstatus_to_exitcode(os.wait()[1]), mine.run()[0].as_array().sum())
"""
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", code], capture_output=True, text=True, timeout=60)
    assert done.stdout.split() == ["0", "6.0"], done.stderr
