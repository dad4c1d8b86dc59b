"""One sample of a pipeline's data set, made beside its run: what samples are where a rank has none."""

import json

from ._pipeline import Pipeline

_WHOLE = {"num_shards": 1, "shard_id": 0, "epoch_end": "pad"}


def sample_of(pipe):
    """A batch of one sample, as a pipeline like `pipe` makes it of all that the readers have; `pipe` stays where it is.

    None where only Python could make it (external sources, functions), and where there is nothing that can be made.
    """
    try:
        stored = json.loads(pipe.serialize())
        for op in stored["graph"]["ops"]:
            if op["op"] == "external_source":
                return None
            if "epoch_end" in op.get("args", ()):
                op["args"].update(_WHOLE)
        made = Pipeline.deserialize(json.dumps(stored).encode(), batch_size=1, num_threads=1, on_error="replace")
        try:
            return made.run()
        finally:
            made.close()
    except (RuntimeError, ValueError):  # Python's functions, damaged data: there is no sample to show
        return None
