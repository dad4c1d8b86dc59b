"""Which part of a batch each device gets, read from the sharding's own index map."""

from dataclasses import dataclass


@dataclass(frozen=True)
class LocalShard:
    """One part of the global batch that this process makes."""

    index: int
    devices: tuple  # of this process; more than one where the sharding replicates


def _rank(sharding):
    """Rank of the smallest array that the sharding fits."""
    spec = getattr(sharding, "spec", None)
    return max(1, len(spec)) if spec is not None else 1


def shards_of(sharding):
    """(shards of this process in order, number of shards of all processes)."""
    count = len(sharding.device_set)
    shape = (count, *[count] * (_rank(sharding) - 1))  # any mesh axis divides the number of devices
    starts = {device: index[0].start or 0 for device, index in sharding.devices_indices_map(shape).items()}
    order = {start: i for i, start in enumerate(sorted(set(starts.values())))}
    local = {}
    for device, start in starts.items():
        if device in sharding.addressable_devices:
            local.setdefault(order[start], []).append(device)
    return [LocalShard(index, tuple(local[index])) for index in sorted(local)], len(order)
