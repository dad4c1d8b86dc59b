"""readers.nemo_asr beside DALI's: manifests, segments, filters, orders, and lines that lie."""

import json

import numpy as np
import pytest
import sounds

import penstock
from penstock import Pipeline, fn, types

dali = pytest.importorskip("nvidia.dali", reason="nvidia-dali is not installed")
RAMP = np.int16(np.arange(16000) % 30000)


@pytest.fixture
def speech(tmp_path):
    """Makes a manifest of entries that name files by letter: a and c of one channel, b of two."""
    files = {"a": (RAMP, 16000), "b": (RAMP.reshape(-1, 2), 8000), "c": (np.tile(RAMP, 3), 16000)}
    for name, (samples, rate) in files.items():
        (tmp_path / f"{name}.wav").write_bytes(sounds.wav(samples, rate))

    def make(*entries, name="manifest.json"):
        full = [
            {**entry, "audio_filepath": str(tmp_path / f"{entry['audio_filepath']}.wav")}
            if "audio_filepath" in entry
            else entry
            for entry in entries
        ]
        sounds.write_manifest(tmp_path / name, full)
        return str(tmp_path / name)

    return make


def epoch_of(module, manifests, **arguments):
    """[outputs of a sample] of an epoch, each an array."""
    dtype = arguments.pop("dtype", None)
    if dtype:
        arguments["dtype"] = getattr(module.types, dtype)
    pipe = module.Pipeline(batch_size=1, num_threads=1, device_id=None)
    with pipe:
        made = module.fn.readers.nemo_asr(manifest_filepaths=manifests, name="Reader", **arguments)
        pipe.set_outputs(*(made if isinstance(made, (list, tuple)) else (made,)))
    pipe.build()
    return [[np.array(output.at(0)) for output in pipe.run()] for _ in range(pipe.epoch_size("Reader"))]


def same(manifests, tolerance=0.0, **arguments):
    mine, theirs = (epoch_of(module, manifests, **arguments) for module in (penstock, dali))
    assert len(mine) == len(theirs)
    for a, b in zip(mine, theirs, strict=True):
        assert [(x.dtype, x.shape) for x in a] == [(x.dtype, x.shape) for x in b]
        for x, y in zip(a, b, strict=True):
            np.testing.assert_allclose(x.astype(np.float64), y, rtol=0, atol=tolerance)
    return mine


ENTRIES = (
    {"audio_filepath": "a", "duration": 1.0, "text": 'héllo "x"'},
    {"audio_filepath": "b", "duration": 1.5},
    {"audio_filepath": "c", "text": ""},
    {"audio_filepath": "c", "duration": 2.1, "text": "third", "more": {"deep": [1, "}"]}},
)


@pytest.mark.parametrize(
    "arguments",
    [
        {},
        {"read_idxs": True},
        {"read_text": False},
        {"read_text": False, "read_sample_rate": False},
        {"downmix": False},
        {"dtype": "INT16"},
        {"dtype": "INT32", "downmix": False, "read_idxs": True},
        {"min_duration": 1.2, "read_idxs": True},
        {"max_duration": 2.0, "read_idxs": True},
        {"min_duration": 1.2, "max_duration": 2.2, "read_idxs": True},
    ],
    ids=str,
)
def test_samples_equal_dalis(speech, arguments):
    same([speech(*ENTRIES)], **arguments)


def test_bounds_of_durations_are_taken(speech):
    manifest = [speech(*ENTRIES)]
    assert len(epoch_of(penstock, manifest, min_duration=2.1, max_duration=2.1)) == 1


def test_several_manifests_follow_each_other_as_in_dali(speech):
    two = [speech(*ENTRIES[:2], name="one.json"), speech(*ENTRIES[2:], name="two.json")]
    assert len(same(two, read_idxs=True)) == 4


def test_resampled_speech_equals_dalis_and_tells_the_files_rate(speech):
    [audio, rate, _], *_ = same([speech({"audio_filepath": "b"})], sample_rate=16000.0, tolerance=2e-4)
    assert (len(audio), rate) == (16000, 8000)


@pytest.mark.parametrize(
    "segment",
    [
        {"offset": 0.5},
        {"offset": 2.5, "duration": 1.0},
        {"offset": 1.00001, "duration": 0.50001},
        {"duration": 0.5},
        {"duration": 0.0},
        {"offset": 0.0, "duration": -1.0},
    ],
    ids=str,
)
def test_segments_equal_dalis(speech, segment):
    same([speech({"audio_filepath": "c", **segment}, {"audio_filepath": "c"})])


def test_segments_begin_where_the_entry_says(speech):
    [audio, *_] = epoch_of(penstock, [speech({"audio_filepath": "a", "offset": 0.25, "duration": 0.5})])[0]
    np.testing.assert_array_equal(np.round(audio * 32768), RAMP[4000:12000])


def test_relative_paths_start_from_file_root(tmp_path, speech):
    speech()
    sounds.write_manifest(tmp_path / "relative.json", [{"audio_filepath": "a.wav"}])
    [sample] = epoch_of(penstock, [str(tmp_path / "relative.json")], file_root=str(tmp_path))
    assert len(sample[0]) == 16000


def texts(pipe, batches):
    return [
        bytes(np.array(output.at(i))).decode()
        for _ in range(batches)
        for output in [pipe.run()[1]]
        for i in range(len(output))
    ]


def reading(manifest, batch_size=4, **arguments):
    pipe = Pipeline(batch_size=batch_size, num_threads=2, device_id=None, prefetch_queue_depth=2)
    with pipe:
        pipe.set_outputs(*fn.readers.nemo_asr(manifest_filepaths=[manifest], read_sample_rate=False, **arguments))
    pipe.build()
    return pipe


def test_shards_of_a_shuffled_epoch_share_nothing(speech):
    manifest = speech(*({"audio_filepath": "a", "duration": 0.01, "text": str(i)} for i in range(20)))
    parts = [texts(reading(manifest, 5, random_shuffle=True, num_shards=2, shard_id=i), 2) for i in (0, 1)]
    assert sorted(parts[0] + parts[1], key=int) == [str(i) for i in range(20)]
    assert parts[0] + parts[1] != [str(i) for i in range(20)]


def test_samples_that_cannot_be_read_are_named_with_file_and_line(speech, tmp_path):
    (tmp_path / "noise.wav").write_bytes(b"this is no sound at all" * 10)
    (tmp_path / "short.wav").write_bytes(sounds.wav(RAMP)[:5000])
    for name, words in (("noise", "not a sound file"), ("short", "was cut off"), ("gone", "no such file: it")):
        manifest = speech({"audio_filepath": "a"}, {"audio_filepath": name})
        with pytest.raises(RuntimeError) as error:
            reading(manifest, 2).run()
        for part in (words, f'line 2 of "{manifest}"', str(tmp_path / f"{name}.wav"), "readers.nemo_asr", "sample 1"):
            assert part in str(error.value)


def test_a_relative_path_that_leads_nowhere_is_told_where_it_starts(tmp_path):
    manifest = tmp_path / "relative.json"
    sounds.write_manifest(manifest, [{"audio_filepath": "nowhere.wav"}])
    with pytest.raises(RuntimeError, match="a relative path starts at the working directory, /") as error:
        reading(str(manifest), 1).run()
    assert "nowhere.wav" in str(error.value)


def test_bad_samples_can_be_left_out(speech, tmp_path):
    (tmp_path / "noise.wav").write_bytes(b"this is no sound at all" * 10)
    manifest = speech(*({"audio_filepath": "noise" if i == 1 else "a", "text": str(i)} for i in range(4)))
    pipe = Pipeline(batch_size=4, num_threads=1, device_id=None, on_error="skip")
    with pipe:
        pipe.set_outputs(*fn.readers.nemo_asr(manifest_filepaths=[manifest], read_sample_rate=False))
    assert texts(pipe, 1) == ["0", "2", "3"]
    assert {failure.source for failure in pipe.failures()} == {str(tmp_path / "noise.wav")}


@pytest.mark.parametrize(
    ("line", "match"),
    [
        ("hello", r"line 2: a JSON object was expected.*manifest.json"),
        ("[]", "line 2: a JSON object was expected"),
        ('{"audio_filepath": "/tmp', "line 2: the JSON object has no end"),
        ('{"duration": 1.0}', "line 2: the key `audio_filepath` is missing"),
        ('{"audio_filepath": "a", "duration": "long"}', "line 2: `duration` must be a number"),
        ('{"audio_filepath": "a", "duration": NaN}', "line 2: "),
        ('{"audio_filepath": "a", "offset": -1}', "line 2: `offset` is -1"),
    ],
)
def test_lines_that_lie_are_named(speech, tmp_path, line, match):
    manifest = tmp_path / "manifest.json"
    manifest.write_text(json.dumps({"audio_filepath": "a.wav"}) + "\n" + line + "\n")
    with pytest.raises(RuntimeError, match=match):
        reading(str(manifest))


def test_an_offset_behind_the_end_is_named(speech):
    manifest = speech({"audio_filepath": "a", "offset": 5.0, "duration": 1.0})
    with pytest.raises(RuntimeError, match=r"`offset` is 5 s, but the file has 1.000 s of sound \(line 1 of"):
        reading(manifest, 1).run()


def test_what_holds_nothing_is_refused(speech, tmp_path):
    with pytest.raises(RuntimeError, match="`manifest_filepaths` can not be empty"):
        epoch_of(penstock, [])
    with pytest.raises(RuntimeError, match=r"Cannot open.*nothing.json"):
        reading(str(tmp_path / "nothing.json"))
    with pytest.raises(RuntimeError, match="No files found"):
        reading(speech({"audio_filepath": "a", "duration": 1.0}), min_duration=2.0)
    with pytest.raises(RuntimeError, match="unsupported output type: uint8"):
        reading(speech({"audio_filepath": "a"}), dtype=types.UINT8)
