"""What DALI calls deprecated: older names and arguments that have lost their meaning. Each use is said in a warning.

The words are DALI's, by which programs filter warnings; the line that they name is the user's.
"""

import warnings

from . import _context, _origin

_RENAMED = {
    "output_dtype": "dtype", "type": "dtype", "save_img_ids": "image_ids",
    "meta_files_path": "preprocessed_annotations", "dump_meta_files": "save_preprocessed_annotations",
    "dump_meta_files_path": "save_preprocessed_annotations_dir",
}  # fmt: skip
_REMOVED = {"image_type", "normalize_text"}
_REPLACED = {"fast_resize_crop_mirror": "fn.resize_crop_mirror", "ssd_random_crop": "fn.random_bbox_crop"}
_OLDER = "`{old}` is deprecated, use `{new}`"


def warn_of_operator(name, schema, shown):
    """Says what to call instead of the operator `name` of ``fn``, `shown` to the user, where that is an older name."""
    instead = f"fn.{schema.name}" if name in schema.aliases else _REPLACED.get(name)
    policy = _context.policy()
    if instead:
        words = (policy and policy.deprecated) or _OLDER
        _warn(words.format(old=shown, new=instead))
    elif name == "shapes":
        _warn(f"`{shown}` is deprecated, use the method `shape` of nodes")


def with_current_names(schema, display, kwargs):
    """The arguments by the names that they have now. `TypeError` where one is given by both names."""
    current = {}
    for name, value in kwargs.items():
        described = schema.args.get(name, {})
        new = _RENAMED.get(name) if described.get("hidden") else None
        if new in kwargs:
            raise TypeError(f"[{display}] got both `{name}` and `{new}`, of which it is the older name; give `{new}`")
        if new is not None:
            _warn(f"The argument `{name}` is a deprecated alias for `{new}`. Use `{new}` instead.")
        elif described.get("deprecated") and name in _REMOVED:
            _warn(f"The argument `{name}` is no longer used and will be removed in a future release.")
        elif described.get("deprecated"):
            _warn(f"The argument `{name}` is now deprecated and its usage is discouraged.")
        current[new or name] = value
    return current


def warn_of_seed():
    """Says that a `seed` was given where no random numbers are drawn."""
    _warn('The argument "seed" should not be used with operators that don\'t use random numbers.')


def _warn(message):
    warnings.warn(message, DeprecationWarning, stacklevel=_origin.stack_level())
