"""Memory that the batches of all pipelines of this process share."""

from . import _core, _options

__all__ = ["release_unused", "set_limit", "use"]


def use(device_id=None):
    """What batches hold, in bytes: a dict of `in_use`, `idle` (kept for the next ones) and `limit` (0: none).

    Args
    ----
    device_id : int, default = None
        Number of a GPU; the host's memory when not given.
    """
    return _core.memory_use(_number_of(device_id))


def set_limit(limit, device_id=None):
    """Lets batches hold `limit` bytes at a time, idle ones included; 0 means no limit.

    A batch that would pass it ends with a `MemoryError` that has the numbers; the pipeline goes on when others have
    been let go. Batches in the making count too: as many as the prefetch depth says. So does what a GPU needs on the
    way.

    Args
    ----
    limit : int
        Bytes.
    device_id : int, default = None
        Number of a GPU; the host's memory when not given. What the host pins for GPUs to copy from is not counted.
    """
    limit = _options.whole("limit, in bytes,", limit)
    if limit < 0:
        raise ValueError(f"limit must not be negative, got {limit}")
    _core.set_memory_limit(limit, _number_of(device_id))


def release_unused():
    """Gives memory that is kept for coming batches back to the system and to the GPUs. Waits for the GPUs.

    When the last pipeline of a GPU is closed, its memory goes back by itself.
    """
    _core.release_unused_memory()


def _number_of(device_id):
    return -1 if device_id is None else _options.whole("device_id", device_id, 32)
