"""Files of sound, and manifests of speech, as tests need them."""

import io
import json
import pathlib
import wave

import numpy as np


def wav(samples, rate=16000, width=None):
    """The bytes of a WAV file of int16, int32 or uint8 samples: (samples) or (samples, channels)."""
    file = io.BytesIO()
    with wave.open(file, "wb") as out:
        out.setnchannels(1 if samples.ndim == 1 else samples.shape[1])
        out.setsampwidth(samples.dtype.itemsize if width is None else width)
        out.setframerate(rate)
        out.writeframes(samples.tobytes())
    return file.getvalue()


def sweep(count, rate=16000, low=100.0, high=3000.0, volume=0.6):
    """A sine whose frequency rises from `low` to `high` Hz: float32."""
    seconds = np.arange(count) / rate
    turns = low * seconds + (high - low) * seconds**2 / (2 * count / rate)
    return np.float32(volume * np.sin(2 * np.pi * turns))


def write_manifest(path, entries):
    """A manifest of one JSON object in each line."""
    pathlib.Path(path).write_text("".join(json.dumps(entry) + "\n" for entry in entries), encoding="utf-8")
