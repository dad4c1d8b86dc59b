"""Whether compiled JAX programs can call the engine."""

import functools
import pathlib
import re

from ... import _core

TAKE = "penstock_take"  # what programs without arguments call


def _version_of(jaxlib):
    """The version of XLA's interface that a jaxlib has; it says so in its headers alone. None without headers."""
    header = pathlib.Path(jaxlib.__file__).parent / "include/xla/ffi/api/c_api.h"
    if not header.exists():
        return None
    text = header.read_text()
    return tuple(int(re.search(rf"#define XLA_FFI_API_{part} (\d+)", text)[1]) for part in ("MAJOR", "MINOR"))


def demand(purpose):
    """`RuntimeError` where programs cannot call the engine, which `purpose` needs.

    To be asked before JAX is told of handlers: one that was compiled with newer headers than JAX has would be refused
    when JAX starts, and no program would run.
    """
    import jaxlib

    if not hasattr(_core, "XLA_FFI_VERSION"):
        raise RuntimeError(f"this Penstock was built without jaxlib, whose headers {purpose} needs")
    theirs = _version_of(jaxlib)
    if theirs is not None and theirs < _core.XLA_FFI_VERSION:
        raise RuntimeError(
            f"{purpose} needs a newer jaxlib: this Penstock was built with XLA's interface "
            f"{'.'.join(map(str, _core.XLA_FFI_VERSION))}, jaxlib {jaxlib.__version__} has "
            f"{'.'.join(map(str, theirs))}. Upgrade jax and jaxlib, or build Penstock where this jaxlib is"
        )


@functools.cache
def register():
    """Tells JAX of `TAKE`. `RuntimeError` as `demand` has it."""
    import jax

    demand("an array that is not copied from a view")
    jax.ffi.register_ffi_target(TAKE, _core.jax_take_handler(), platform="CUDA")


@functools.cache
def can_register():
    """Whether programs can call `TAKE`; if so, JAX knows of it."""
    try:
        register()
    except RuntimeError:  # what is in the way is said where nothing else can be done
        return False
    return True
