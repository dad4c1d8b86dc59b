# Written by tools/gen_api.py from the operators' schemas: change those, then `make generated`.
from collections.abc import Mapping as _Mapping
from collections.abc import Sequence as _Sequence
from typing import Any as _Any
from typing import Literal as _Literal

from numpy.typing import ArrayLike as _ArrayLike

from penstock import types as _types
from penstock._sets import takes_sets as _takes_sets
from penstock.data_node import DataNode as _DataNode

_Ints = _Sequence[int] | int
_Floats = _Sequence[float] | float
_Strings = _Sequence[str] | str
_Tensor = _DataNode | _ArrayLike

@_takes_sets
def audio_resample(
    sound: _Tensor, /, *, dtype: _types.DALIDataType | None = None, in_rate: float | _Tensor | None = None,
    out_length: int | _Tensor | None = None, out_rate: float | _Tensor | None = None, quality: float = 50.0,
    scale: float | _Tensor | None = None, device: _Literal['cpu', 'gpu', 'mixed'] | None = None,
    name: str | None = None, preserve: bool = False,
) -> _DataNode:
    """Sound at another rate, by a sinc with a window of Hann. Give `scale`, `out_length`, or both rates. As in DALI, sounds above half of a lower rate are not filtered out."""

@_takes_sets
def mel_filter_bank(
    spectrogram: _Tensor, /, *, freq_high: float = 0.0, freq_low: float = 0.0, mel_formula: str = 'slaney',
    nfilter: int = 128, normalize: bool = True, sample_rate: float = 44100.0,
    device: _Literal['cpu', 'gpu', 'mixed'] | None = None, name: str | None = None, preserve: bool = False,
) -> _DataNode:
    """Sums the frequencies of spectra under triangular filters that follow evenly on the mel scale. The axis 'f' of the layout is that of frequencies; without a layout the last but one, or the only one."""

@_takes_sets
def mfcc(
    mel: _Tensor, /, *, axis: int = 0, dct_type: int = 2, lifter: float = 0.0, n_mfcc: int = 20,
    normalize: bool = False, device: _Literal['cpu', 'gpu', 'mixed'] | None = None, name: str | None = None,
    preserve: bool = False,
) -> _DataNode:
    """Mel-frequency cepstral coefficients: a cosine transform of a mel spectrogram in decibels along its mels."""

def nonsilent_region(
    signal: _Tensor, /, *, cutoff_db: float | _Tensor = -60.0, reference_power: float | _Tensor | None = None,
    reset_interval: int | None = None, window_length: int | _Tensor = 2048,
    device: _Literal['cpu', 'gpu', 'mixed'] | None = None, name: str | None = None, preserve: bool = False,
) -> list[_DataNode]:
    """Where a signal begins and ends to be louder than silence: from the first window whose mean power is not below the cutoff to the end of the last one. Zeros alone count as loud, since no power is below theirs."""

@_takes_sets
def power_spectrum(
    signal: _Tensor, /, *, axis: int = -1, nfft: int | None = None, power: int = 2,
    device: _Literal['cpu', 'gpu', 'mixed'] | None = None, name: str | None = None, preserve: bool = False,
) -> _DataNode:
    """The power, or magnitude, of each frequency of signals along an axis."""

@_takes_sets
def preemphasis_filter(
    signal: _Tensor, /, *, border: str = 'clamp', dtype: _types.DALIDataType = _types.DALIDataType.FLOAT,
    preemph_coeff: float | _Tensor = 0.97, device: _Literal['cpu', 'gpu', 'mixed'] | None = None,
    name: str | None = None, preserve: bool = False,
) -> _DataNode:
    """Weakens low frequencies: y[t] = x[t] - preemph_coeff * x[t - 1]. A tensor of several axes is one signal, in the order of memory."""

@_takes_sets
def spectrogram(
    signal: _Tensor, /, *, center_windows: bool = True, layout: str = 'ft', nfft: int | None = None, power: int = 2,
    reflect_padding: bool = True, window_fn: _Floats = [], window_length: int = 512, window_step: int = 256,
    device: _Literal['cpu', 'gpu', 'mixed'] | None = None, name: str | None = None, preserve: bool = False,
) -> _DataNode:
    """The frequencies of a signal window by window (short-time Fourier transform). With `center_windows` there are samples // window_step + 1 windows, otherwise (samples - window_length) // window_step + 1."""

@_takes_sets
def to_decibels(
    magnitude: _Tensor, /, *, cutoff_db: float = -200.0, multiplier: float = 10.0, reference: float | None = None,
    device: _Literal['cpu', 'gpu', 'mixed'] | None = None, name: str | None = None, preserve: bool = False,
) -> _DataNode:
    """Magnitudes in decibels: multiplier * log10(max(x / reference, 10 ^ (cutoff_db / multiplier))). NaN and negative numbers give `cutoff_db`."""
