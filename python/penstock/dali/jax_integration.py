"""What scripts and tests take from ``nvidia.dali.plugin.jax.integration``."""

from ..tensors import TensorGPU

__all__ = ["TensorGPU"]


def _to_jax_array(dali_tensor, copy):
    """The tensor as an array of JAX. It shares memory where `copy` is False and JAX takes it by DLPack."""
    import jax

    if isinstance(dali_tensor, TensorGPU):
        array = jax.dlpack.from_dlpack(dali_tensor)
        return array.copy() if copy else array
    return jax.numpy.array(dali_tensor, copy=copy or None)


def _jax_device(jax_array):
    """The device that holds an array."""
    [device] = jax_array.devices()
    return device
