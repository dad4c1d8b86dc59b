"""Operators as people call them on pictures and sound: the same lines for Penstock and for DALI.

A job takes `lib` (either library, with `fn` and `types`) and what its inputs are called, see `INPUTS`. Where OpenCV
makes the same result, `OPENCV` has its call: `cv`, and one picture.
"""

import inspect

_TURN = [0.9, -0.1, 30.0, 0.1, 0.9, -20.0]
_TILT = [*_TURN, 1e-4, -5e-5, 1.0]
_EMBOSS = [[-2.0, -1.0, 0.0], [-1.0, 1.0, 1.0], [0.0, 1.0, 2.0]]
_MEAN = [0.485 * 255, 0.456 * 255, 0.406 * 255]
_STD = [0.229 * 255, 0.224 * 255, 0.225 * 255]

JOBS = {
    "brightness": lambda lib, picture: lib.fn.brightness(picture, brightness=1.2),
    "brightness_contrast": lambda lib, picture: lib.fn.brightness_contrast(picture, brightness=1.2, contrast=0.8),
    "cast": lambda lib, picture: lib.fn.cast(picture, dtype=lib.types.FLOAT),
    "cat": lambda lib, picture: lib.fn.cat(picture, picture, axis=2),
    "clahe": lambda lib, picture: lib.fn.clahe(picture, tiles_x=8, tiles_y=8, clip_limit=2.0),
    "color_space_conversion": lambda lib, picture: lib.fn.color_space_conversion(
        picture, image_type=lib.types.RGB, output_type=lib.types.YCbCr
    ),
    "color_twist": lambda lib, picture: lib.fn.color_twist(picture, hue=20.0, saturation=1.2, brightness=1.1),
    "contrast": lambda lib, picture: lib.fn.contrast(picture, contrast=1.2),
    "crop": lambda lib, picture: lib.fn.crop(picture, crop=(400, 400)),
    "crop_mirror_normalize": lambda lib, picture: lib.fn.crop_mirror_normalize(
        picture, crop=(400, 400), mean=_MEAN, std=_STD, mirror=1, dtype=lib.types.FLOAT
    ),
    "decoders.image": lambda lib, jpeg: lib.fn.decoders.image(jpeg, device=lib.decoder),
    "decoders.image_random_crop": lambda lib, jpeg: lib.fn.decoders.image_random_crop(jpeg, device=lib.decoder),
    "debayer": lambda lib, bayer: lib.fn.experimental.debayer(
        bayer, blue_position=[0, 0], algorithm="default_npp" if lib.device == "gpu" else "bilinear_ocv"
    ),
    "dilate": lambda lib, picture: lib.fn.experimental.dilate(picture, mask_size=(3, 3)),
    "equalize": lambda lib, picture: lib.fn.experimental.equalize(picture),
    "erase": lambda lib, picture: lib.fn.erase(picture, anchor=[100, 100], shape=[200, 200]),
    "filter": lambda lib, picture: lib.fn.experimental.filter(
        picture, lib.types.Constant(_emboss(), device=lib.device)
    ),
    "flip": lambda lib, picture: lib.fn.flip(picture, horizontal=1),
    "gaussian_blur": lambda lib, picture: lib.fn.gaussian_blur(picture, window_size=7),
    "gaussian_blur, sigma 5": lambda lib, picture: lib.fn.gaussian_blur(picture, sigma=5.0),
    "grid_mask": lambda lib, picture: lib.fn.grid_mask(picture, tile=100, ratio=0.5, angle=0.3),
    "hsv": lambda lib, picture: lib.fn.hsv(picture, hue=20.0, saturation=1.2, value=0.9),
    "hue": lambda lib, picture: lib.fn.hue(picture, hue=20.0),
    "jitter": lambda lib, picture: lib.fn.jitter(picture, nDegree=5),
    "jpeg_compression_distortion": lambda lib, picture: lib.fn.jpeg_compression_distortion(picture, quality=50),
    "laplacian": lambda lib, picture: lib.fn.laplacian(picture),
    "lookup_table": lambda lib, picture: lib.fn.lookup_table(
        picture, keys=list(range(256)), values=[255.0 - value for value in range(256)], dtype=lib.types.UINT8
    ),
    "median_blur": lambda lib, picture: lib.fn.experimental.median_blur(picture, window_size=5),
    "multi_paste": lambda lib, picture: lib.fn.multi_paste(*[picture] * 4, **_mosaic()),
    "noise.gaussian": lambda lib, picture: lib.fn.noise.gaussian(picture, stddev=20.0),
    "noise.salt_and_pepper": lambda lib, picture: lib.fn.noise.salt_and_pepper(picture, prob=0.1),
    "noise.shot": lambda lib, picture: lib.fn.noise.shot(picture, factor=10.0),
    "normalize": lambda lib, picture: lib.fn.normalize(picture, axes=[0, 1]),
    "one_hot": lambda lib, label: lib.fn.one_hot(label, num_classes=1000),
    "pad": lambda lib, picture: lib.fn.pad(picture, axes=[0, 1], shape=[1200, 2000]),
    "paste": lambda lib, picture: lib.fn.paste(picture, ratio=1.5, fill_value=[69, 111, 20]),
    "random_resized_crop": lambda lib, picture: lib.fn.random_resized_crop(picture, size=[224, 224]),
    "reductions.max": lambda lib, picture: lib.fn.reductions.max(picture, axes=[0, 1]),
    "reductions.mean": lambda lib, picture: lib.fn.reductions.mean(picture, axes=[0, 1]),
    "reductions.mean_square": lambda lib, picture: lib.fn.reductions.mean_square(picture, axes=[0, 1]),
    "reductions.min": lambda lib, picture: lib.fn.reductions.min(picture, axes=[0, 1]),
    "reductions.rms": lambda lib, picture: lib.fn.reductions.rms(picture, axes=[0, 1]),
    "reductions.std_dev": lambda lib, picture: lib.fn.reductions.std_dev(
        picture, lib.fn.reductions.mean(picture, axes=[0, 1]), axes=[0, 1]
    ),
    "reductions.sum": lambda lib, picture: lib.fn.reductions.sum(picture, axes=[0, 1]),
    "reductions.variance": lambda lib, picture: lib.fn.reductions.variance(
        picture, lib.fn.reductions.mean(picture, axes=[0, 1]), axes=[0, 1]
    ),
    "remap": lambda lib, picture, map_x, map_y: lib.fn.experimental.remap(picture, map_x, map_y),
    "resize": lambda lib, picture: lib.fn.resize(picture, size=[300, 500]),
    "resize, cubic": lambda lib, picture: lib.fn.resize(
        picture, size=[300, 500], interp_type=lib.types.INTERP_CUBIC, antialias=False
    ),
    "resize_crop_mirror": lambda lib, picture: lib.fn.resize_crop_mirror(
        picture, size=[300, 500], crop=(224, 224), mirror=1
    ),
    "rotate": lambda lib, picture: lib.fn.rotate(picture, angle=10.0),
    "rotate, filled": lambda lib, picture: lib.fn.rotate(picture, angle=30.0, fill_value=0, keep_size=True),
    "saturation": lambda lib, picture: lib.fn.saturation(picture, saturation=1.2),
    "slice": lambda lib, picture: lib.fn.slice(picture, rel_start=[0.1, 0.1], rel_shape=[0.8, 0.8], axes=[0, 1]),
    "sphere": lambda lib, picture: lib.fn.sphere(picture, interp_type=lib.types.INTERP_LINEAR),
    "stack": lambda lib, picture: lib.fn.stack(picture, picture),
    "transpose": lambda lib, picture: lib.fn.transpose(picture, perm=[2, 0, 1]),
    "warp_affine": lambda lib, picture: lib.fn.warp_affine(picture, matrix=_TURN, fill_value=0),
    "warp_perspective": lambda lib, picture: lib.fn.experimental.warp_perspective(picture, matrix=_TILT),
    "water": lambda lib, picture: lib.fn.water(picture, interp_type=lib.types.INTERP_LINEAR),
    # Sound has as many samples as a picture pixels: 19 s and 130 s of speech.
    "audio_resample": lambda lib, signal: lib.fn.audio_resample(signal, in_rate=44100.0, out_rate=16000.0),
    "audio_resample, any ratio": lambda lib, signal: lib.fn.audio_resample(signal, scale=1.0837),
    "decoders.audio": lambda lib, wav: _first(lib.fn.decoders.audio(wav, downmix=True, sample_rate=16000.0)),
    "mfcc": lambda lib, signal: lib.fn.mfcc(_mels(lib, signal)),
    "nonsilent_region": lambda lib, signal: _first(lib.fn.nonsilent_region(signal)),
    "preemphasis_filter": lambda lib, signal: lib.fn.preemphasis_filter(signal),
    "spectrogram": lambda lib, signal: _spectra(lib, signal),
    "spectrogram, windows in rows": lambda lib, signal: _spectra(lib, signal, layout="tf"),
    "math": lambda lib, picture: lib.fn.cast(picture * 0.5 + 3, dtype=lib.types.UINT8),
    # Chains, a family each.
    "chain: decode, rotate, blur, normalise": lambda lib, jpeg: lib.fn.crop_mirror_normalize(
        lib.fn.gaussian_blur(lib.fn.rotate(_decoded(lib, jpeg), angle=10.0, keep_size=True), window_size=5),
        mean=_MEAN, std=_STD, dtype=lib.types.FLOAT,
    ),
    "chain: decode, resize, colours, normalise": lambda lib, jpeg: lib.fn.crop_mirror_normalize(
        lib.fn.color_twist(lib.fn.resize(_decoded(lib, jpeg), size=[256, 256]), hue=20.0, brightness=1.1),
        crop=(224, 224), mean=_MEAN, std=_STD, dtype=lib.types.FLOAT,
    ),
    "chain: decode, warp, noise, erase": lambda lib, jpeg: lib.fn.erase(
        lib.fn.noise.gaussian(lib.fn.warp_affine(_decoded(lib, jpeg), matrix=_TURN, fill_value=0), stddev=5.0),
        anchor=[50, 50], shape=[100, 100],
    ),
    "chain: decode speech, mel spectrogram": lambda lib, wav: lib.fn.to_decibels(
        _mels(lib, lib.fn.preemphasis_filter(_first(lib.fn.decoders.audio(wav, downmix=True)))), cutoff_db=-80.0
    ),
    "chain: decode, mean, standardise": lambda lib, jpeg: _standardised(lib, _decoded(lib, jpeg)),
}  # fmt: skip

GPU_ONLY = {"dilate", "jitter", "median_blur", "remap"}
"""Jobs that DALI has no CPU form of."""

OPENCV = {
    "gaussian_blur": lambda cv, picture: cv.GaussianBlur(picture, (7, 7), 0),
    "dilate": lambda cv, picture: cv.dilate(picture, _ones()),
    "filter": lambda cv, picture: cv.filter2D(picture, -1, _emboss()),
    "gaussian_blur, sigma 5": lambda cv, picture: cv.GaussianBlur(picture, (31, 31), 5.0),
    "median_blur": lambda cv, picture: cv.medianBlur(picture, 5),
    "resize, cubic": lambda cv, picture: cv.resize(picture, (500, 300), interpolation=cv.INTER_CUBIC),
    "flip": lambda cv, picture: cv.flip(picture, 1),
    "lookup_table": lambda cv, picture: cv.LUT(picture, _REVERSED),
    "warp_affine": lambda cv, picture: cv.warpAffine(
        picture, _matrix(), picture.shape[1::-1], flags=cv.INTER_LINEAR | cv.WARP_INVERSE_MAP
    ),
}


def inputs_of(name):
    """What a job's inputs hold, in order."""
    return list(inspect.signature(JOBS[name]).parameters)[1:]


def _first(outputs):
    return outputs[0]


def _spectra(lib, signal, layout="ft"):
    return lib.fn.spectrogram(signal, nfft=512, window_length=320, window_step=160, layout=layout)


def _mels(lib, signal):
    return lib.fn.mel_filter_bank(_spectra(lib, signal), sample_rate=16000.0, nfilter=80)


def _decoded(lib, jpeg):
    return lib.fn.decoders.image(jpeg, device=lib.decoder)


def _standardised(lib, picture):
    mean = lib.fn.reductions.mean(picture, axes=[0, 1], keep_dims=True)
    return (picture - mean) / (lib.fn.reductions.std_dev(picture, mean, axes=[0, 1], keep_dims=True) + 1.0)


def _mosaic():
    """The middle half of four pictures, one in each quarter of the canvas."""
    import numpy as np

    quarters = np.float32([[0, 0], [0, 0.5], [0.5, 0], [0.5, 0.5]])
    middle, half = np.full_like(quarters, 0.25), np.full_like(quarters, 0.5)
    return {"in_anchors_rel": middle, "shapes_rel": half, "out_anchors_rel": quarters}


def _matrix():
    """The same map where a pixel's centre has whole coordinates, as OpenCV has it."""
    import numpy as np

    matrix = np.float32(_TURN).reshape(2, 3)
    matrix[:, 2] += 0.5 * (matrix[:, 0] + matrix[:, 1]) - 0.5
    return matrix


def _ones():
    import numpy as np

    return np.ones((3, 3), np.uint8)


def _emboss():
    import numpy as np

    return np.float32(_EMBOSS)


def _reversed():
    import numpy as np

    return np.arange(255, -1, -1, dtype=np.uint8)


_REVERSED = _reversed()
