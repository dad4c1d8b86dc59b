"""What JAX has taken away since DALI's tutorials were written, and what stands there now."""

import contextlib
import re

_NOW = {
    "PositionalSharding": 'NamedSharding(Mesh(np.array(jax.devices()), ("batch",)), PartitionSpec("batch"))',
    "device_put_sharded": "the iterator's devices=, or jax.device_put(stacked, NamedSharding(...))",
    "device_put_replicated": "jax.device_put(value, NamedSharding(mesh, PartitionSpec()))",
    "tree_map": "jax.tree.map",
    "jax.experimental.shard_map": "jax.shard_map",
}


@contextlib.contextmanager
def hints():
    """Adds to an error about such a name what to write instead."""
    try:
        yield
    except (ImportError, AttributeError) as error:
        for name, instead in _NOW.items():
            if re.search(rf"\b{re.escape(name)}\b", str(error)):
                error.add_note(f"JAX no longer has {name}; write {instead} (docs/jax.md)")
        raise
