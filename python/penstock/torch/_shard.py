"""Giving the readers of a pipeline their part of the data, before it is built."""

from ..pipeline.contract import open_operators

_OF_DALI = {"pad_last_batch", "epoch_end"}  # the user has said how epochs end


def give_shards(pipe, ranks, epoch_end):
    """Tells all readers of `pipe` which shard they are and how epochs end, where they were not told.

    A reader that was given `shard_id` or `num_shards` keeps both. `ValueError` for a pipeline that is built already and
    gives the whole data set to each of several ranks, or was not told how epochs end.
    """
    operators = open_operators(pipe)
    if operators is None:
        _check_built(pipe, ranks, epoch_end)
        return
    mixed = {node.source for operator in operators if operator.schema.kind == "reader" for node in operator.inputs}
    for operator in operators:
        if operator.schema.kind != "reader" or operator in mixed:
            continue
        if not {"shard_id", "num_shards"} & operator.args.keys():
            operator.args |= {"shard_id": ranks.rank, "num_shards": ranks.size}
        if not _OF_DALI & operator.args.keys():
            operator.args["epoch_end"] = epoch_end


def _check_built(pipe, ranks, epoch_end):
    metas = pipe.reader_facts().values()
    whole = [meta["number_of_shards"] == 1 for meta in metas]
    if ranks.size > 1 and any(whole):
        raise ValueError(
            f"the pipeline was built for one process, but this is rank {ranks.rank} of {ranks.size} "
            f"({ranks.source}): give the loader a pipeline that was not built yet, or its readers shard_id and "
            "num_shards"
        )
    if not all(meta["epoch_end"] or meta["pad_last_batch"] for meta in metas):
        raise ValueError(
            f"the pipeline was built already, so that its readers can no longer be told epoch_end={epoch_end!r}: give "
            "the loader a pipeline that was not built yet, or its readers an epoch_end"
        )
