"""Spectra, mel filters, cepstra and decibels beside DALI's, and what is refused."""

import itertools

import numpy as np
import oracle
import pytest
import sounds

from penstock import fn

NOISE = np.random.default_rng(0).standard_normal(4000).astype(np.float32)
SPECTRA = np.abs(np.random.default_rng(1).standard_normal((257, 20))).astype(np.float32)


def graph_of(make, array, layout=None):
    def graph(fn, types, math):
        return make(fn, fn.external_source(source=itertools.repeat([array]), layout=layout))

    return graph


def ours(make, array, layout=None):
    [[[made]]] = oracle.run_ours(graph_of(make, array, layout), batch_size=1)
    return made


def same(make, array, layout=None, tolerance=2e-6):
    """As DALI's, within a part of the largest number."""
    graph = graph_of(make, array, layout)
    [[[mine]]], [[[theirs]]] = oracle.run_ours(graph, 1), oracle.run_dali(graph, 1)
    assert (mine.dtype, mine.shape) == (theirs.dtype, theirs.shape)
    largest = np.abs(theirs).max(initial=1e-30)
    np.testing.assert_allclose(mine, theirs, rtol=0, atol=tolerance * largest)


def refused(make, array, match, layout=None):
    with pytest.raises(RuntimeError, match=match):
        ours(make, array, layout)


OPTIONS = [
    {},
    {"nfft": 1024},
    {"nfft": 1000, "window_length": 400, "window_step": 160},
    {"nfft": 401, "window_length": 400},
    {"window_length": 401, "window_step": 160, "nfft": 512},
    {"nfft": 1019},
    {"nfft": 2038, "window_step": 999},
    {"nfft": 729, "window_length": 13, "window_step": 1000},
    {"window_length": 97, "window_step": 3},
    {"window_length": 7, "window_step": 4001},
    {"power": 1},
    {"layout": "tf"},
    {"layout": "tf", "power": 1, "window_step": 37},
    {"center_windows": False},
    {"reflect_padding": False},
    {"window_length": 100, "nfft": 128, "window_fn": np.hanning(100).tolist()},
]


@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_spectrograms_equal_dalis(options):
    same(lambda fn, x: fn.spectrogram(x, **options), NOISE)


@pytest.mark.parametrize("count", [1, 2, 3, 100, 255, 256, 511, 512, 513])
def test_spectrograms_of_short_signals_equal_dalis(count):
    same(lambda fn, x: fn.spectrogram(x), NOISE[:count])
    same(lambda fn, x: fn.spectrogram(x, reflect_padding=False, window_step=100), NOISE[:count])


@pytest.mark.parametrize("shape", [(-1, 1), (1, -1), (1, -1, 1)])
def test_a_channel_may_lie_along_any_axis(shape):
    plain, shaped = (ours(lambda fn, x: fn.spectrogram(x), x) for x in (NOISE, NOISE.reshape(shape)))
    np.testing.assert_array_equal(plain, shaped)


def test_a_spectrogram_equals_the_formula():
    window = np.sin(np.pi * (np.arange(400) + 0.5) / 400) ** 2
    padded = np.pad(NOISE.astype(np.float64), 200, mode="reflect")
    frames = np.stack([padded[i : i + 400] * window for i in range(0, 4001, 160)])
    wanted = np.abs(np.fft.rfft(frames, 512)).T ** 2
    made = ours(lambda fn, x: fn.spectrogram(x, nfft=512, window_length=400, window_step=160), NOISE)
    np.testing.assert_allclose(made, wanted, rtol=0, atol=wanted.max() * 1e-6)


def test_nan_stays_in_the_windows_that_hold_it():
    noise = NOISE.copy()
    noise[1000] = np.nan
    made = ours(lambda fn, x: fn.spectrogram(x, window_length=64, window_step=32, center_windows=False), noise)
    assert np.unique(np.nonzero(np.isnan(made))[1]).tolist() == [30, 31]


@pytest.mark.parametrize("shape", [(100,), (1,), (7, 64), (3, 10, 5)])
@pytest.mark.parametrize("options", [{}, {"axis": 0}, {"nfft": 32}, {"nfft": 513}, {"power": 1}, {"nfft": 0}], ids=str)
def test_power_spectra_equal_numpys(shape, options):
    x = np.random.default_rng(2).standard_normal(shape).astype(np.float32)
    points = options.get("nfft", 0) or None
    wanted = np.abs(np.fft.rfft(x, points, options.get("axis", -1))) ** options.get("power", 2)
    made = ours(lambda fn, x: fn.power_spectrum(x, **options), x)
    np.testing.assert_allclose(made, wanted, rtol=0, atol=wanted.max() * 2e-6)
    if shape != (1,):
        same(lambda fn, x: fn.power_spectrum(x, **options), x)


@pytest.mark.parametrize("layout", [None, "ft", "tf", "f", "cft"])
def test_mel_filters_find_the_axis_of_frequencies(layout):
    array = {"tf": SPECTRA.T.copy(), "f": SPECTRA[:, 0].copy(), "cft": np.stack([SPECTRA, 2 * SPECTRA])}
    same(lambda fn, x: fn.mel_filter_bank(x, sample_rate=16000.0, nfilter=40), array.get(layout, SPECTRA), layout)


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"freq_low": 100.0, "freq_high": 7000.0},
        {"mel_formula": "htk"},
        {"normalize": False, "nfilter": 20},
        {"normalize": False, "mel_formula": "htk", "nfilter": 20, "freq_low": 1200.0},
        {"freq_high": 12000.0},
        {"nfilter": 600},
    ],
    ids=str,
)
def test_mel_filters_equal_dalis(options):
    same(lambda fn, x: fn.mel_filter_bank(x, sample_rate=16000.0, **options), SPECTRA, tolerance=4e-5)


@pytest.mark.parametrize(
    "options",
    [
        *({"dct_type": kind} for kind in (1, 2, 3, 4)),
        *({"dct_type": kind, "normalize": True, "n_mfcc": 40} for kind in (2, 3, 4)),
        {"lifter": 22.0},
        {"lifter": -1.0},
        {"n_mfcc": 50, "lifter": 5.5},
        {"axis": 1},
    ],
    ids=str,
)
def test_cepstra_equal_dalis(options):
    same(lambda fn, x: fn.mfcc(x, **options), SPECTRA[:40])


def test_cepstra_of_the_last_axis_are_those_of_the_first_turned():
    mels = SPECTRA[:40]
    last = ours(lambda fn, x: fn.mfcc(x, axis=-1), mels.T.copy())
    np.testing.assert_allclose(last.T, ours(lambda fn, x: fn.mfcc(x), mels), rtol=0, atol=2e-4)


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"reference": 1.0, "multiplier": 20.0, "cutoff_db": -10.0},
        {"multiplier": -10.0},
        {"cutoff_db": 3.0},
        {"reference": -1.0},
    ],
    ids=str,
)
def test_decibels_equal_dalis(options):
    same(lambda fn, x: fn.to_decibels(x, **options), np.abs(NOISE))
    same(lambda fn, x: fn.to_decibels(x, **options), NOISE[:37])


def test_decibels_of_nothing_loud_are_cut_off():
    same(lambda fn, x: fn.to_decibels(x), np.zeros(5, np.float32))
    same(lambda fn, x: fn.to_decibels(x, cutoff_db=-80.0), np.float32([np.nan, 1, 0.5]))
    np.testing.assert_allclose(ours(lambda fn, x: fn.to_decibels(x), np.float32([-3, -1])), -200, rtol=1e-6)


def front_end(fn, x):
    """What speech models see."""
    x = fn.preemphasis_filter(x)
    x = fn.spectrogram(x, nfft=512, window_length=320, window_step=160)
    x = fn.mel_filter_bank(x, sample_rate=16000.0, nfilter=80)
    return fn.normalize(fn.to_decibels(x, multiplier=20.0, cutoff_db=-80.0), axes=[1])


def test_a_front_end_of_speech_models_equals_dalis():
    speech = sounds.sweep(16000) + np.float32(0.01) * np.random.default_rng(3).standard_normal(16000, np.float32)
    same(front_end, speech, tolerance=2e-4)


SHORT = NOISE[:100]
BAD_CALLS = [
    (lambda fn, x: fn.spectrogram(x, nfft=256), SHORT, r"Window length \(512\) can't be bigger than the FFT size"),
    (lambda fn, x: fn.spectrogram(x, nfft=-1), SHORT, "can't be bigger than the FFT size"),
    (lambda fn, x: fn.spectrogram(x, window_length=0), SHORT, "Invalid window length: 0"),
    (lambda fn, x: fn.spectrogram(x, window_step=-3), SHORT, "Invalid window step: -3"),
    (lambda fn, x: fn.spectrogram(x, power=3), SHORT, r"`power` can be only 1 .* received 3"),
    (lambda fn, x: fn.spectrogram(x, layout="xx"), SHORT, 'Unexpected layout: "xx"'),
    (lambda fn, x: fn.spectrogram(x, window_fn=[1.0] * 9), SHORT, "should match the specified `window_length`"),
    (lambda fn, x: fn.spectrogram(x, center_windows=False), SHORT, "Signal is too short: 100 samples.*sample 0"),
    (lambda fn, x: fn.spectrogram(x), SHORT[:0], "a signal needs from 1 to .* got 0"),
    (lambda fn, x: fn.spectrogram(x), SHORT.reshape(50, 2), r"must be one channel.*\(50, 2\)"),
    (lambda fn, x: fn.spectrogram(x), np.int16([1, 2]), "must be float, got int16; fn.cast"),
    (lambda fn, x: fn.power_spectrum(x), SHORT[:0], r"a transform of 0 points cannot be made.*\(0,\)"),
    (lambda fn, x: fn.power_spectrum(x, power=5), SHORT, "`power` should be either 2"),
    (lambda fn, x: fn.power_spectrum(x, axis=5), SHORT, "Axis 5 out of range"),
    (lambda fn, x: fn.power_spectrum(x, nfft=-3), SHORT, "`nfft` must lie in"),
    (lambda fn, x: fn.mel_filter_bank(x, nfilter=0), SPECTRA, "number of filters should be > 0"),
    (lambda fn, x: fn.mel_filter_bank(x, sample_rate=-1.0), SPECTRA, "sample rate should be > 0"),
    (lambda fn, x: fn.mel_filter_bank(x, freq_low=-1.0), SPECTRA, "freq_low should be >= 0"),
    (lambda fn, x: fn.mel_filter_bank(x, freq_low=9e3, freq_high=8e3), SPECTRA, "freq_high should be within"),
    (lambda fn, x: fn.mel_filter_bank(x, mel_formula="foo"), SPECTRA, 'Unsupported mel_formula value "foo"'),
    (lambda fn, x: fn.mel_filter_bank(x), SPECTRA.astype(np.float64), "must be float, got float64"),
    (lambda fn, x: fn.mfcc(x, dct_type=5), SPECTRA, "Unsupported DCT type: 5"),
    (lambda fn, x: fn.mfcc(x, dct_type=1, normalize=True), SPECTRA, "not supported for DCT type I"),
    (lambda fn, x: fn.mfcc(x, dct_type=1), SPECTRA[:1], "requires an input length > 1"),
    (lambda fn, x: fn.mfcc(x, n_mfcc=-2), SPECTRA, "number of MFCCs should be > 0"),
    (lambda fn, x: fn.mfcc(x, axis=2), SPECTRA, "Axis 2 out of range"),
    (lambda fn, x: fn.to_decibels(x, reference=0.0), SHORT, "`reference` argument can't be zero"),
    (lambda fn, x: fn.to_decibels(x, multiplier=0.0), SHORT, "`multiplier` must be finite and not zero"),
    (lambda fn, x: fn.to_decibels(x), np.int32([1]), "must be float, got int32"),
]


@pytest.mark.parametrize(("make", "array", "match"), BAD_CALLS)
def test_what_cannot_be_is_refused(make, array, match):
    refused(make, array, match)


def test_a_layout_without_frequencies_is_refused():
    refused(lambda fn, x: fn.mel_filter_bank(x), SPECTRA, "Axis 'f' is not present", layout="xy")


def test_the_documented_names_are_there():
    assert fn.experimental.audio_resample
    assert fn.audio_decoder
