"""Processes that make one batch together compare what they are about to make."""

import collections
import hashlib
import itertools
import json
import os

from ... import _core
from ._service import client, fetched

_LIMIT = "PENSTOCK_AGREE_SECONDS"
# Of iterators, by the processes that take part: those make the same ones in the same order.
_numbers = collections.defaultdict(itertools.count)


class Agreement:
    """Compares iterators of all processes whose devices take part in `shardings`, through JAX's coordination service.

    No collective is launched, so a process that does not come is named after a time limit (`PENSTOCK_AGREE_SECONDS`, 60
    when not set) instead of being waited for.
    """

    def __init__(self, shardings):
        self._devices = {device for one in shardings for device in one.device_set}
        self._processes = tuple(sorted({device.process_index for device in self._devices}))

    def check(self, iterator):
        """Raises `RuntimeError` in all processes that say different things, and names those and the difference."""
        import jax

        own = jax.process_index()
        if len(self._processes) < 2 or own not in self._processes:
            return
        key = f"penstock/{self._processes}/{next(_numbers[self._processes])}"
        mine = _facts(iterator)
        gpus = [_core.gpu_uuid(device.local_hardware_id) for device in self._devices if _is_gpu_of(device, own)]
        client().key_value_set(f"{key}/{own}", json.dumps([mine, gpus]))
        seconds = float(os.environ.get(_LIMIT, 60))
        for other in self._processes:
            if other != own:
                theirs, their_gpus = json.loads(_fetched(f"{key}/{other}", other, seconds))
                _compare(mine, theirs, own, other)
                if shared := set(gpus) & set(their_gpus):
                    raise RuntimeError(
                        f"processes {own} and {other} both use the GPU {shared.pop()}, and no collective can run so: "
                        "start each with GPUs of its own in CUDA_VISIBLE_DEVICES, or give local_device_ids to "
                        "jax.distributed.initialize"
                    )


def _is_gpu_of(device, process):
    return device.platform == "gpu" and device.process_index == process and _core.gpu_count()


def _fetched(key, process, seconds):
    try:
        return fetched(key, seconds)
    except TimeoutError as error:
        raise RuntimeError(
            f"process {process} made no such iterator within {seconds:g} s: every process of the sharding must make "
            f"the same iterators in the same order ({_LIMIT} changes the limit)"
        ) from error


def _compare(mine, theirs, own, other):
    for what in {**mine, **theirs}:
        here, there = mine.get(what), theirs.get(what)
        if here != there:
            raise RuntimeError(
                f"the iterators of processes {own} and {other} differ in {what}: {here} here, {there} there"
            )


def _facts(iterator):
    """What must be equal, by name. Which files a process reads may differ; how many steps it takes may not."""
    pipes = iterator._pipes
    facts = {
        "outputs": iterator.output_map,
        "samples per shard and batch": iterator.batch_size,
        "shards": iterator._target.num_shards,
        "steps per epoch": len(iterator) if iterator._epochs.size >= 0 else "until the sources end",
        "functions with a sharding": [function.label for function in iterator.functions],
    }
    states = pipes[0].state_dict()["engine"].get("readers", [])
    for (name, meta), state in zip(pipes[0].reader_meta().items(), states, strict=True):
        facts[f"shuffle seed of reader `{name}`"] = pipes[0]._given["shuffle_seed"]
        if meta["number_of_shards"] > 1:  # else each process may well have files of its own
            facts[f"size of the data set of reader `{name}`"] = meta["epoch_size"]
            facts[f"fingerprint of the data set of reader `{name}`"] = state["data"]
        facts[f"number of shards of reader `{name}`"] = meta["number_of_shards"]
    facts["operators"] = hashlib.blake2b(_operators(pipes[0]).encode(), digest_size=6).hexdigest()
    return facts


def _operators(pipe):
    return "\n".join(op for op, *_ in pipe._graph.nodes)
