"""Magnitude bins with a random sign for each sample."""

import numpy as np

from ... import fn, types
from ...data_node import DataNode


class SignedBin:
    """A magnitude bin, the same for all samples or a node, with a node of signs: 1 where the magnitude is negated."""

    def __init__(self, magnitude_bin, random_sign, index):
        self.bin = magnitude_bin
        self.random_sign = random_sign
        self.signed_magnitude_idx = index  # in what `both_signs` gives

    def __getitem__(self, idx):
        """Bin and sign number `idx`, of bins that are drawn at a time for several augmentations of a sample."""
        one = self.bin if isinstance(self.bin, int) else self.bin[idx]
        return SignedBin(one, self.random_sign[idx], self.signed_magnitude_idx[idx])


def both_signs(magnitudes):
    """Each magnitude and its negative, side by side."""
    return np.array([one for magnitude in magnitudes for one in (magnitude, -magnitude)])


def signed_bin(magnitude_bin, random_sign=None, seed=None, shape=None):
    """The magnitude bin together with a random sign.

    Made before samples part for different augmentations, so that signs are drawn once for the whole batch.

    Args
    ----
    magnitude_bin : int or DataNode
        From 0 up to the number of bins; a node gives each sample its own.
    random_sign : DataNode
        0 or 1 for each sample: with 1, augmentations with `randomly_negate` negate the magnitude. Drawn when not given.
    seed, shape
        Of the signs that are drawn. `ValueError` beside `random_sign`.
    """
    if not isinstance(magnitude_bin, (int, DataNode)):
        raise TypeError(
            "The `magnitude_bin` must be an int or DataNode (output of an operator or `types.Constant`) of ints from "
            f"`[0..num_magnitude_bins-1]`. Got {magnitude_bin} instead."
        )
    if random_sign is not None and not (seed is None and shape is None):
        raise ValueError("The `random_sign` cannot be specified together with neither `seed` nor `shape`.")
    if random_sign is None:
        random_sign = fn.random.uniform(values=[0, 1], dtype=types.INT32, seed=seed, shape=shape)
    return SignedBin(magnitude_bin, random_sign, 2 * magnitude_bin + random_sign)
