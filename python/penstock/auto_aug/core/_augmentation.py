"""Augmentations: functions of data and a parameter, called with a magnitude bin."""

import warnings

import numpy as np

from ... import _origin, types
from ...data_node import DataNode
from ._args import MissingArgException, count_positional, extra_parameters
from ._signed import SignedBin, both_signs, signed_bin

_SAME = object()


class Augmentation:
    """A function of samples and a parameter, with what turns a magnitude bin into that parameter.

    `augmentation` makes them. A call ``aug(data, magnitude_bin=b, num_magnitude_bins=n, **kwargs)`` gives what
    ``op(data, mag_to_param(magnitude), **kwargs)`` gives, where `magnitude` is number `b` of `n` between the ends of
    `mag_range`, negated for half of the samples where `randomly_negate` says so. `kwargs` that `op` does not take are
    left out. `mag_to_param`, `param_device` and `name` are as the decorator has them.
    """

    def __init__(self, op, mag_range=None, randomly_negate=None, mag_to_param=None, param_device=None, name=None):
        self.op = op
        self.mag_range = mag_range
        self._randomly_negate = randomly_negate
        self._mag_to_param = mag_to_param
        self._param_device = param_device
        self._name = name
        count = count_positional(op)
        if count <= 1:
            raise TypeError(
                f"The {op} accepts {count} positional argument(s), but the functions decorated with `@augmentation` "
                f"must accept at least two positional arguments: the samples and parameters.\nError in: {self}."
            )

    @property
    def randomly_negate(self):
        """Whether magnitudes are negated for half of the samples."""
        return bool(self._randomly_negate)

    @property
    def mag_to_param(self):
        """What makes the function's parameter of a magnitude."""
        return self._mag_to_param or np.array

    @property
    def param_device(self):
        """Where parameters lie: "cpu", "gpu", or "auto" for where the samples are."""
        return self._param_device or "cpu"

    @property
    def name(self):
        """Of the function, unless another was given."""
        return self._name or self.op.__name__

    def _config(self):
        return {
            "mag_range": self.mag_range, "mag_to_param": self._mag_to_param, "randomly_negate": self._randomly_negate,
            "param_device": self._param_device, "name": self._name,
        }  # fmt: skip

    def __repr__(self):
        given = [f"{name}={value!r}" for name, value in self._config().items() if value is not None]
        return f"Augmentation({', '.join([repr(self.op), *given])})"

    def augmentation(
        self, mag_range=_SAME, randomly_negate=_SAME, mag_to_param=_SAME, param_device=_SAME, name=_SAME,
        augmentation_cls=None,
    ):  # fmt: skip
        """The same function with other settings; those not given stay.

        Args
        ----
        mag_range, randomly_negate, mag_to_param, param_device, name
            As the decorator has them.
        augmentation_cls : type
            The class of what is made; that of this one when not given.
        """
        asked = {
            "mag_range": mag_range, "mag_to_param": mag_to_param, "randomly_negate": randomly_negate,
            "param_device": param_device, "name": name,
        }  # fmt: skip
        changed = {key: value for key, value in asked.items() if value is not _SAME}
        return (augmentation_cls or type(self))(self.op, **{**self._config(), **changed})

    def __call__(self, data, *, magnitude_bin=None, num_magnitude_bins=None, **kwargs):
        device = data.device if self.param_device == "auto" else self.param_device
        parameter = self._get_param(magnitude_bin, num_magnitude_bins, device)
        extra = extra_parameters(self.op)
        missing = [one.name for one in extra if one.default is one.empty and one.name not in kwargs]
        if missing:
            raise MissingArgException(
                f"The augmentation `{self.name}` requires following named argument(s) which were not provided to the "
                f"call: {', '.join(missing)}. Please make sure to pass the required arguments when calling the "
                "augmentation.",
                self,
                missing,
            )
        return self.op(data, parameter, **{one.name: kwargs[one.name] for one in extra if one.name in kwargs})

    def _get_magnitudes(self, num_magnitude_bins):
        ends = self.mag_range
        if ends is None:
            return None
        if isinstance(ends, np.ndarray):
            if num_magnitude_bins is not None and len(ends) != num_magnitude_bins:
                raise ValueError(
                    f"The augmentation `{self.name}` has nd.array of length {len(ends)} specified as the `mag_range`. "
                    f"However, the `num_magnitude_bins` passed to the call is {num_magnitude_bins}."
                )
            return ends
        if num_magnitude_bins is None:
            raise ValueError(
                f"The `num_magnitude_bins` argument is missing in the call of the `{self.name}` augmentation. Please "
                f"specify the `num_magnitude_bins` along with the samples and magnitude_bin.\n"
                f"Error in augmentation: {self}."
            )
        if not hasattr(ends, "__len__") or len(ends) != 2:
            raise ValueError(
                "The `mag_range` must be a tuple of (low, high) ends of magnitude range or nd.array of explicitly "
                f"defined magnitudes. Got `{ends}` for augmentation `{self.name}`."
            )
        return np.linspace(*ends, num_magnitude_bins, dtype=np.float32)

    def _get_param(self, magnitude_bin, num_magnitude_bins, device):
        """The parameter as a node, or None where there are no magnitudes."""
        magnitudes = self._get_magnitudes(num_magnitude_bins)
        if magnitudes is None:
            return None
        if magnitude_bin is None:
            raise ValueError(
                f"The augmentation `{self.name}` has `mag_range` specified, so when called, it requires "
                f"`magnitude_bin` parameter to select the magnitude from the `mag_range`.\n"
                f"Error in augmentation: {self}."
            )
        if not self.randomly_negate:
            at = magnitude_bin.bin if isinstance(magnitude_bin, SignedBin) else magnitude_bin
            if isinstance(at, int):
                return types.Constant(self._map_mag_to_param(magnitudes[at]), device=device)
            return types.Constant(self._map_mags_to_params(magnitudes), device=device)[at]
        if not isinstance(magnitude_bin, SignedBin):
            warnings.warn(
                f"The augmentation `{self.name}` was declared with `random_negate=True`, but unsigned `magnitude_bin` "
                "was passed to the augmentation call. The augmentation will randomly negate the magnitudes manually. "
                "However, for better performance, if you conditionally split batch between multiple augmentations, it "
                "is better to call `signed_magnitude_bin = signed_bin(magnitude_bin)` before the split and pass the "
                "signed bins instead.",
                Warning,
                stacklevel=_origin.stack_level(),
            )
            magnitude_bin = signed_bin(magnitude_bin)
        at = magnitude_bin.signed_magnitude_idx
        if isinstance(magnitude_bin.bin, int):
            magnitudes, at = [magnitudes[magnitude_bin.bin]], magnitude_bin.random_sign
        return types.Constant(self._map_mags_to_params(both_signs(magnitudes)), device=device)[at]

    def _map_mag_to_param(self, magnitude):
        parameter = self.mag_to_param(magnitude)
        if _holds_node(parameter):
            raise TypeError(
                f"The `mag_to_param` callback of `{self.name}` augmentation returned `DataNode`, i.e. an output of an "
                "operator, which is not supported there. Instead, the `mag_to_param` callback must return parameter "
                "that is `np.ndarray` or is directly convertible to `np.ndarray`, so that all parameters can be "
                f"computed once, when the pipeline is defined. Move operators into the decorated function.\n"
                f"Error in augmentation: {self}."
            )
        return np.array(parameter)

    def _map_mags_to_params(self, magnitudes):
        made = [self._map_mag_to_param(magnitude) for magnitude in magnitudes]
        for parameter, magnitude in zip(made, magnitudes, strict=True):
            if (parameter.shape, parameter.dtype) != (made[0].shape, made[0].dtype):
                raise ValueError(
                    f"The `mag_to_param` callback of `{self.name}` augmentation must return the arrays of the same "
                    f"type and shape for different magnitudes. Got param of shape {made[0].shape} and {made[0].dtype} "
                    f"type for magnitude {magnitudes[0]}, but for magnitude {magnitude} the returned array has shape "
                    f"{parameter.shape} and type {parameter.dtype}.\nError in augmentation: {self}."
                )
        return np.array(made)


def _holds_node(value):
    if isinstance(value, (tuple, list)):
        return any(map(_holds_node, value))
    return isinstance(value, DataNode)
