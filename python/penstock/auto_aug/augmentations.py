"""The augmentations of AutoAugment, RandAugment and TrivialAugment, for uint8 pictures (HWC) and video (FHWC).

Each is an `Augmentation`: called with samples, a magnitude bin and the number of bins. Other settings by its method
`augmentation`: ``shear_x.augmentation(mag_range=(0, 0.5))``.
"""

import numpy as np

from .. import fn, types
from .core import augmentation


def warp_x_param(magnitude):
    """`magnitude` along x, and nothing along y."""
    return [magnitude, 0]


def warp_y_param(magnitude):
    """`magnitude` along y, and nothing along x."""
    return [0, magnitude]


def _warped(data, matrix, fill_value, interp_type):
    return fn.warp_affine(data, matrix=matrix, fill_value=fill_value, interp_type=interp_type, inverse_map=False)


def _sheared(data, shear, fill_value, interp_type):
    return _warped(data, fn.transforms.shear(shear=shear), fill_value, interp_type)


def _moved(data, offset, fill_value, interp_type):
    return _warped(data, fn.transforms.translation(offset=offset), fill_value, interp_type)


@augmentation(mag_range=(0, 0.3), randomly_negate=True, mag_to_param=warp_x_param)
def shear_x(data, shear, fill_value=128, interp_type=None):
    """Shifts rows by `shear` times their distance from the top."""
    return _sheared(data, shear, fill_value, interp_type)


@augmentation(mag_range=(0, 0.3), randomly_negate=True, mag_to_param=warp_y_param)
def shear_y(data, shear, fill_value=128, interp_type=None):
    """Shifts columns by `shear` times their distance from the left."""
    return _sheared(data, shear, fill_value, interp_type)


@augmentation(mag_range=(0.0, 1.0), randomly_negate=True, mag_to_param=warp_x_param)
def translate_x(data, rel_offset, shape, fill_value=128, interp_type=None):
    """Moves the picture sideways, by a fraction of its width: `shape` begins with height and width."""
    return _moved(data, rel_offset * shape[1], fill_value, interp_type)


@augmentation(mag_range=(0, 250), randomly_negate=True, mag_to_param=warp_x_param, name="translate_x")
def translate_x_no_shape(data, offset, fill_value=128, interp_type=None):
    """Moves the picture sideways, by pixels."""
    return _moved(data, offset, fill_value, interp_type)


@augmentation(mag_range=(0.0, 1.0), randomly_negate=True, mag_to_param=warp_y_param)
def translate_y(data, rel_offset, shape, fill_value=128, interp_type=None):
    """Moves the picture up or down, by a fraction of its height: `shape` begins with height and width."""
    return _moved(data, rel_offset * shape[0], fill_value, interp_type)


@augmentation(mag_range=(0, 250), randomly_negate=True, mag_to_param=warp_y_param, name="translate_y")
def translate_y_no_shape(data, offset, fill_value=128, interp_type=None):
    """Moves the picture up or down, by pixels."""
    return _moved(data, offset, fill_value, interp_type)


@augmentation(mag_range=(0, 30), randomly_negate=True)
def rotate(data, angle, fill_value=128, interp_type=None, rotate_keep_size=True):
    """Turns the picture, by degrees."""
    return fn.rotate(data, angle=angle, fill_value=fill_value, interp_type=interp_type, keep_size=rotate_keep_size)


def shift_enhance_range(magnitude):
    """Of a `magnitude` around 0 the factor around 1 that brightness, contrast and saturation take."""
    return 1 + magnitude


@augmentation(mag_range=(0, 0.9), randomly_negate=True, mag_to_param=shift_enhance_range)
def brightness(data, parameter):
    """Multiplies all values."""
    return fn.brightness(data, brightness=parameter)


@augmentation(mag_range=(0, 0.9), randomly_negate=True, mag_to_param=shift_enhance_range)
def contrast(data, parameter):
    """Stretches values around the mean brightness of the picture, as Pillow does; of a video, around each frame's."""
    mean = fn.reductions.mean(data, axis_names="HW", keep_dims=True)
    weights = types.Constant(np.array([0.299, 0.587, 0.114], np.float32))
    center = fn.reductions.sum(mean * weights, axis_names="C", keep_dims=True)
    return fn.cast_like(center + (data - center) * parameter, data)


@augmentation(mag_range=(0, 0.9), randomly_negate=True, mag_to_param=shift_enhance_range)
def color(data, parameter):
    """Multiplies the saturation."""
    return fn.saturation(data, saturation=parameter)


def sharpness_kernel(magnitude):
    """The filter of `sharpness`: `magnitude` is from -1, which smooths, to 1."""
    smooth = np.float32([[1, 1, 1], [1, 5, 1], [1, 1, 1]]) / 13
    same = np.float32([[0, 0, 0], [0, 1, 0], [0, 0, 0]])
    return -magnitude * smooth + (1 + magnitude) * same


def sharpness_kernel_shifted(magnitude):
    """Likewise, with a `magnitude` from 0 to 2."""
    return sharpness_kernel(magnitude - 1)


@augmentation(mag_range=(0, 0.9), randomly_negate=True, mag_to_param=sharpness_kernel, param_device="auto")
def sharpness(data, kernel):
    """Filters the picture with a 3x3 window, as Pillow does but for one pixel along the border."""
    return fn.filter(data, kernel)


def poster_mask_uint8(magnitude):
    """The mask of as many high bits as the `magnitude` says: 1 to 8, and 1 for less, or pictures would be blank."""
    bits = min(max(round(float(magnitude)), 1), 8)
    return np.array(0xFF & ~(0xFF >> bits), np.uint8)


@augmentation(mag_range=(0, 4), mag_to_param=poster_mask_uint8, param_device="auto")
def posterize(data, mask):
    """Keeps high bits of values."""
    return data & mask


@augmentation(mag_range=(256, 0), param_device="auto")
def solarize(data, threshold):
    """Inverts values from the threshold on."""
    dark = data < threshold
    return dark * data + (dark ^ True) * (types.Constant(255, dtype=types.UINT8) - data)


def solarize_add_shift(shift):
    """The `shift` as uint8. `ValueError` from 128 on, where sums would not fit."""
    if shift >= 128:
        raise ValueError(f"The solarize_add augmentation accepts shifts from 0 to 128, got {shift}")
    return np.uint8(shift)


@augmentation(mag_range=(0, 110), param_device="auto", mag_to_param=solarize_add_shift)
def solarize_add(data, shift):
    """Adds to values below 128."""
    dark = data < types.Constant(128, dtype=types.UINT8)
    return dark * (data + shift) + (dark ^ True) * data


@augmentation
def invert(data, _):
    """255 minus each value."""
    return types.Constant(255, dtype=types.UINT8) - data


@augmentation
def equalize(data, _):
    """Spreads the levels of each channel evenly, as OpenCV does."""
    return fn.equalize(data)


@augmentation
def auto_contrast(data, _):
    """Stretches each channel so that its least value becomes 0 and its greatest 255."""
    low = fn.reductions.min(data, axis_names="HW", keep_dims=True)
    high = fn.reductions.max(data, axis_names="HW", keep_dims=True)
    extent = high - low
    varies = extent > 0  # a channel of one value stays as it is
    divisor = extent * varies + types.Constant(255, dtype=types.UINT8) * (varies ^ True)
    return fn.cast_like((data - low * varies) * (255 / divisor), data)


@augmentation
def identity(data, _):
    """Nothing."""
    return data
