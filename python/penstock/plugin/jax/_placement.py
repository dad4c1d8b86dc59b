"""Arrays of the framework from the parts that pipelines made."""

import functools

import numpy as np


class Sharded:
    """Places parts as a sharding says: rows of shard after shard, or with `device_axis` one device's after another's.

    Parts are arrays of equal shape, one for each of `layout.local`. No process waits for another here.
    """

    def __init__(self, sharding, layout, device_axis=False):
        self.sharding = sharding
        self._layout = layout
        self._device_axis = device_axis
        self._memory = _other_memory(sharding)
        self._placed = functools.lru_cache(maxsize=8)(self._placed)  # by shape: last batches may be shorter

    def keeps(self):
        """Whether each part goes as it is to a GPU, and to one alone: what is made there need not leave it."""
        devices = self.sharding.addressable_devices
        positions = self._positions(devices)
        each = all(len(parts) == 1 for parts in positions) and len(set(positions)) == len(positions)
        on_gpus = all(device.platform == "gpu" for device in devices)
        return each and on_gpus and self._memory is None and not self._device_axis

    def kept_in_order(self):
        """The devices of this process, if it does so on all of them and they are in the order in which JAX has them.

        None otherwise: XLA complains of programs over devices in another order.
        """
        import jax

        mesh, own = getattr(self.sharding, "mesh", None), self.sharding.addressable_devices
        devices = [device for device in jax.local_devices() if device in own]
        if mesh is None or list(mesh.devices.flat) != devices:
            return None
        in_order = self._positions(devices) == [(i,) for i in range(len(devices))]
        return devices if self.keeps() and in_order else None

    def _positions(self, devices):
        """The numbers of each device's parts."""
        return [self._layout.positions(self.sharding, device) for device in devices]

    def _placed(self, shape):
        """For each device of this process: itself, positions of its parts, and where its columns are in them.

        None stands for all columns: slicing them out would copy them all the same.
        """
        placed = []
        for device, (_, *columns) in self.sharding.addressable_devices_indices_map(shape).items():
            whole = all(one.indices(size) == (0, size, 1) for one, size in zip(columns, shape[1:], strict=True))
            wanted = None if whole else (slice(None), *columns)
            placed.append((device, self._layout.positions(self.sharding, device), wanted))
        return placed

    def __call__(self, parts):
        import jax

        if self._device_axis:
            parts = [part[None] for part in parts]
        shape = (self._layout.num_shards * parts[0].shape[0], *parts[0].shape[1:])
        joined, pieces, devices = {}, [], []
        for device, positions, columns in self._placed(shape):
            if positions not in joined:
                own = [parts[i] for i in positions]
                joined[positions] = own[0] if len(own) == 1 else _joined("concatenate", own, device)
            pieces.append(joined[positions][columns] if columns else joined[positions])
            devices.append(device)
        if self._memory is not None:
            places = [jax.sharding.SingleDeviceSharding(one, memory_kind=self._memory) for one in devices]
            pieces = jax.device_put(pieces, places)
        elif not all(map(_lies_on, pieces, devices)):
            pieces = jax.device_put(pieces, devices)
        return jax.make_array_from_single_device_arrays(shape, self.sharding, pieces)


_CUT = {np.dtype(np.int64): np.iinfo(np.int32), np.dtype(np.uint64): np.iinfo(np.uint32)}  # by JAX, to these


def refuse_cut(name, parts):
    """`OverflowError` for integers that JAX would cut to their lower 32 bits, as it does without a word.

    Only arrays of 64-bit integers are looked at: 10 us for 16,000 labels.
    """
    import jax

    for part in parts:
        limits = _CUT.get(part.dtype) if isinstance(part, np.ndarray) else None
        if limits is None or not part.size or jax.config.jax_enable_x64:
            continue
        beyond = next((one for one in (part.max(), part.min()) if not limits.min <= one <= limits.max), None)
        if beyond is not None:
            raise OverflowError(
                f"output `{name}` has {beyond}, of which JAX keeps the lower 32 bits: make the iterator under "
                "jax.enable_x64(True), or set jax_enable_x64"
            )


def _lies_on(piece, device):
    """Whether it is an array of JAX there already: placing it anew would still cost 25 us."""
    import jax

    return isinstance(piece, jax.Array) and piece.device == device


def _other_memory(sharding):
    """The kind of memory that the sharding says, None for that in which devices put arrays anyway."""
    kinds = {device.default_memory().kind for device in sharding.addressable_devices}
    return None if sharding.memory_kind in {None, *kinds} else sharding.memory_kind


def _joined(how, parts, device):
    """One array, on the device where the parts are JAX's: several may have made them. `how` is NumPy's name for it."""
    import jax

    if not isinstance(parts[0], jax.Array):
        return getattr(np, how)(parts)
    return getattr(jax.numpy, how)(jax.device_put(parts, device))


class OnOneDevice:
    """Places parts on one device; with `stack` along a new first axis."""

    def __init__(self, device, stack):
        import jax

        self._device = device
        self._stack = stack
        # Where JAX has a single device any choice of it is the same, and most of device_put's time can be saved.
        self._only_place = jax.sharding.SingleDeviceSharding(jax.devices()[0]) if _has_one_device() else None

    def __call__(self, parts):
        import jax

        where = self._device or getattr(parts[0], "device", None)
        whole = _joined("stack", parts, where) if self._stack else parts[0]
        if isinstance(whole, jax.Array) and self._device in (None, whole.device):
            return whole
        if self._only_place is None:
            return jax.device_put(whole, self._device)
        put = _put_of_jax() if isinstance(whole, np.ndarray) else None
        if put is None or whole.dtype.itemsize > 4:  # JAX may be told to make 32 bits of 64
            return jax.make_array_from_callback(whole.shape, self._only_place, lambda _: whole)
        return put(_described(whole.shape, whole.dtype), self._only_place, [whole], jax.devices())


def _has_one_device():
    import jax

    return jax.device_count() == 1 and jax.config.jax_default_device in (None, jax.devices()[0])


@functools.cache
def _put_of_jax():
    """What all public functions that place an array come to; None where JAX has it no longer, or otherwise.

    They ask so much about their arguments that an array takes 20 us with the quickest of them and 3 us without.
    """
    import jax

    place, one = jax.sharding.SingleDeviceSharding(jax.devices()[0]), np.ones(1, np.float32)
    try:
        from jax._src.lib import xla_client  # JAX has no public name for it

        put = xla_client.batched_device_put
        put(_described(one.shape, one.dtype), place, [one], jax.devices()).block_until_ready()
    except Exception:  # noqa: BLE001 - whatever another JAX makes of such a call
        return None
    return put


@functools.lru_cache(maxsize=64)
def _described(shape, dtype):
    import jax

    return jax.core.ShapedArray(shape, dtype)
