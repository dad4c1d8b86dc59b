"""RandAugment (https://arxiv.org/abs/1909.13719)."""

import warnings

from .. import _origin, fn, types
from . import augmentations as a
from .core import signed_bin
from .core._args import forbid_unused_kwargs
from .core._utils import get_translations, selected, without

__all__ = ["apply_rand_augment", "get_rand_augment_non_monotonic_suite", "get_rand_augment_suite", "rand_augment"]


def rand_augment(
    data, n, m, num_magnitude_bins=31, shape=None, fill_value=128, interp_type=None, max_translate_abs=None,
    max_translate_rel=None, seed=None, monotonic_mag=True, excluded=None,
):  # fmt: skip
    """Applies `n` augmentations to each sample, one after the other, drawn at random, all with magnitude `m`.

    Args
    ----
    data : DataNode
        uint8 pictures (HWC) or video (FHWC).
    n : int
        How many augmentations a sample gets.
    m : int
        Their magnitude bin, from 0 up to `num_magnitude_bins`.
    num_magnitude_bins : int
        Into how many magnitudes ranges are divided.
    shape : DataNode or (int, int)
        Height and width of each sample. Translations are then up to `max_translate_rel` times these.
    fill_value : int
        Of what lies outside of a picture that is sheared, moved or turned; its border when None.
    interp_type : types.DALIInterpType
        Of these: `types.INTERP_LINEAR`, which is the default, or `types.INTERP_NN`.
    max_translate_abs : int or (int, int)
        The farthest translation in pixels, down and sideways, without `shape`. 100 when not given.
    max_translate_rel : float or (float, float)
        Likewise with `shape`, as a fraction. 100/224 when not given.
    seed : int
        Of the choices; made from the pipeline's when not given.
    monotonic_mag : bool
        Whether all augmentations become stronger with the magnitude. Otherwise posterize and solarize become weaker,
        and brightness, contrast, color and sharpness are weakest in the middle of their range, as in AutoAugment.
    excluded : list of str
        Names of augmentations that are not applied. `ValueError` for one that the suite does not have.
    """
    extra = {"fill_value": fill_value, "interp_type": interp_type}
    if shape is not None:
        extra["shape"] = shape
    get_suite = get_rand_augment_suite if monotonic_mag else get_rand_augment_non_monotonic_suite
    chosen = without(get_suite(shape is not None, max_translate_abs, max_translate_rel), excluded, "RandAugment")
    return apply_rand_augment(chosen, data, n, m, num_magnitude_bins=num_magnitude_bins, seed=seed, **extra)


def apply_rand_augment(augmentations, data, n, m, num_magnitude_bins=31, seed=None, **kwargs):
    """Applies `n` of the `augmentations` to each sample, as `rand_augment` does with its suite.

    Args
    ----
    augmentations : list of Augmentation
        What is chosen from. `ValueError` when empty.
    data, n, m, num_magnitude_bins, seed
        As `rand_augment` has them. `ValueError` for numbers that are not in their range.
    kwargs
        For augmentations that take arguments of these names. `TypeError` for one that none takes.
    """
    if not isinstance(n, int) or n < 0:
        raise ValueError(f"The number of operations to apply `n` must be a non-negative integer, got {n}.")
    if not isinstance(num_magnitude_bins, int) or num_magnitude_bins < 1:
        raise ValueError(f"The `num_magnitude_bins` must be a positive integer, got {num_magnitude_bins}.")
    if not isinstance(m, int) or not 0 <= m < num_magnitude_bins:
        raise ValueError(
            f"The magnitude bin `m` must be an integer from `[0, {num_magnitude_bins - 1}]` range. Got {m}."
        )
    if n == 0:
        warnings.warn(
            "The `apply_rand_augment` was called with `n=0`, no augmentation will be applied.",
            Warning,
            stacklevel=_origin.stack_level(),
        )
        return data
    if len(augmentations) == 0:
        raise ValueError(
            "The `augmentations` list cannot be empty, unless n=0. Got empty list in `apply_rand_augment` call."
        )
    shape = () if n == 1 else (n,)
    indices = fn.random.uniform(values=list(range(len(augmentations))), seed=seed, shape=shape, dtype=types.INT32)
    signed = any(one.randomly_negate for one in augmentations)
    bins = signed_bin(m, seed=seed, shape=shape) if signed else m
    forbid_unused_kwargs(augmentations, kwargs, "apply_rand_augment")
    for level in range(n):
        bin_ = bins[level] if signed and n > 1 else bins
        arguments = {"data": data, "magnitude_bin": bin_, "num_magnitude_bins": num_magnitude_bins, **kwargs}
        index = indices[level] if n > 1 else indices
        data = selected(augmentations, index, arguments, "apply_rand_augment", "get_rand_augment_suite")
    return data


def _geometry(use_shape, max_translate_abs, max_translate_rel):
    return [
        *get_translations(use_shape, 100, 100 / 224, max_translate_abs, max_translate_rel),
        a.shear_x.augmentation((0, 0.3), True),
        a.shear_y.augmentation((0, 0.3), True),
        a.rotate.augmentation((0, 30), True),
    ]


def get_rand_augment_suite(use_shape=False, max_translate_abs=None, max_translate_rel=None):
    """The augmentations of RandAugment, each stronger the higher its magnitude.

    Args
    ----
    use_shape : bool
        Whether translations go by each sample's `shape`.
    max_translate_abs, max_translate_rel
        As `rand_augment` has them.
    """
    return [
        *_geometry(use_shape, max_translate_abs, max_translate_rel),
        a.brightness.augmentation((0, 0.9), True, a.shift_enhance_range),
        a.contrast.augmentation((0, 0.9), True, a.shift_enhance_range),
        a.color.augmentation((0, 0.9), True, a.shift_enhance_range),
        a.sharpness.augmentation((0, 0.9), True, a.sharpness_kernel),
        a.posterize.augmentation((8, 4), False, a.poster_mask_uint8),
        a.solarize.augmentation((256, 0)),
        a.equalize,
        a.auto_contrast,
        a.identity,
    ]


def get_rand_augment_non_monotonic_suite(use_shape=False, max_translate_abs=None, max_translate_rel=None):
    """Likewise, with the ranges of AutoAugment: a higher magnitude is not always a stronger augmentation.

    Args
    ----
    use_shape, max_translate_abs, max_translate_rel
        As `get_rand_augment_suite` has them.
    """
    return [
        *_geometry(use_shape, max_translate_abs, max_translate_rel),
        a.brightness.augmentation((0.1, 1.9), False, None),
        a.contrast.augmentation((0.1, 1.9), False, None),
        a.color.augmentation((0.1, 1.9), False, None),
        a.sharpness.augmentation((0.1, 1.9), False, a.sharpness_kernel_shifted),
        a.posterize.augmentation((0, 4), False, a.poster_mask_uint8),
        a.solarize.augmentation((0, 256), False, None),
        a.equalize,
        a.auto_contrast,
        a.identity,
    ]
