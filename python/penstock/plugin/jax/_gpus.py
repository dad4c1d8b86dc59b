"""GPUs as JAX and as CUDA number them.

JAX counts the devices that a process was given, of all processes; `local_hardware_id` is CUDA's number.
"""


def number_of(device):
    """CUDA's number of a device of JAX's; None where that is no GPU."""
    return device.local_hardware_id if device.platform == "gpu" else None


def default_number():
    """CUDA's number of the GPU on which JAX puts arrays by default; 0 where it has none."""
    import jax

    default = jax.config.jax_default_device  # None, a device, or the name of a platform
    if default is None or isinstance(default, str):
        default = jax.local_devices(backend=default)[0]
    return number_of(default) or 0


def of_number(number):
    """JAX's device for a GPU of this process. `ValueError` where JAX has none of that number."""
    import jax

    gpus = {number_of(device): device for device in jax.local_devices()}
    if number not in gpus:
        known = sorted(one for one in gpus if one is not None)
        raise ValueError(
            f"the batch lies on GPU {number}, and JAX has {known} in this process: give the pipeline the `device_id` "
            "of one of these, or JAX that device"
        )
    return gpus[number]
