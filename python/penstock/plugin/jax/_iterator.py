"""Batches of pipelines as JAX arrays."""

import functools

import numpy as np

from ..base_iterator import BaseIterator, LastBatchPolicy
from ._documentation import ARGUMENTS
from ._handoff import Handoff
from ._shards import shards_of


class DALIGenericIterator(BaseIterator):
    def __init__(
        self,
        pipelines,
        output_map,
        size=-1,
        reader_name=None,
        auto_reset=False,
        last_batch_padded=False,
        last_batch_policy=LastBatchPolicy.FILL,
        prepare_first_batch=True,
        sharding=None,
        pmap_compatible=None,
    ):
        import jax

        assert len(set(output_map)) == len(output_map), "output_map names should be distinct"
        assert last_batch_policy is not LastBatchPolicy.PARTIAL, (
            "JAX iterator does not support partial last batch policy."
        )
        assert sharding is None or isinstance(sharding, jax.sharding.Sharding), (
            f"`sharding` should be an instance of `jax.sharding.Sharding`, got {type(sharding)}"
        )
        self.output_map = list(output_map)
        self._sharding = sharding
        self._pmap = pmap_compatible
        self._handoff = Handoff()
        self._devices = None  # one per pipeline, where data_iterator was given `devices`
        super().__init__(
            pipelines, size, reader_name, auto_reset, last_batch_padded, last_batch_policy, prepare_first_batch
        )
        if sharding is not None:
            self._shards, self._num_shards = shards_of(sharding)
            assert len(self._shards) == len(self._pipes), (
                f"the sharding has {len(self._shards)} shards in this process, there are {len(self._pipes)} pipelines"
            )

    def __next__(self):
        outputs = [outputs for outputs, _kept in self._next()]
        count = len(outputs[0])
        assert count == len(self.output_map), (
            f"output_map has {len(self.output_map)} names, the pipeline {count} outputs"
        )
        batch = {}
        for i, name in enumerate(self.output_map):
            batch[name] = self._assemble([self._handoff.array(one[i]) for one in outputs])
        if self._pads:
            batch.setdefault("valid", self._assemble([one.valid for one in outputs]))
        return batch

    def _assemble(self, parts):
        """One array of the framework from one array per pipeline."""
        assert len({part.shape for part in parts}) == 1, "Shards shapes have to be the same."
        if self._sharding is not None:
            return self._sharded(parts)
        if self._devices is not None and (len(parts) > 1 or self._pmap is not False):
            return self._by_device(parts)
        return self._on_one_device(parts)

    def _sharded(self, parts):
        import jax

        shape = (self._num_shards * parts[0].shape[0], *parts[0].shape[1:])
        index_of = self._sharding.addressable_devices_indices_map(shape)
        arrays = [
            jax.device_put(part[(slice(None), *index_of[device][1:])], device)
            for shard, part in zip(self._shards, parts, strict=True)
            for device in shard.devices
        ]
        return jax.make_array_from_single_device_arrays(shape, self._sharding, arrays)

    def _by_device(self, parts):
        """A leading axis of devices, as functions made by `pmap` take it."""
        import jax

        mesh = jax.sharding.Mesh(np.array(self._devices), ("device",))
        sharding = jax.sharding.NamedSharding(mesh, jax.sharding.PartitionSpec("device"))
        arrays = [jax.device_put(part[None], device) for part, device in zip(parts, self._devices, strict=True)]
        return jax.make_array_from_single_device_arrays((len(parts), *parts[0].shape), sharding, arrays)

    def _on_one_device(self, parts):
        import jax

        if len(parts) > 1 or self._pmap:
            return jax.device_put(np.stack(parts), self._device())
        if self._only_place is not None:
            # Half of device_put's time, which is a tenth of a small batch's.
            return jax.make_array_from_callback(parts[0].shape, self._only_place, lambda _: parts[0])
        return jax.device_put(parts[0], self._device())

    @functools.cached_property
    def _only_place(self):
        """The sharding of all arrays where JAX has a single device, so that it does not matter who chose it."""
        import jax

        return jax.sharding.SingleDeviceSharding(jax.devices()[0]) if jax.device_count() == 1 else None

    def _device(self):
        """The device that the pipeline was given, where the process has several GPUs; the default one otherwise."""
        import jax

        devices, wanted = jax.local_devices(), self._pipes[0].device_id
        if len(self._pipes) > 1 or wanted is None or devices[0].platform == "cpu" or wanted >= len(devices):
            return None
        return devices[wanted]


DALIGenericIterator.__doc__ = f"""Gives dicts of JAX arrays, for-loop after for-loop an epoch.

Args
----
pipelines : Pipeline or list of them
    One pipeline for each shard of the sharding in this process, in the order of the shards.
{ARGUMENTS}"""
