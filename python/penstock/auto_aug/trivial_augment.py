"""TrivialAugment (https://arxiv.org/abs/2103.10158)."""

from .. import fn, types
from . import augmentations as a
from .core import signed_bin
from .core._args import forbid_unused_kwargs
from .core._utils import get_translations, selected, without

__all__ = ["apply_trivial_augment", "get_trivial_augment_wide_suite", "trivial_augment_wide"]


def trivial_augment_wide(
    data, num_magnitude_bins=31, shape=None, fill_value=128, interp_type=None, max_translate_abs=None,
    max_translate_rel=None, seed=None, excluded=None,
):  # fmt: skip
    """Applies one augmentation to each sample, with a magnitude of its own; both are drawn at random.

    Args
    ----
    data : DataNode
        uint8 pictures (HWC) or video (FHWC).
    num_magnitude_bins : int
        Into how many magnitudes ranges are divided.
    shape : DataNode or (int, int)
        Height and width of each sample. Translations are then up to `max_translate_rel` times these.
    fill_value : int
        Of what lies outside of a picture that is sheared, moved or turned; its border when None.
    interp_type : types.DALIInterpType
        Of these: `types.INTERP_LINEAR`, which is the default, or `types.INTERP_NN`.
    max_translate_abs : int or (int, int)
        The farthest translation in pixels, down and sideways, without `shape`. 32 when not given.
    max_translate_rel : float or (float, float)
        Likewise with `shape`, as a fraction. 1 when not given.
    seed : int
        Of the choices; made from the pipeline's when not given.
    excluded : list of str
        Names of augmentations that are not applied. `ValueError` for one that the suite does not have.
    """
    extra = {"fill_value": fill_value, "interp_type": interp_type}
    if shape is not None:
        extra["shape"] = shape
    suite = get_trivial_augment_wide_suite(shape is not None, max_translate_abs, max_translate_rel)
    chosen = without(suite, excluded, "TrivialAugmentWide")
    return apply_trivial_augment(chosen, data, num_magnitude_bins=num_magnitude_bins, seed=seed, **extra)


def apply_trivial_augment(augmentations, data, num_magnitude_bins=31, seed=None, **kwargs):
    """Applies one of the `augmentations` to each sample, as `trivial_augment_wide` does with its suite.

    Args
    ----
    augmentations : list of Augmentation
        What is chosen from. `ValueError` when empty.
    data, num_magnitude_bins, seed
        As `trivial_augment_wide` has them.
    kwargs
        For augmentations that take arguments of these names. `TypeError` for one that none takes.
    """
    if not isinstance(num_magnitude_bins, int) or num_magnitude_bins < 1:
        raise ValueError(f"The `num_magnitude_bins` must be a positive integer, got {num_magnitude_bins}.")
    if len(augmentations) == 0:
        raise ValueError("The `augmentations` list cannot be empty. Got empty list in `apply_trivial_augment` call.")
    bins = fn.random.uniform(values=list(range(num_magnitude_bins)), dtype=types.INT32, seed=seed)
    if any(one.randomly_negate for one in augmentations):
        bins = signed_bin(bins, seed=seed)
    forbid_unused_kwargs(augmentations, kwargs, "apply_trivial_augment")
    index = fn.random.uniform(values=list(range(len(augmentations))), seed=seed, dtype=types.INT32)
    arguments = {"data": data, "magnitude_bin": bins, "num_magnitude_bins": num_magnitude_bins, **kwargs}
    return selected(augmentations, index, arguments, "apply_trivial_augment", "get_trivial_augment_wide_suite")


def get_trivial_augment_wide_suite(use_shape=False, max_translate_abs=None, max_translate_rel=None):
    """The 14 augmentations of TrivialAugment's wide space.

    Args
    ----
    use_shape : bool
        Whether translations go by each sample's `shape`.
    max_translate_abs, max_translate_rel
        As `trivial_augment_wide` has them.
    """
    return [
        *get_translations(use_shape, 32, 1.0, max_translate_abs, max_translate_rel),
        a.shear_x.augmentation((0, 0.99), True),
        a.shear_y.augmentation((0, 0.99), True),
        a.rotate.augmentation((0, 135), True),
        a.brightness.augmentation((0.01, 0.99), True, a.shift_enhance_range),
        a.contrast.augmentation((0.01, 0.99), True, a.shift_enhance_range),
        a.color.augmentation((0.01, 0.99), True, a.shift_enhance_range),
        a.sharpness.augmentation((0.01, 0.99), True, a.sharpness_kernel),
        a.posterize.augmentation((8, 2), False, a.poster_mask_uint8),
        a.solarize.augmentation((256, 0)),
        a.equalize,
        a.auto_contrast,
        a.identity,
    ]
