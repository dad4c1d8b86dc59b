"""Shuffles of readers as DALI has them: of the samples in a buffer, which is filled up in the order of the data set."""

_DEFAULT_FILL = 1024
# Readers whose list of files is shuffled itself, once for all epochs.
_OF_LISTS = {"readers.coco", "readers.file", "readers.nemo_asr", "readers.numpy", "readers.sequence"}
_OTHERWISE = ("shuffle_buffer", "shuffle_groups")  # what a user of Penstock's own arguments asks for


def buffered(name, given):
    """The arguments of the reader `name` of which some are `given`; those of a shuffle say how it mixes."""
    if not given.get("random_shuffle") or name == "readers.mixture" or any(one in given for one in _OTHERWISE):
        return given
    fill = given.get("initial_fill")
    size = _DEFAULT_FILL if fill is None else max(int(fill), 1)
    return {**given, "shuffle_buffer": size, "shuffle_list": name in _OF_LISTS}
