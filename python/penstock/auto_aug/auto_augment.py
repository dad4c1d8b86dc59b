"""AutoAugment (https://arxiv.org/abs/1805.09501)."""

import numpy as np

from .. import fn, types
from . import augmentations as a
from ._tables import IMAGE_NET, REDUCED_CIFAR10, REDUCED_IMAGE_NET, SVHN
from .core import Policy, signed_bin
from .core._args import forbid_unused_kwargs
from .core._utils import get_translations, selected

__all__ = [
    "apply_auto_augment", "auto_augment", "auto_augment_image_net", "get_image_net_policy",
    "get_reduced_cifar10_policy", "get_reduced_image_net_policy", "get_svhn_policy",
]  # fmt: skip


def auto_augment(
    data, policy_name="image_net", shape=None, fill_value=128, interp_type=None, max_translate_abs=None,
    max_translate_rel=None, seed=None,
):  # fmt: skip
    """Applies one of the sub-policies of a policy of AutoAugment to each sample, drawn at random.

    Args
    ----
    data : DataNode
        uint8 pictures (HWC) or video (FHWC).
    policy_name : str
        "image_net", "reduced_image_net", "svhn" or "reduced_cifar10". `ValueError` for others.
    shape : DataNode or (int, int)
        Height and width of each sample. Translations are then up to `max_translate_rel` times these. `ValueError` for
        this and the two below with "reduced_image_net", which has no translations.
    fill_value : int
        Of what lies outside of a picture that is sheared, moved or turned; its border when None.
    interp_type : types.DALIInterpType
        Of these: `types.INTERP_LINEAR`, which is the default, or `types.INTERP_NN`.
    max_translate_abs : int or (int, int)
        The farthest translation in pixels, down and sideways, without `shape`. 250 when not given.
    max_translate_rel : float or (float, float)
        Likewise with `shape`, as a fraction. 1 when not given.
    seed : int
        Of the choices; made from the pipeline's when not given.
    """
    if not isinstance(policy_name, str) or policy_name not in _POLICIES:
        names = ", ".join(f"`{name}`" for name in _POLICIES)
        raise ValueError(f"The `policy_name` must be a string that takes one of the values: {names}")
    if policy_name == "reduced_image_net":
        given = {"shape": shape, "max_translate_abs": max_translate_abs, "max_translate_rel": max_translate_rel}
        for name, value in given.items():
            if value is not None:
                raise ValueError(
                    f"The policy `{policy_name}` does not contain any augmentations that rely on the image shape. The "
                    f"`{name}` argument must not be specified in that case."
                )
        policy = get_reduced_image_net_policy()
    else:
        policy = _POLICIES[policy_name](shape is not None, max_translate_abs, max_translate_rel)
    extra = {"fill_value": fill_value, "interp_type": interp_type}
    if shape is not None:
        extra["shape"] = shape
    return apply_auto_augment(policy, data, seed, **extra)


def auto_augment_image_net(
    data, shape=None, fill_value=128, interp_type=None, max_translate_abs=None, max_translate_rel=None, seed=None
):
    """`auto_augment` with the policy "image_net".

    Args
    ----
    data, shape, fill_value, interp_type, max_translate_abs, max_translate_rel, seed
        As `auto_augment` has them.
    """
    return auto_augment(data, "image_net", shape, fill_value, interp_type, max_translate_abs, max_translate_rel, seed)


def apply_auto_augment(policy, data, seed=None, **kwargs):
    """Applies one of the sub-policies of `policy` to each sample, as `auto_augment` does.

    Args
    ----
    policy : Policy
        What is chosen from. `ValueError` when empty.
    data, seed
        As `auto_augment` has them.
    kwargs
        For augmentations that take arguments of these names. `TypeError` for one that none takes.
    """
    if len(policy.sub_policies) == 0:
        raise ValueError(f"Cannot run empty policy. Got {policy} in `apply_auto_augment` call.")
    stages = max(map(len, policy.sub_policies))
    chances = fn.random.uniform(range=[0, 1], shape=(stages,), dtype=types.FLOAT, seed=seed)
    sub_policy = fn.random.uniform(values=list(range(len(policy.sub_policies))), seed=seed, dtype=types.INT32)
    probabilities = types.Constant(_per_stage(policy, stages, lambda _, p, bin_: p, 0.0, np.float32))[sub_policy]
    unused = -999  # bin of an augmentation without magnitudes
    bins = types.Constant(_per_stage(policy, stages, lambda _, p, bin_: unused if bin_ is None else bin_, 0, np.int32))[
        sub_policy
    ]
    matrix, augmentations = _sub_policy_to_augmentation_matrix_map(policy)
    indices = types.Constant(matrix)[sub_policy]
    if any(one.randomly_negate for one in policy.augmentations.values()):
        bins = signed_bin(bins, seed=seed, shape=(stages,))
    forbid_unused_kwargs(policy.augmentations.values(), kwargs, "apply_auto_augment")
    for stage in range(stages):
        if chances[stage] < probabilities[stage]:
            arguments = {
                "data": data, "magnitude_bin": bins[stage], "num_magnitude_bins": policy.num_magnitude_bins, **kwargs,
            }  # fmt: skip
            data = selected(
                augmentations[stage], indices[stage], arguments, "apply_auto_augment", "get_image_net_policy"
            )
    return data


def _per_stage(policy, stages, value_of, absent, dtype):
    """A number for each augmentation of each sub-policy; `absent` where a sub-policy is shorter than others."""
    rows = [[value_of(*entry) for entry in sub_policy] for sub_policy in policy.sub_policies]
    return np.array([row + [absent] * (stages - len(row)) for row in rows], dtype)


def _sub_policy_to_augmentation_matrix_map(policy):
    """(matrix, lists): stage `s` of sub-policy `i` is the augmentation ``lists[s][matrix[i, s]]``.

    Each augmentation of a stage is in its list once, and the identity stands at the end, for shorter sub-policies.
    """
    stages = max(map(len, policy.sub_policies))
    lists = []
    for stage in range(stages):
        used = dict.fromkeys(one[stage][0] for one in policy.sub_policies if stage < len(one))
        lists.append([*used, a.identity])
    matrix = np.array([[len(one) - 1 for one in lists]] * len(policy.sub_policies), np.int32)
    for i, sub_policy in enumerate(policy.sub_policies):
        for stage, (augment, _, _) in enumerate(sub_policy):
            matrix[i, stage] = lists[stage].index(augment)
    return matrix, lists


def _policy(name, table, translations=()):
    """The policy that a table describes. Ranges are AutoAugment's: 11 magnitudes each."""
    known = {
        "shear_x": a.shear_x.augmentation((0, 0.3), True),
        "shear_y": a.shear_y.augmentation((0, 0.3), True),
        "rotate": a.rotate.augmentation((0, 30), True),
        "brightness": a.brightness.augmentation((0.1, 1.9), False, None),
        "contrast": a.contrast.augmentation((0.1, 1.9), False, None),
        "color": a.color.augmentation((0.1, 1.9), False, None),
        "sharpness": a.sharpness.augmentation((0.1, 1.9), False, a.sharpness_kernel_shifted),
        "posterize": a.posterize.augmentation((0, 4), False, a.poster_mask_uint8),
        "solarize": a.solarize.augmentation((0, 256), False),
        "solarize_add": a.solarize_add.augmentation((0, 110), False),
        "invert": a.invert,
        "equalize": a.equalize,
        "auto_contrast": a.auto_contrast,
        **dict(zip(("translate_x", "translate_y"), translations, strict=False)),
    }

    def entry(text):
        augment, probability, *bins = text.split()
        return known[augment], float(probability), int(bins[0]) if bins else None

    return Policy(name, 11, [list(map(entry, line.split(";"))) for line in table.strip().splitlines()])


def get_image_net_policy(use_shape=False, max_translate_abs=None, max_translate_rel=None):
    """The policy that was found for ImageNet.

    Args
    ----
    use_shape : bool
        Whether translations go by each sample's `shape`.
    max_translate_abs, max_translate_rel
        As `auto_augment` has them.
    """
    moves = get_translations(use_shape, 250, 1.0, max_translate_abs, max_translate_rel)
    return _policy("ImageNetPolicy", IMAGE_NET, moves)


def get_reduced_cifar10_policy(use_shape=False, max_translate_abs=None, max_translate_rel=None):
    """The policy that was found for a part of CIFAR-10.

    Args
    ----
    use_shape, max_translate_abs, max_translate_rel
        As `get_image_net_policy` has them.
    """
    moves = get_translations(use_shape, 250, 1.0, max_translate_abs, max_translate_rel)
    return _policy("ReducedCifar10Policy", REDUCED_CIFAR10, moves)


def get_svhn_policy(use_shape=False, max_translate_abs=None, max_translate_rel=None):
    """The policy that was found for SVHN.

    Args
    ----
    use_shape, max_translate_abs, max_translate_rel
        As `get_image_net_policy` has them.
    """
    moves = get_translations(use_shape, 250, 1.0, max_translate_abs, max_translate_rel)
    return _policy("SvhnPolicy", SVHN, moves)


def get_reduced_image_net_policy():
    """The policy that was found for a part of ImageNet. It has no translations."""
    return _policy("ReducedImageNetPolicy", REDUCED_IMAGE_NET)


_POLICIES = {
    "image_net": get_image_net_policy,
    "reduced_image_net": get_reduced_image_net_policy,
    "svhn": get_svhn_policy,
    "reduced_cifar10": get_reduced_cifar10_policy,
}
