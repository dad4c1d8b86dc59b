"""What JAX was told for one thread, taken along to others."""

import contextlib

_AS_IT_IS = contextlib.nullcontext()


class Settings:
    """JAX's default device, and whether it has numbers of 64 bits, as they are where this is made.

    `jax.default_device` and `jax.enable_x64` are heard by the thread that says them alone.
    """

    def __init__(self):
        self._values = _settings()

    def applied(self):
        """A context, on any thread, in which they are the same."""
        import jax

        if _settings() == self._values:  # which takes 1 us; a context of JAX takes 3
            return _AS_IT_IS
        wide, device = self._values
        contexts = contextlib.ExitStack()
        contexts.enter_context(jax.enable_x64(wide))
        contexts.enter_context(jax.default_device(device))
        return contexts


def without_mesh():
    """A context in which `jax.set_mesh` says nothing: where it names several devices, JAX refuses programs for one."""
    import jax

    return _AS_IT_IS if jax.sharding.get_abstract_mesh().empty else jax.set_mesh(None)


def _settings():
    import jax

    return jax.config.jax_enable_x64, jax.config.jax_default_device
