"""What the three schemes share."""

from .. import augmentations as a
from ._args import MissingArgException
from ._select import select


def get_translations(
    use_shape, default_translate_abs, default_translate_rel, max_translate_abs=None, max_translate_rel=None
):
    """[translate_x, translate_y] up to the given extent: pixels, or with `use_shape` a fraction of the picture's.

    `ValueError` where the extent is given in the other way.
    """
    if not isinstance(use_shape, bool):
        raise TypeError(f"The `use_shape` is a flag that should be set to either True or False, got {use_shape}.")
    if use_shape and max_translate_abs is not None:
        raise ValueError(
            "The argument `max_translate_abs` cannot be used with image shapes. You may use `max_translate_rel` "
            "instead."
        )
    if not use_shape and max_translate_rel is not None:
        raise ValueError(
            "The argument `max_translate_rel` cannot be used without image shapes. You may use `max_translate_abs` "
            "instead."
        )
    given, usual = (
        (max_translate_rel, default_translate_rel) if use_shape else (max_translate_abs, default_translate_abs)
    )
    most = usual if given is None else given
    height, width = most if isinstance(most, (tuple, list)) else (most, most)
    along_x, along_y = (a.translate_x, a.translate_y) if use_shape else (a.translate_x_no_shape, a.translate_y_no_shape)
    return [along_x.augmentation((0, width), True), along_y.augmentation((0, height), True)]


def without(augmentations, excluded, scheme):
    """The augmentations but those whose names are excluded. `ValueError` for a name that none has."""
    names = [one.name for one in augmentations]
    for name in excluded or ():
        if name not in names:
            raise ValueError(
                f"The `{name}` was specified in `excluded`, but the {scheme} suite does not contain augmentation with "
                f"this name. The augmentations in the suite are: {', '.join(names)}."
            )
    return [one for one in augmentations if one.name not in (excluded or ())]


def selected(augmentations, index, kwargs, scheme, suite):
    """What `select` gives; a translation that lacks the shape is told how to get it."""
    try:
        return select(augmentations, index, **kwargs)
    except MissingArgException as error:
        ours = (a.translate_x.op, a.translate_y.op)
        if error.missing_args != ["shape"] or error.augmentation.op not in ours:
            raise
        raise ValueError(
            f"The augmentation `{error.augmentation.name}` requires `shape` argument that describes image shape (in "
            f"HWC layout). Please provide it as `shape` argument to `{scheme}` call. You can get the image shape from "
            "encoded images with `fn.peek_image_shape`. Alternatively, you can use "
            "`translate_x_no_shape`/`translate_y_no_shape` that does not rely on image shape, but uses offset from "
            f"fixed range: for reference see `{suite}` and its `use_shape` argument."
        ) from error
