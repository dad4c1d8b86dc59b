"""The decorators that make iterators of pipeline functions."""

import functools
import inspect

from ..._copied import copied
from ..._options import check_max_batch_size
from ...pipeline import pipeline_def
from ...pipeline.contract import is_pipeline_def
from ..base_iterator import LastBatchPolicy
from ._documentation import ARGUMENTS, DEVICES
from ._gpus import default_number, number_of
from ._iterator import DALIGenericIterator
from ._target import DeviceAxis, spread_of
from ._typed import makes

_OF_SHARDS = "device_id", "shard_id", "num_shards"


@makes(DALIGenericIterator)
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
    return make_decorator(
        DALIGenericIterator,
        pipeline_fn,
        sharding,
        devices,
        pmap_compatible,
        output_map=output_map,
        size=size,
        reader_name=reader_name,
        auto_reset=auto_reset,
        last_batch_padded=last_batch_padded,
        last_batch_policy=last_batch_policy,
        prepare_first_batch=prepare_first_batch,
    )


def make_decorator(iterator_class, pipeline_fn, sharding, devices, pmap_compatible, **options):
    """The decorator, or with `pipeline_fn` what it makes of that. `options` are the iterator's."""
    if sharding is not None and devices is not None:
        raise ValueError("Only one of `sharding` and `devices` arguments can be provided.")
    sharding = dict(sharding) if isinstance(sharding, dict) else sharding
    devices, options = copied(devices), copied(options)

    def decorate(function):
        make = function if is_pipeline_def(function) else pipeline_def(function)
        signature = inspect.signature(function)

        @functools.wraps(function)
        def create_iterator(*args, checkpoints=None, **kwargs):
            where = sharding
            if devices is not None:  # made here: JAX may be initialised after the decorator was applied
                where = DeviceAxis(devices) if pmap_compatible is not False else DeviceAxis(devices).sharding
            if where is None:
                kwargs.setdefault("device_id", default_number())
                all_kwargs = [kwargs]
            else:
                _refuse_given({**signature.bind_partial(*args).arguments, **kwargs})
                layout = spread_of(where, options["output_map"]).layout
                all_kwargs = _per_shard(kwargs, layout, signature.parameters)
            pipelines = _with_checkpoints(make, args, all_kwargs, checkpoints)
            return iterator_class(pipelines, sharding=where, pmap_compatible=pmap_compatible, **options)

        return create_iterator

    return decorate if pipeline_fn is None else decorate(pipeline_fn)


def _refuse_given(given):
    """`ValueError` for arguments that would have to differ from shard to shard."""
    if taken := [f"{name}={given[name]!r}" for name in _OF_SHARDS if name in given]:
        raise ValueError(
            f"{', '.join(taken)} cannot be given in the call: `sharding` (or `devices`) sets {', '.join(_OF_SHARDS)}, "
            "for each pipeline its own; leave it out, and give what follows it by keyword"
        )


def _per_shard(kwargs, layout, named):
    """Keywords of each pipeline. `batch_size` is that of the whole batch, over all processes."""
    whole, count = check_max_batch_size(kwargs.get("batch_size")), layout.num_shards
    if whole < count:
        raise ValueError(f"batch_size={whole} is less than the number of shards, {count}")
    if whole % count:
        raise ValueError(
            f"batch_size={whole} does not divide into {count} equal shards; use {whole // count * count} or "
            f"{(whole // count + 1) * count}"
        )
    return [
        {
            **kwargs,
            "batch_size": whole // count,
            "device_id": number_of(layout.device_of(shard)) or 0,
            **{name: value for name, value in (("shard_id", shard), ("num_shards", count)) if name in named},
        }
        for shard in layout.local
    ]


def _with_checkpoints(make, args, all_kwargs, checkpoints):
    if checkpoints is None:
        return [make(*args, **kwargs) for kwargs in all_kwargs]
    if len(checkpoints) != len(all_kwargs):
        raise RuntimeError(
            f"The number of checkpoints ({len(checkpoints)}) must match the number of pipelines ({len(all_kwargs)})"
        )
    return [make(*args, checkpoint=one, **kwargs) for one, kwargs in zip(checkpoints, all_kwargs, strict=True)]


data_iterator.__doc__ = f"""Turns a function that returns nodes, or a pipeline definition, into a maker of iterators.

With `sharding` or `devices` the function gets `num_shards` and `shard_id`, where it has parameters of these names, and
`batch_size` of the call is that of the whole batch, over all devices of all processes. `ValueError` for a call that
gives one of these two itself, or `device_id`, and for a `batch_size` that does not divide by the shards.

Args
----
pipeline_fn : callable
    Returns nodes, as for `pipeline_def`. Its own arguments, and those of `Pipeline`, are given to the maker.
{ARGUMENTS}{DEVICES}"""
