"""Automatic augmentation: AutoAugment, RandAugment and TrivialAugment.

For pipelines with ``enable_conditionals=True``: each sample gets augmentations of its own, and only these are computed.
"""

from . import augmentations, auto_augment, core, rand_augment, trivial_augment

__all__ = ["augmentations", "auto_augment", "core", "rand_augment", "trivial_augment"]
