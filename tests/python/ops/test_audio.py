"""Decoding, resampling, filtering and cutting of sound beside DALI's, and what is refused."""

import itertools

import numpy as np
import oracle
import pytest
import sounds

from penstock import Pipeline, fn, types

SWEEP = sounds.sweep(4410, rate=44100)
INT16 = np.int16(SWEEP * 32767)
MONO = np.frombuffer(sounds.wav(INT16), np.uint8)
STEREO = np.frombuffer(sounds.wav(INT16.reshape(-1, 2)), np.uint8)


def graph_of(make, array, layout=None):
    def graph(fn, types, math):
        made = make(fn, types, fn.external_source(source=itertools.repeat([array]), layout=layout))
        return tuple(made) if isinstance(made, (list, tuple)) else made

    return graph


def ours(make, array):
    [outputs] = oracle.run_ours(graph_of(make, array), batch_size=1)
    return [output[0] for output in outputs]


def same(make, array, tolerance=2e-4, layout=None):
    """As DALI's, within a part of the largest number."""
    graph = graph_of(make, array, layout)
    [mine], [theirs] = oracle.run_ours(graph, 1), oracle.run_dali(graph, 1)
    assert len(mine) == len(theirs)
    for [a], [b] in zip(mine, theirs, strict=True):
        assert (a.dtype, a.shape) == (b.dtype, b.shape)
        atol = tolerance * np.abs(b.astype(np.float64)).max(initial=1e-30)
        np.testing.assert_allclose(a.astype(np.float64), b, rtol=0, atol=atol)


DECODINGS = [
    {},
    {"downmix": True},
    {"dtype": "INT16"},
    {"dtype": "INT32"},
    {"sample_rate": 8000.0},
    {"sample_rate": 8000.0, "dtype": "INT16"},
    {"sample_rate": 44100.0, "dtype": "INT32", "quality": 80.0},
    {"sample_rate": 22050.0, "downmix": True, "quality": 10.0},
    {"sample_rate": 16000.0},
    {"downmix": True, "dtype": "INT16"},
]


@pytest.mark.parametrize("file", [MONO, STEREO], ids=["mono", "stereo"])
@pytest.mark.parametrize("options", DECODINGS, ids=str)
def test_decoded_sound_equals_dalis(file, options):
    def make(fn, types, x):
        dtype = {"dtype": getattr(types, options["dtype"])} if "dtype" in options else {}
        return fn.decoders.audio(x, **options | dtype)

    same(make, file, tolerance=0 if "sample_rate" not in options else 1e-3)


@pytest.mark.parametrize("bits", [8, 24, 32])
def test_samples_of_other_widths_are_decoded(bits):
    if bits == 24:
        wide = np.int32(SWEEP * (2**23 - 1))
        data = wide[:, None].view(np.uint8).reshape(-1, 4)[:, :3].copy()
        file = sounds.wav(data.reshape(-1), width=3)
    else:
        file = sounds.wav(np.uint8(SWEEP * 127 + 128) if bits == 8 else np.int32(SWEEP * (2**31 - 1)))
    samples, rate = ours(lambda fn, types, x: fn.decoders.audio(x, downmix=True), np.frombuffer(file, np.uint8))
    assert rate == 16000
    np.testing.assert_allclose(samples, SWEEP, rtol=0, atol=2.0 ** (2 - bits) + 1e-6)


@pytest.mark.parametrize("kind", ["flac", "ogg", "mp3"])
def test_compressed_sound_is_decoded(kind, tmp_path):
    soundfile = pytest.importorskip("soundfile", reason="soundfile is not installed")
    path = tmp_path / f"sound.{kind}"
    long = sounds.sweep(32000)
    soundfile.write(path, long, 16000)
    file = np.fromfile(path, np.uint8)
    for dtype, most in ((types.FLOAT, 1), (types.INT16, 32767)):
        samples, rate = ours(lambda fn, _, x, dtype=dtype: fn.decoders.audio(x, downmix=True, dtype=dtype), file)
        assert rate == 16000
        assert len(samples) == len(long)
        middle = slice(4000, 20000)
        if kind == "flac":
            np.testing.assert_allclose(samples[middle] / most, long[middle], rtol=0, atol=1e-4)
        else:
            assert 0.3 < np.abs(samples[middle] / most).mean() < 0.45


@pytest.mark.parametrize("riff", [0, 8, 36, 0xFFFFFFFF])
@pytest.mark.parametrize("size", [0, 0x7FFFF000, 0xFFFFFFFF])
def test_a_wav_file_whose_sizes_were_never_filled_in_is_read_to_its_end(riff, size):
    file = MONO.copy()
    file[4:8], file[40:44] = (np.frombuffer(np.uint32(told).tobytes(), np.uint8) for told in (riff, size))
    if size or riff == 8:  # of a 0 with another size of the whole, DALI gives nothing
        same(lambda fn, types, x: fn.decoders.audio(x, dtype=types.INT16), file)
    samples, _ = ours(lambda fn, types, x: fn.decoders.audio(x, dtype=types.INT16), file)
    np.testing.assert_array_equal(samples[:, 0], INT16)


@pytest.fixture
def flac(tmp_path):
    soundfile = pytest.importorskip("soundfile", reason="soundfile is not installed")
    soundfile.write(tmp_path / "sound.flac", sounds.sweep(32000), 16000)
    return np.fromfile(tmp_path / "sound.flac", np.uint8)


def test_a_flac_file_that_was_cut_off_is_refused(flac):
    with pytest.raises(RuntimeError, match="the file ends early, or is damaged: of 32000 samples a channel"):
        ours(lambda fn, types, x: fn.decoders.audio(x), flac[: len(flac) // 2])


def test_a_header_that_tells_more_than_its_file_can_hold_is_refused(flac):
    flac[21] |= 0x0F  # the highest of the 36 bits that tell the number of samples
    flac[22:26] = 0xFF
    with pytest.raises(RuntimeError, match=f"tells {2**36 - 1} samples of 1 channels, more than {len(flac)} bytes"):
        ours(lambda fn, types, x: fn.decoders.audio(x), flac)


RESAMPLINGS = [
    {"in_rate": 44100.0, "out_rate": 16000.0},
    {"in_rate": 44100.0, "out_rate": 48000.0, "quality": 90.0},
    {"in_rate": 44100.0, "out_rate": 22050.0, "quality": 0.0},
    {"scale": 0.5},
    {"scale": 1.1},
    {"scale": 7.3},
    {"out_length": 1000},
    {"out_length": 0},
    {"scale": 0.0},
]


@pytest.mark.parametrize("options", RESAMPLINGS, ids=str)
def test_resampled_sound_equals_dalis(options):
    """DALI interpolates the filter's weights, which makes up to a thousandth of full scale."""
    same(lambda fn, types, x: fn.audio_resample(x, **options), SWEEP, tolerance=1.5e-3)


def test_a_scale_of_nearly_nothing_gives_the_first_sample():
    assert ours(lambda fn, types, x: fn.audio_resample(x, scale=1e-9), SWEEP[5:]) == [SWEEP[5:6]]


@pytest.mark.parametrize(("rate", "quality", "lobes"), [(16000, 50, 16), (48000, 0, 3), (12345.5, 100, 64)])
def test_resampled_sound_equals_the_formula(rate, quality, lobes):
    noise = np.random.default_rng(4).standard_normal(500).astype(np.float32)
    [made] = ours(
        lambda fn, types, x: fn.audio_resample(x, in_rate=44100.0, out_rate=float(rate), quality=float(quality)), noise
    )
    apart = np.arange(500) - np.arange(np.ceil(500 * rate / 44100))[:, None] * 44100 / rate
    window = np.where(np.abs(apart) <= lobes, 0.5 + 0.5 * np.cos(np.pi * apart / lobes), 0)
    np.testing.assert_allclose(made, (np.sinc(apart) * window * noise).sum(1), rtol=0, atol=1e-5)


@pytest.mark.parametrize("channels", [1, 2, 63])
def test_channels_are_resampled_each(channels):
    same(lambda fn, types, x: fn.audio_resample(x, scale=0.6), SWEEP[: 63 * 70].reshape(-1, channels), 1e-3, "tc")


@pytest.mark.parametrize("given", ["float32", "int16", "uint8", "int8", "uint16", "int32", "uint32"])
@pytest.mark.parametrize("wanted", [None, "FLOAT", "INT16", "UINT8", "INT8", "UINT16", "INT32", "UINT32"])
def test_types_are_converted_as_in_dali(given, wanted):
    most = np.iinfo(given).max if given != "float32" else 1
    middle = most / 2 if given.startswith("u") else 0
    array = (SWEEP.astype(np.float64) * (most - middle) + middle).astype(given)
    options = {} if wanted is None else {"dtype": wanted}

    def make(fn, types, x):
        return fn.audio_resample(x, scale=1.0, **{name: getattr(types, value) for name, value in options.items()})

    largest = {"INT8": 127, "UINT8": 255}.get(wanted or given.upper(), 1e4)
    same(make, array, tolerance=1.01 / largest)  # DALI's float has not the bits to round 32 of an integer alike


def test_rates_may_differ_from_sample_to_sample():
    pipe = Pipeline(batch_size=3, num_threads=1, device_id=None)
    with pipe:
        x = fn.external_source(source=itertools.repeat([SWEEP] * 3))
        rate = fn.external_source(source=itertools.repeat([np.float32(r) for r in (8000, 12000, 16000)]))
        pipe.set_outputs(fn.audio_resample(x, in_rate=16000.0, out_rate=rate))
    [made] = pipe.run()
    assert [made.at(i).shape[0] for i in range(3)] == [2205, 3308, 4410]


BURST = np.zeros(20000, np.float32)
BURST[5000:9000] = np.sin(np.arange(4000) * 0.1)


@pytest.mark.parametrize("dtype", ["float32", "int16", "uint8", "int64"])
@pytest.mark.parametrize(
    "options",
    [
        {},
        {"window_length": 1},
        {"window_length": 512, "cutoff_db": -20.0},
        {"window_length": 30000, "reset_interval": -1},
        {"reference_power": 1.0},
        {"reference_power": 1e6, "cutoff_db": -10.0},
        {"cutoff_db": 10.0},
    ],
    ids=str,
)
def test_regions_equal_dalis(dtype, options):
    array = BURST if dtype == "float32" else (BURST * 100).astype(dtype)
    same(lambda fn, types, x: fn.nonsilent_region(x, **options), array, tolerance=0)


def test_zeros_are_all_loud_as_in_dali():
    same(lambda fn, types, x: fn.nonsilent_region(x), np.zeros(3000, np.float32), tolerance=0)


def test_nothing_is_silent():
    assert ours(lambda fn, types, x: fn.nonsilent_region(x), BURST[:0]) == [0, 0]


def test_a_region_cuts_silence_off():
    def make(fn, types, x):
        begin, length = fn.nonsilent_region(x, window_length=1, cutoff_db=-40.0)
        return fn.slice(x, start=begin, shape=length, axes=[0])

    [cut] = ours(make, BURST)
    np.testing.assert_array_equal(cut, BURST[5001:9000])


@pytest.mark.parametrize("border", ["zero", "clamp", "reflect"])
@pytest.mark.parametrize("dtype", ["float32", "int16", "uint8", "float64"])
def test_emphasized_signals_equal_dalis(border, dtype):
    array = (SWEEP * 100 + 100).astype(dtype)
    same(lambda fn, types, x: fn.preemphasis_filter(x, border=border, preemph_coeff=0.9), array, 1e-6)
    count = 2 if border == "reflect" else 1  # DALI reads behind the end of a single sample
    same(lambda fn, types, x: fn.preemphasis_filter(x, border=border, dtype=types.INT16), array[:count], 1e-6)


def test_a_single_sample_is_its_own_mirror_image():
    [made] = ours(lambda fn, types, x: fn.preemphasis_filter(x, border="reflect", preemph_coeff=0.25), np.float32([8]))
    assert made == [6]


def test_emphasis_may_differ_from_sample_to_sample():
    pipe = Pipeline(batch_size=2, num_threads=1, device_id=None)
    with pipe:
        x = fn.external_source(source=itertools.repeat([np.float32([1, 2, 3])] * 2))
        factor = fn.external_source(source=itertools.repeat([np.float32(0), np.float32(1)]))
        pipe.set_outputs(fn.preemphasis_filter(x, preemph_coeff=factor, border="zero"))
    [made] = pipe.run()
    np.testing.assert_array_equal(np.array(made.at(0)), [1, 2, 3])
    np.testing.assert_array_equal(np.array(made.at(1)), [1, 1, 1])


BAD_CALLS = [
    (lambda fn, t, x: fn.decoders.audio(x), MONO[:3000], "the WAV file was cut off: its header tells 8820 bytes"),
    (lambda fn, t, x: fn.decoders.audio(x), MONO[:20], "not a sound file"),
    (lambda fn, t, x: fn.decoders.audio(x), np.arange(200, dtype=np.uint8), "not a sound file.*libsndfile"),
    (lambda fn, t, x: fn.decoders.audio(x), MONO[:0], "file is empty"),
    (lambda fn, t, x: fn.decoders.audio(x), MONO[:100].reshape(10, 10), "uint8 of one dimension"),
    (lambda fn, t, x: fn.decoders.audio(x, dtype=t.UINT8), MONO, "unsupported output type: uint8; use FLOAT"),
    (lambda fn, t, x: fn.decoders.audio(x, sample_rate=-8000.0), MONO, "`sample_rate` must be positive"),
    (lambda fn, t, x: fn.decoders.audio(x, sample_rate=8e3, quality=101.0), MONO, r"must lie in \[0, 100\], got 101"),
    (lambda fn, t, x: fn.audio_resample(x), SWEEP, "No resampling factor specified"),
    (lambda fn, t, x: fn.audio_resample(x, in_rate=1.0), SWEEP, "must be specified together"),
    (lambda fn, t, x: fn.audio_resample(x, scale=1.0, out_length=3), SWEEP, "cannot be used together"),
    (lambda fn, t, x: fn.audio_resample(x, scale=-1.0), SWEEP, "must be non-negative. Got `scale`: -1"),
    (lambda fn, t, x: fn.audio_resample(x, in_rate=-1.0, out_rate=2.0), SWEEP, "must be positive. Got `in_rate`: -1"),
    (lambda fn, t, x: fn.audio_resample(x, out_length=-4), SWEEP, "`out_length` must not be negative"),
    (lambda fn, t, x: fn.audio_resample(x, scale=1e20), SWEEP, "are too many"),
    (lambda fn, t, x: fn.audio_resample(x, out_length=5), SWEEP[:0], "non-empty signal from an empty input"),
    (lambda fn, t, x: fn.audio_resample(x, scale=0.5), SWEEP.reshape(-1, 2, 3), "samples x channels"),
    (lambda fn, t, x: fn.audio_resample(x, scale=0.5), np.int64([1]), "unsupported type: int64"),
    (lambda fn, t, x: fn.nonsilent_region(x), BURST.reshape(-1, 2), "a signal of one axis"),
    (lambda fn, t, x: fn.nonsilent_region(x, window_length=0), BURST, "`window_length` must be positive"),
    (lambda fn, t, x: fn.nonsilent_region(x, reference_power=0.0), BURST, "`reference_power` has to be positive"),
    (lambda fn, t, x: fn.nonsilent_region(x), np.float32([1, np.nan]), "the signal is nan at sample 1"),
    (lambda fn, t, x: fn.nonsilent_region(x), np.float32([np.inf]), "the signal is inf at sample 0"),
    (lambda fn, t, x: fn.preemphasis_filter(x, border="foo"), SWEEP, '`border` mode "foo" is not supported'),
    (lambda fn, t, x: fn.preemphasis_filter(x), np.array([True]), "unsupported input type: bool"),
]


@pytest.mark.parametrize(("make", "array", "match"), BAD_CALLS)
def test_what_cannot_be_is_refused(make, array, match):
    with pytest.raises(RuntimeError, match=match):
        ours(make, array)


def test_a_missing_library_is_named_when_the_pipeline_is_built(script, tmp_path):
    (tmp_path / "libsndfile.so.1").write_text("no library")
    code = """
from penstock import Pipeline, fn
pipe = Pipeline(1, 1, None)
with pipe:
    pipe.set_outputs(*fn.decoders.audio(fn.external_source(name="x")))
try:
    pipe.build()
except RuntimeError as error:
    print(error)
"""
    assert "apt-get install libsndfile1" in script(code=code, LD_LIBRARY_PATH=str(tmp_path))
