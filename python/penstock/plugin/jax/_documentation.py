"""Documentation that the iterator and its decorator share."""

ARGUMENTS = """output_map : list of str
    Names of the pipelines' outputs, in order. Each batch is a dict from these names to arrays.
size : int, default = -1
    Samples in an epoch over all pipelines, when there is no reader to ask; -1 ends with the pipelines' sources.
reader_name : str, default = None
    The reader that decides about epochs. Not needed where the only reader was given `epoch_end`.
auto_reset : bool or str, default = False
    Whether the end of an epoch begins the next one by itself; a new for-loop always does.
last_batch_padded : bool, default = False
    Without `reader_name`: whether the pipelines pad the last batch.
last_batch_policy : LastBatchPolicy, default = LastBatchPolicy.FILL
    What happens to the last batch of an epoch, unless the reader was given `epoch_end`. Every process takes the same
    number of steps. With PARTIAL the last batch has as many rows from each shard as the longest has left, so that the
    array still falls into equal parts. Where rows may be padding, with ``epoch_end="pad"`` or with PARTIAL on several
    shards, each dict has one more entry, `valid`, which is False for them.
prepare_first_batch : bool, default = True
    Whether the first batch is made when the iterator is.
sharding : jax.sharding.Sharding or dict of them, default = None
    How batches lie on devices of all processes, for all outputs or for each by its name. The part of each device comes
    from the sharding's index map. Devices that hold the same rows get them from one pipeline.
pmap_compatible : bool, default = None
    Whether arrays get a leading axis of devices, as functions made by `jax.pmap` take them.
"""

DEVICES = """devices : list of jax.Device, default = None
    Devices that each get a pipeline of their own, in this process or in several; arrays have a leading axis of devices.
"""
