"""The decorator that makes iterators of pipeline functions."""

import functools
import warnings

from ..._pipeline_def import is_pipeline_def
from ...pipeline import pipeline_def
from ..base_iterator import LastBatchPolicy
from ._documentation import ARGUMENTS
from ._iterator import DALIGenericIterator
from ._shards import shards_of

_DEFAULT_THREADS = 4


def data_iterator(
    pipeline_fn=None,
    output_map=[],  # noqa: B006 - DALI's signature; never written
    size=-1,
    reader_name=None,
    auto_reset=False,
    last_batch_padded=False,
    last_batch_policy=LastBatchPolicy.FILL,
    prepare_first_batch=True,
    sharding=None,
    devices=None,
    pmap_compatible=None,
):
    if sharding is not None and devices is not None:
        raise ValueError("Only one of `sharding` and `devices` arguments can be provided.")

    def decorate(function):
        make = function if is_pipeline_def(function) else pipeline_def(function)

        @functools.wraps(function)
        def create_iterator(*args, checkpoints=None, **kwargs):
            kwargs.setdefault("num_threads", _DEFAULT_THREADS)
            if sharding is None and devices is None:
                kwargs.setdefault("device_id", 0)
                pipelines = _with_checkpoints(make, args, [kwargs], checkpoints)
            else:
                pipelines = _with_checkpoints(make, args, _per_shard(kwargs, sharding, devices), checkpoints)
            iterator = DALIGenericIterator(
                pipelines=pipelines,
                output_map=output_map,
                size=size,
                reader_name=reader_name,
                auto_reset=auto_reset,
                last_batch_padded=last_batch_padded,
                last_batch_policy=last_batch_policy,
                prepare_first_batch=prepare_first_batch,
                sharding=sharding,
                pmap_compatible=pmap_compatible,
            )
            iterator._devices = devices
            return iterator

        return create_iterator

    return decorate if pipeline_fn is None else decorate(pipeline_fn)


def _per_shard(kwargs, sharding, devices):
    """Keywords of each pipeline. `batch_size` is that of the whole batch, over all processes."""
    if sharding is not None:
        local, num_shards = shards_of(sharding)
        indices = [shard.index for shard in local]
    else:
        _check_one_process()
        num_shards, indices = len(devices), list(range(len(devices)))
    per_shard, left = divmod(kwargs.pop("batch_size"), num_shards)
    if not per_shard:
        raise ValueError(f"batch_size={left} is less than the number of shards, {num_shards}")
    if left:
        warnings.warn(
            f"batch_size={per_shard * num_shards + left} does not divide into {num_shards} equal shards: batches have "
            f"{per_shard * num_shards} samples",
            stacklevel=4,
        )
    return [
        {**kwargs, "batch_size": per_shard, "device_id": position, "shard_id": index, "num_shards": num_shards}
        for position, index in enumerate(indices)
    ]


def _check_one_process():
    import jax

    if jax.local_device_count() != jax.device_count():
        raise RuntimeError("`devices` works in one process only; use `sharding` with several processes")


def _with_checkpoints(make, args, all_kwargs, checkpoints):
    if checkpoints is None:
        return [make(*args, **kwargs) for kwargs in all_kwargs]
    if len(checkpoints) != len(all_kwargs):
        raise RuntimeError(
            f"The number of checkpoints ({len(checkpoints)}) must match the number of pipelines ({len(all_kwargs)})"
        )
    return [make(*args, checkpoint=one, **kwargs) for one, kwargs in zip(checkpoints, all_kwargs, strict=True)]


data_iterator.__doc__ = f"""Turns a function that returns nodes, or a pipeline definition, into a maker of iterators.

With `sharding` or `devices` the function gets `num_shards` and `shard_id`, and `batch_size` of the call is that of the
whole batch, over all devices.

Args
----
pipeline_fn : callable
    Returns nodes, as for `pipeline_def`. Its own arguments, and those of `Pipeline`, are given to the maker.
{ARGUMENTS}devices : list of jax.Device, default = None
    Devices that each get a pipeline of their own; arrays have a leading axis of devices.
"""
