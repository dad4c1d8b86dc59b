"""Limits of the memory that batches share, in the host's memory."""

import numpy as np
import pytest

from penstock import Pipeline, _core, fn, memory


@pytest.fixture
def limit():
    """Sets a limit so many bytes above what batches of other tests hold; none afterwards."""
    memory.release_unused()
    yield lambda more: memory.set_limit(memory.use()["in_use"] + more)
    memory.set_limit(0)


@pytest.mark.parametrize("on_error", ["raise", "skip"])
def test_a_limit_ends_a_batch_and_the_pipeline_goes_on(limit, on_error):
    with Pipeline(batch_size=4, prefetch_queue_depth=1, on_error=on_error) as pipe:
        data = fn.external_source(source=lambda: np.ones((4, 1 << 20), np.uint8))
        pipe.set_outputs(fn.cast(data, dtype=9))  # float: 16 MiB a batch
    limit(40 << 20)
    held = [pipe.run(), pipe.run()]
    with pytest.raises(MemoryError, match="more would pass the limit of .* let go of earlier batches"):
        pipe.run()
    held.clear()
    assert len(pipe.run()[0]) == 4
    memory.set_limit(0)
    held = [pipe.run() for _ in range(4)]
    assert memory.use()["in_use"] >= 64 << 20
    del held
    memory.release_unused()
    assert memory.use()["idle"] == 0


_TOO_LARGE = """
import os, resource
from penstock import Pipeline, fn
with Pipeline(batch_size=1 << 30) as pipe:
    pipe.set_outputs(fn.readers.file(files=[os.environ["FILE"]])[1])
resource.setrlimit(resource.RLIMIT_AS, (4 << 30, 4 << 30))
for _ in range(2):
    try:
        pipe.run()
    except MemoryError as error:
        print(error)
"""


def test_a_batch_that_the_system_has_no_memory_for_says_so_each_time(tmp_path, script):
    (tmp_path / "one").write_bytes(b"1")
    said = "the system has no memory for a batch of 1073741824 samples; use a smaller batch_size"
    assert script(code=_TOO_LARGE, FILE=str(tmp_path / "one")).splitlines() == [said, said]


def test_wrong_limits_are_refused():
    with pytest.raises(ValueError, match="limit must not be negative, got -1"):
        memory.set_limit(-1)
    missing = _core.gpu_count()
    with pytest.raises(ValueError, match=f"there is no GPU {missing}"):
        memory.set_limit(1 << 30, device_id=missing)
