"""The samples of a container in order: what packing and inspecting read."""

import numpy as np

from ..pipeline import Pipeline

_BATCH = 32


def count_of(container):
    """How many samples there are. Errors as those of the reader."""
    with Pipeline(1, num_threads=1, device_id=None) as pipe:
        files, _ = container.read(name="samples")
        pipe.set_outputs(files)
    pipe.build()
    return pipe.reader_meta("samples")["epoch_size"]


def samples_of(container, shard=0, num_shards=1, on_failure=None, threads=1, **options):
    """Yields (bytes, label or None, source) of the samples of a shard, in order.

    `on_failure` is called with (source, reason) of each sample that cannot be read, which is left out; without it an
    error is raised. `options` are those of the container's reader.
    """
    with Pipeline(
        _BATCH, num_threads=threads, device_id=None, on_error="raise" if on_failure is None else "skip"
    ) as pipe:
        files, labels = container.read(
            name="samples", num_shards=num_shards, shard_id=shard, epoch_end="partial", **options
        )
        pipe.set_outputs(*([files] if labels is None else [files, labels]))
    pipe.build()
    told = set()
    for _ in range(pipe.reader_meta("samples")["steps_per_epoch"]):
        outputs = pipe.run()
        labels = [None] * len(outputs[0]) if len(outputs) == 1 else [_number(np.asarray(one)) for one in outputs[1]]
        for file, label in zip(outputs[0], labels, strict=True):
            yield np.asarray(file).tobytes(), label, file.source_info()
        if on_failure is not None:
            for failure in pipe.failures():
                if failure.source not in told:  # made ahead, samples of the next epoch fail again
                    told.add(failure.source)
                    on_failure(failure.source, failure.reason)


def _number(values):
    """The label in a tensor: a number, or its digits as text, as in archives. None where there is neither."""
    if values.dtype == np.uint8 and values.ndim == 1:
        text = values.tobytes().strip()
        return int(text) if text.lstrip(b"-").isdigit() else None
    if values.size != 1:
        return None
    return int(values.reshape(-1)[0])
