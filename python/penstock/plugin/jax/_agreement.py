"""Processes that make one batch together compare what they are about to make."""

import collections
import hashlib
import json
import os
import reprlib

from ... import _core
from ...pipeline.contract import operator_names, run_of
from ._layout import index_map
from ._rounds import LIMIT as _BATCH_LIMIT
from ._rounds import seconds_to_come, short
from ._service import client, fetched

_LIMIT = "PENSTOCK_AGREE_SECONDS"
# Of iterators, by the processes that take part: those make the same ones in the same order.
_numbers = collections.Counter()


class Agreement:
    """Compares iterators of all processes whose devices take part in `shardings`, through JAX's coordination service.

    No collective is launched, so a process that does not come is named after a time limit instead of being waited for:
    `PENSTOCK_AGREE_SECONDS` (60 when not set), for the first batch `PENSTOCK_STEP_SECONDS` (600 when not set).
    """

    def __init__(self, shardings):
        import jax

        self._devices = {device for one in shardings for device in one.device_set}
        self._processes = tuple(sorted({device.process_index for device in self._devices}))
        self._own = jax.process_index()
        others = [one for one in self._processes if one != self._own]
        self._others = (
            others if len(others) < len(self._processes) else []
        )  # a process without a device does not take part
        self._key = None

    def check(self, iterator, places):
        """Raises `RuntimeError` in all processes that say different things, and names those and the difference.

        `places` is what must be equal of where arrays lie, by name.
        """
        if not self._others:
            return
        mine = {**_facts(iterator), **places}
        gpus = [_core.gpu_uuid(device.local_hardware_id) for device in self._devices if _is_gpu_of(device, self._own)]
        self._key = f"penstock/{self._processes}/{_numbers[self._processes]}"
        _numbers[self._processes] += 1
        self._say("iterator", [mine, gpus])
        for other in self._others:
            try:
                theirs, their_gpus = self._said(other, "iterator", float(os.environ.get(_LIMIT, 60)), _NO_ITERATOR)
            except BaseException:  # another attempt meets the processes that come to it, not what was said now
                _numbers[self._processes] -= 1
                client().key_value_delete(f"{self._key}/iterator/{self._own}")
                raise
            self._compare(mine, theirs, other)
            if shared := set(gpus) & set(their_gpus):
                raise RuntimeError(
                    f"processes {self._own} and {other} both use the GPU {shared.pop()}, and no collective can run so: "
                    "start each with GPUs of its own in CUDA_VISIBLE_DEVICES, or give local_device_ids to "
                    "jax.distributed.initialize"
                )

    def check_first(self, arrays):
        """Likewise for the first batch, a dict of arrays."""
        if not self._others:
            return
        mine = {f"`{name}` of the first batch": f"{array.dtype}{list(array.shape)}" for name, array in arrays.items()}
        self._say("first", [None, mine])
        for other in self._others:
            error, theirs = self._said(other, "first", seconds_to_come(), _NO_BATCH)
            if error is not None:
                raise RuntimeError(f"process {other} could not make its first batch: {error}")
            self._compare(mine, theirs, other)

    def has_no_first(self, error):
        """Tells the processes that wait in `check_first`."""
        if self._others:
            self._say("first", [short(error), {}])

    def _say(self, what, word):
        client().key_value_set(f"{self._key}/{what}/{self._own}", json.dumps(word))

    def _said(self, other, what, seconds, absent):
        try:
            return json.loads(fetched(f"{self._key}/{what}/{other}", seconds))
        except TimeoutError as error:
            raise RuntimeError(absent.format(process=other, seconds=f"{seconds:g}")) from error

    def _compare(self, mine, theirs, other):
        for what in {**mine, **theirs}:
            here, there = mine.get(what), theirs.get(what)
            if here != there:
                raise RuntimeError(
                    f"the iterators of processes {self._own} and {other} differ in {what}: {here} here, {there} there"
                )


_NO_ITERATOR = (
    "process {process} made no such iterator within {seconds} s: every process of the sharding must make the same "
    f"iterators in the same order ({_LIMIT} changes the limit)"
)
_NO_BATCH = (
    "process {process} made no first batch within {seconds} s: look there for an error or long work "
    f"({_BATCH_LIMIT} changes the limit)"
)


def place_of(sharding):
    """Text that differs where devices hold other parts; a sharding's own does not name devices."""
    parts = {device.id: [one.indices(1 << 30) for one in index] for device, index in index_map(sharding).items()}
    order = sorted(parts, key=lambda device: (parts[device], device))
    return f"{sharding} on devices {reprlib.repr(order)} ({_digest(json.dumps(parts, sort_keys=True))})"


def _digest(text):
    return hashlib.blake2b(text.encode(), digest_size=6).hexdigest()


def _is_gpu_of(device, process):
    return device.platform == "gpu" and device.process_index == process and _core.gpu_count()


def _facts(iterator):
    """What must be equal, by name. Which files a process reads may differ; how many steps it takes may not."""
    import jax

    pipes = iterator._pipes
    facts = {
        "outputs": iterator.output_map,
        "samples per shard and batch": iterator.batch_size,
        "shards": iterator._target.num_shards,
        "steps per epoch": len(iterator) if iterator._epochs.size >= 0 else "until the sources end",
        "last_batch_policy": iterator._policy.name,
        "numbers of 64 bits (`jax_enable_x64`)": bool(jax.config.jax_enable_x64),
        "functions with a sharding": [f"{one.name} on {place_of(one.sharding)}" for one in iterator.functions],
    }
    states = pipes[0].state_dict()["engine"].get("readers", [])
    for (name, meta), state in zip(pipes[0].reader_facts().items(), states, strict=True):
        facts[f"shuffle seed of reader `{name}`"] = run_of(pipes[0]).options["shuffle_seed"]
        if meta["number_of_shards"] > 1:  # else each process may well have files of its own
            facts[f"size of the data set of reader `{name}`"] = meta["epoch_size"]
            facts[f"fingerprint of the data set of reader `{name}`"] = state["data"]
        facts[f"number of shards of reader `{name}`"] = meta["number_of_shards"]
    facts["operators"] = _digest("\n".join(operator_names(pipes[0])))
    return facts
