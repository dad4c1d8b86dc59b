"""What a pipeline says about itself: facts, failures, plan, figures, timeline."""

import itertools
import json
import shutil

import numpy as np
import pytest

from penstock import Pipeline, fn


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
    with pytest.raises(RuntimeError, match=r"(?s)decoders.image.*3.jpg.*test_insight.py"):
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


def test_a_replacement_is_a_sample_that_every_reader_has(with_a_broken_file, numbered):
    with Pipeline(batch_size=3, on_error="replace") as pipe:
        jpegs, _ = fn.readers.file(file_root=str(with_a_broken_file))
        fewer, _ = fn.readers.file(file_root=numbered(2))
        pipe.set_outputs(fn.decoders.image(jpegs), fewer)
    for _ in range(8):
        assert all(int(np.array(sample)[0]) in (0, 1) for sample in pipe.run()[1])
    assert {failure.stage for failure in pipe.failures()} == {"decoders.image"}


def test_explain_and_stats_speak_of_the_operators(pictures):
    pipe = decoding(pictures)
    pipe.run()
    assert "decoders.image" in pipe.explain()
    stats = pipe.stats()
    assert stats["batches"] >= 1
    assert stats["samples"] >= 3
    assert stats["failures"] == 0
    assert stats["consumer_waited_seconds"] > 0
    assert stats["gpu_awaited_seconds"] == 0  # the CPU decodes
    [decoder] = [one for one in stats["operators"] if one["operator"] == "decoders.image"]
    assert decoder["timed_samples"] >= 1
    assert decoder["microseconds_per_sample"] > 0


def test_num_threads_bounds_a_pipeline_and_not_each_of_its_batches(pictures, tmp_path):
    with decoding(pictures, num_threads=1, prefetch_queue_depth=4) as pipe:
        pipe.run()
        with pipe.trace(tmp_path / "timeline.json"):
            for _ in range(20):
                pipe.run()
    spans = [
        (one["ts"], one["ts"] + one["dur"])
        for one in json.loads((tmp_path / "timeline.json").read_text())["traceEvents"]
        if one["name"] == "decoders.image"
    ]
    assert len(spans) >= 40
    for (_, end), (begin, _) in itertools.pairwise(sorted(spans)):
        assert end <= begin + 0.01


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
