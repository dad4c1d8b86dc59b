"""What JAX was told for one thread, taken along to others."""

import contextlib

_AS_IT_IS = contextlib.nullcontext()
_NOTHING = (None, None, None)  # is watched for


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
    """A context in which JAX guards no transfers: those of batches were asked for, whichever thread does them."""
    import jax

    return _AS_IT_IS if _watches(jax.config) == _NOTHING else jax.transfer_guard("allow")


def without_mesh():
    """A context in which `jax.set_mesh` says nothing: where it names several devices, JAX refuses programs for one."""
    import jax

    return _AS_IT_IS if jax.sharding.get_abstract_mesh().empty else jax.set_mesh(None)


def _watches(config):
    return (
        config.jax_transfer_guard_host_to_device,
        config.jax_transfer_guard_device_to_device,
        config.jax_transfer_guard_device_to_host,
    )
