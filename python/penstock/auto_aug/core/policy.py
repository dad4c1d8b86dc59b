"""Policies of AutoAugment."""

import warnings

from ... import _origin
from ._augmentation import Augmentation


class Policy:
    """Sequences of augmentations, of which each sample gets one.

    Args
    ----
    name : str
        Shown to people.
    num_magnitude_bins : int
        Into how many magnitudes the ranges of augmentations are divided.
    sub_policies : list
        Sequences of (augmentation, probability, magnitude bin). One is chosen for each sample, all with the same
        probability; then each of its augmentations is applied with its own. The bin is None for augmentations without
        magnitudes.
    """

    def __init__(self, name, num_magnitude_bins, sub_policies):
        self.name = name
        self.num_magnitude_bins = num_magnitude_bins
        if not isinstance(num_magnitude_bins, int) or num_magnitude_bins < 1:
            raise ValueError(f"The `num_magnitude_bins` must be a positive integer, got {num_magnitude_bins}.")
        if not isinstance(sub_policies, (list, tuple)):
            raise TypeError(f"The `sub_policies` must be a list or tuple of sub policies, got {type(sub_policies)}.")
        for sub_policy in sub_policies:
            if not isinstance(sub_policy, (list, tuple)):
                raise TypeError(f"Each sub policy must be a list or tuple, got {sub_policy}.")
            for entry in sub_policy:
                self._check(entry)
        self.sub_policies = _with_names_of_their_own(sub_policies)

    def _check(self, entry):
        if not isinstance(entry, (list, tuple)) or len(entry) != 3:
            raise ValueError(
                "Each operation in sub policy must be specified as a triple: (augmentation, probability, magnitude). "
                f"Got {entry}."
            )
        augment, probability, bin_ = entry
        if not isinstance(augment, Augmentation):
            raise TypeError(
                f"Each augmentation in sub policies must be an instance of Augmentation. Got `{augment}`. Did you "
                "forget to use `@augmentation` decorator?"
            )
        if not isinstance(probability, (float, int)) or not 0 <= probability <= 1:
            raise ValueError(
                "Probability of applying the augmentation must be a number from `[0, 1]` range. Got "
                f"`{probability}` for augmentation `{augment.name}`."
            )
        if probability == 0:
            _warn(
                f"The augmentation `{augment.name}` in policy `{self.name}` is used with probability 0 in one of the "
                "sub-policies."
            )
        if bin_ is None and augment.mag_range is not None:
            raise ValueError(
                f"The augmentation `{augment.name}` has `mag_range` specified, so the magnitude bin is required. "
                f"However, got `None` in the policy `{self.name}`."
            )
        if bin_ is not None and augment.mag_range is None:
            _warn(
                f"The magnitude bin `{bin_}` for augmentation `{augment.name}` in policy `{self.name}` will be "
                "ignored. The augmentation does not accept magnitudes (as it has no `mag_range` specified). You can "
                f"specify `None` instead of `{bin_}` to silence this warning."
            )
        if bin_ is not None and (not isinstance(bin_, int) or not 0 <= bin_ < self.num_magnitude_bins):
            raise ValueError(
                "Magnitude of the augmentation must be an integer from "
                f"`[0, {self.num_magnitude_bins - 1}]` range. Got `{bin_}` for augmentation `{augment.name}`."
            )

    @property
    def augmentations(self):
        """All augmentations by name."""
        all_of_them = {augment for sub_policy in self.sub_policies for augment, _, _ in sub_policy}
        return {one.name: one for one in sorted(all_of_them, key=lambda one: one.name)}

    def __repr__(self):
        def block(lines):
            return "\n\t" + ",\n\t".join(lines) if lines else ""

        rows = [repr([(augment.name, *rest) for augment, *rest in sub_policy]) for sub_policy in self.sub_policies]
        named = [f"'{name}': {augment!r}" for name, augment in self.augmentations.items()]
        return (
            f"Policy(name={self.name!r}, num_magnitude_bins={self.num_magnitude_bins!r}, "
            f"sub_policies=[{block(rows)}], augmentations={{{block(named)}}})"
        )


def _warn(text):
    warnings.warn(text, stacklevel=_origin.stack_level())


def _with_names_of_their_own(sub_policies):
    """The sub-policies; where augmentations share names, these get numbers in front, so that people can tell them."""
    augments = list(dict.fromkeys(augment for sub_policy in sub_policies for augment, _, _ in sub_policy))
    if len({one.name for one in augments}) == len(augments):
        return tuple(map(tuple, sub_policies))
    digits = len(str(len(augments) - 1))
    renamed = {one: one.augmentation(name=f"{i:0{digits}}__{one.name}") for i, one in enumerate(augments)}
    return tuple(tuple((renamed[augment], *rest) for augment, *rest in sub_policy) for sub_policy in sub_policies)
