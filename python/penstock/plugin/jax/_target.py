"""What `sharding`, `devices` and `pmap_compatible` ask for: where the outputs of an iterator go."""

import functools

from ._agreement import Agreement, place_of
from ._gpus import number_of
from ._layout import Layout
from ._placement import OnOneDevice, Sharded, refuse_cut
from ._programs import OverGpus


class DeviceAxis:
    """Asks for arrays with a leading axis of devices, as functions made by `jax.pmap` take them."""

    def __init__(self, devices):
        import jax
        import numpy as np

        given, devices = devices, np.array(devices, dtype=object)
        kinds_fit = devices.ndim == 1 and all(isinstance(one, jax.Device) for one in devices)
        if not kinds_fit or not devices.size or len(set(devices)) != devices.size:
            raise ValueError(
                "`devices` must be a list of different devices, one at least, of those that jax.devices() gives, got "
                f"{given!r}"
            )
        mesh = jax.sharding.Mesh(devices, ("device",))
        self.sharding = jax.sharding.NamedSharding(mesh, jax.sharding.PartitionSpec("device"))


@functools.cache
def side_by_side(devices):
    """Places parts that lie on these devices already, with a leading axis of devices."""
    sharding = DeviceAxis(devices).sharding
    return Sharded(sharding, Layout([sharding]), device_axis=True)


class Spread:
    """Outputs over the devices of shardings, one for each output name."""

    def __init__(self, shardings, device_axis=False):
        self.layout = Layout(list(dict.fromkeys(shardings.values())))
        self.num_shards, self.local = self.layout.num_shards, self.layout.local
        self._shardings = shardings
        self._place = {
            sharding: Sharded(sharding, self.layout, device_axis) for sharding in set(shardings.values())
        }  # fmt: skip

    def place(self, name, parts):
        """The global array of an output from the parts of this process's shards, equal in shape, or whole already."""
        if not isinstance(parts, (list, tuple)):
            return parts
        if len({part.shape for part in parts}) > 1:
            raise ValueError(
                f"`{name}` has parts of different shapes in one batch, {sorted({part.shape for part in parts})}: "
                "sharded arrays need equal ones"
            )
        refuse_cut(name, parts)
        try:
            return self._place[self._shardings[name]](parts)
        except ValueError as error:
            error.add_note(
                f"while placing output `{name}` as {self._shardings[name]} says; a dict of shardings by output name "
                "gives each output its own"
            )
            raise

    def keeps(self, name):
        """Whether a shard's part of that output stays as it is on the shard's GPU."""
        return self._place[self._shardings[name]].keeps()

    def over_gpus(self, names):
        """Where one program can make whole arrays of the outputs; None where none can."""
        shardings = [self._shardings[name] for name in names]
        kept = [self._place[one].kept_in_order() for one in shardings]
        return OverGpus(kept[0], shardings) if kept[0] and all(devices == kept[0] for devices in kept) else None

    def bind(self, function):
        """Says to a function with a sharding which shards the pipelines make."""
        function.bind(self.layout)

    def agree(self, iterator):
        """Compares the iterator with those of the other processes. `RuntimeError` in all of them when they differ."""
        self._agreement = Agreement([*self._shardings.values(), *(one.sharding for one in iterator.functions)])
        placed = {name: self._shardings[name] for name in (*iterator.output_map, "valid")}
        places = {f"the places of `{name}`": place_of(sharding) for name, sharding in placed.items()}
        self._agreement.check(iterator, places)

    def agree_on_first(self, prepare):
        """Likewise on the first batch: `prepare` gives its arrays."""
        try:
            arrays = prepare()
        except BaseException as error:
            self._agreement.has_no_first(error)
            raise
        self._agreement.check_first(arrays)


class Here:
    """Outputs on one device of this process."""

    num_shards = property(lambda self: len(self.local))

    def __init__(self, pipes, stack):
        self.local = range(len(pipes))
        self._stack = stack
        self._put = OnOneDevice(_device_of(pipes), stack)

    def place(self, name, parts):
        """One array; the parts stacked where there are several: over the devices on which they lie, if all differ."""
        import jax

        assert len({part.shape for part in parts}) == 1, f"`{name}`: Shards shapes have to be the same."
        refuse_cut(name, parts)
        devices = tuple(part.device for part in parts if isinstance(part, jax.Array))
        apart = len(parts) > 1 and len(set(devices)) == len(parts)
        return side_by_side(devices)(parts) if apart else self._put(parts)

    def keeps(self, name):
        """Whether a pipeline's part of that output stays as it is."""
        del name
        return not self._stack

    def over_gpus(self, names):
        """There is no such place."""
        del names

    def bind(self, function):
        """The function's own sharding says which shards there are."""
        function.bind(Layout([function.sharding]))

    def agree(self, iterator):
        """Compares with the other processes where functions have devices there."""
        Agreement([function.sharding for function in iterator.functions]).check(iterator, {})

    def agree_on_first(self, prepare):
        """Outputs are this process's own."""
        prepare()


def target_of(sharding, names, pipes, pmap_compatible):
    """Where the outputs called `names` go. `AssertionError` for what is no sharding or does not fit the pipelines."""
    if sharding is None:
        return Here(pipes, stack=len(pipes) > 1 or bool(pmap_compatible))
    target = spread_of(sharding, names)
    assert len(target.local) == len(pipes), (
        f"the sharding has {len(target.local)} shards in this process, there are {len(pipes)} pipelines"
    )
    return target


def spread_of(sharding, names):
    """The `Spread` that a sharding, a dict of them by output name, or a `DeviceAxis` asks for."""
    if isinstance(sharding, DeviceAxis):
        return Spread(_for_all(sharding.sharding, names), device_axis=True)
    if not isinstance(sharding, dict):
        return Spread(_for_all(_checked(sharding), names))
    if missing := [name for name in names if name not in sharding]:
        raise ValueError(f"`sharding` names no sharding for {missing}; it has {sorted(sharding)}")
    shardings = {name: _checked(one) for name, one in sharding.items()}
    return Spread({"valid": _rows_only(shardings[names[0]]), **shardings})


def _for_all(sharding, names):
    return {**dict.fromkeys(names, sharding), "valid": _rows_only(sharding)}


def _rows_only(sharding):
    """The same for an array that has rows only."""
    import jax

    if isinstance(sharding, jax.sharding.NamedSharding) and len(sharding.spec) > 1:
        rows = jax.sharding.PartitionSpec(sharding.spec[0])
        return jax.sharding.NamedSharding(sharding.mesh, rows, memory_kind=sharding.memory_kind)
    return sharding


def _checked(sharding):
    import jax

    assert isinstance(sharding, jax.sharding.Sharding), (
        f"`sharding` should be an instance of `jax.sharding.Sharding`, got {type(sharding)}; for example "
        'NamedSharding(Mesh(np.array(jax.devices()), ("batch",)), PartitionSpec("batch")), which also stands where '
        "PositionalSharding did, or a dict of shardings by output name"
    )
    return sharding


def _device_of(pipes):
    """The device that the pipeline was given, where the process has several GPUs; the default one otherwise."""
    import jax

    if len(pipes) > 1 or pipes[0].device_id is None:
        return None
    return next((one for one in jax.local_devices() if number_of(one) == pipes[0].device_id), None)
