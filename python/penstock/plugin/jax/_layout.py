"""Which rows of a batch each device holds, read from the shardings' own index maps."""

import copy
import math

_MOST_DIMENSIONS = 8


def index_map(sharding):
    """The slices that each device holds of an array of the least rank that the sharding fits; else `ValueError`."""
    count = len(sharding.device_set)  # every axis of a mesh divides it, and so does every product of them
    for rank in range(1, _MOST_DIMENSIONS + 1):
        try:
            return sharding.devices_indices_map((count,) * rank)
        except (ValueError, IndexError, AssertionError):  # made for arrays of more dimensions
            continue
    raise ValueError(f"{sharding} fits arrays of no number of dimensions up to {_MOST_DIMENSIONS}")


def row_blocks(sharding):
    """(number of equal blocks into which the sharding cuts the rows, the block of each device).

    A device's number says nothing: meshes may be permuted, have axes that replicate, and span processes.
    """
    starts = {device: index[0].start or 0 for device, index in index_map(sharding).items()}
    order = {start: i for i, start in enumerate(sorted(set(starts.values())))}
    return len(order), {device: order[start] for device, start in starts.items()}


class Layout:
    """The shards into which a batch falls so that every device's rows, in every output, are whole shards.

    `num_shards` counts those of all processes; `local` are the shards that devices of this process hold rows of: each
    is read and decoded once here, however many devices hold it.
    """

    def __init__(self, shardings):
        blocks = {sharding: row_blocks(sharding) for sharding in shardings}
        self.num_shards = math.lcm(*(count for count, _ in blocks.values()))
        self._shards = {}  # by sharding and device
        for sharding, (count, block_of) in blocks.items():
            self._add(sharding, count, block_of)
        self.local = sorted({shard for one in shardings for shard in self._local(one)})

    def _add(self, sharding, count, block_of):
        per_block = self.num_shards // count
        for device, block in block_of.items():
            self._shards[sharding, device] = range(block * per_block, (block + 1) * per_block)

    def _local(self, sharding):
        return {shard for device in sharding.addressable_devices for shard in self._shards[sharding, device]}

    def with_sharding(self, sharding):
        """The same shards, for one more sharding. `ValueError` when it needs others than this process makes."""
        made = copy.copy(self)
        made._shards = dict(self._shards)
        count, block_of = row_blocks(sharding)
        if self.num_shards % count == 0:
            made._add(sharding, count, block_of)
        if self.num_shards % count or not made._local(sharding) <= set(self.local):
            raise ValueError(
                f"{sharding} cuts the rows into {count} pieces that do not fit the iterator's {self.num_shards} "
                f"shards, of which this process makes {self.local}; use the iterator's sharding"
            )
        return made

    def positions(self, sharding, device):
        """Where the rows of a device of this process are in `local`."""
        return tuple(self.local.index(shard) for shard in self._shards[sharding, device])

    def device_of(self, shard):
        """The device of this process that holds the shard and, in some output, least besides it."""
        holders = [
            (len(shards), device.id, device)
            for (one, device), shards in self._shards.items()
            if shard in shards and device in one.addressable_devices
        ]
        return min(holders)[2]
