"""What JAX was told for one thread, taken along to others."""

import contextlib

_AS_IT_IS = contextlib.nullcontext()
_NOTHING = None, None, None, False, False, False  # is watched for


class Settings:
    """JAX's default device, and whether it has numbers of 64 bits, as they are where this is made.

    `jax.default_device` and `jax.enable_x64` are heard by the thread that says them alone. Functions of the user's
    are `watched` as JAX was told; all else is done as in `unwatched`.
    """

    def __init__(self, watched=False):
        import jax

        self._values = jax.config.jax_enable_x64, jax.config.jax_default_device
        self._watched = watched

    def applied(self):
        """A context, on any thread, in which they are the same."""
        import jax

        config = jax.config
        same = (config.jax_enable_x64, config.jax_default_device) == self._values
        if same and (self._watched or _watches(config) == _NOTHING):  # which takes 1 us; a context of JAX takes 3
            return _AS_IT_IS
        wide, device = self._values
        contexts = contextlib.ExitStack()
        contexts.enter_context(jax.enable_x64(wide))
        contexts.enter_context(jax.default_device(device))
        if not self._watched:
            contexts.enter_context(unwatched())
        return contexts


def unwatched():
    """A context in which JAX watches for nothing, whichever thread makes arrays of batches.

    It guards no transfers, as these were asked for, and looks for no NaN: where it finds one it would run a program
    again, for which there is no batch. Programs are run as compiled; else they would not say where arrays go.
    """
    import jax

    if _watches(jax.config) == _NOTHING:
        return _AS_IT_IS
    contexts = contextlib.ExitStack()
    for watch in jax.debug_nans, jax.debug_infs, jax.disable_jit:
        contexts.enter_context(watch(False))
    contexts.enter_context(jax.transfer_guard("allow"))
    return contexts


def without_mesh():
    """A context in which `jax.set_mesh` says nothing: where it names several devices, JAX refuses programs for one."""
    import jax

    return _AS_IT_IS if jax.sharding.get_abstract_mesh().empty else jax.set_mesh(None)


def _watches(config):
    return (
        config.jax_transfer_guard_host_to_device,
        config.jax_transfer_guard_device_to_device,
        config.jax_transfer_guard_device_to_host,
        config.jax_debug_nans,
        config.jax_debug_infs,
        config.jax_disable_jit,
    )
