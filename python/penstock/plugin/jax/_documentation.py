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
    What happens to the last batch of an epoch, FILL or DROP, unless the reader was given `epoch_end`. With
    ``epoch_end="pad"`` each dict has one more entry, `valid`, which is False for padding.
prepare_first_batch : bool, default = True
    Whether the first batch is made when the iterator is.
sharding : jax.sharding.Sharding, default = None
    How batches lie on devices. The part of each device comes from the sharding's index map.
pmap_compatible : bool, default = None
    Whether arrays get a leading axis of devices, as functions made by `jax.pmap` take them.
"""
