"""GPU memory: limits hold, shortage is an error with numbers from which a pipeline recovers, close() gives it back."""

import pytest

PRELUDE = """
import numpy as np
import torch
import penstock
from penstock import Pipeline, fn

MB = 1 << 20
counter = iter(range(10**9))

def pipeline(megabytes, prefetch=1):
    def source():
        return np.full((4, megabytes * MB // 4), next(counter) % 251, np.uint8)
    with Pipeline(batch_size=4, device_id=0, prefetch_queue_depth=prefetch) as pipe:
        pipe.set_outputs(fn.external_source(source=source).gpu())
    return pipe

def attempt(call):
    try:
        return str(len(call()))
    except MemoryError as error:
        return f"MemoryError: {error}"

def free():
    return torch.cuda.mem_get_info()[0]
"""


@pytest.fixture
def told(script):
    """The lines that the code prints in a process of its own, where no other pipeline holds memory."""
    pytest.importorskip("torch")
    return lambda code: script(code=PRELUDE + code).splitlines()


def test_a_limit_holds_and_the_pipeline_goes_on(told):
    lines = told("""
penstock.memory.set_limit(100 * MB, device_id=0)
pipe = pipeline(40)
print(attempt(pipe.run))
held = [pipe.run(), pipe.run()]
print(attempt(pipe.run))
print(penstock.memory.use(0)["in_use"] <= 100 * MB, penstock.memory.use(0)["limit"] // MB)
held.clear()
print(attempt(pipe.run))
penstock.memory.set_limit(0, device_id=0)
held = [pipe.run() for _ in range(5)]
print(penstock.memory.use(0)["in_use"] >= 200 * MB)
""")
    assert lines[0] == "1"
    assert "MemoryError" in lines[1] and "would pass the limit of 104857600" in lines[1]
    assert "let go of earlier batches, or raise the limit" in lines[1]
    assert lines[2:] == ["True 100", "1", "True"]


def test_shortage_is_named_and_passes(told):
    lines = told("""
pipe = pipeline(2048)
small = pipeline(16)
for _ in range(3):
    small.run()
hog = torch.empty(free() - 200 * MB, dtype=torch.uint8, device="cuda")
print(attempt(pipe.run))
print(attempt(small.run))
del hog
torch.cuda.empty_cache()
print(attempt(pipe.run))
""")
    assert "MemoryError" in lines[0] and "GPU 0 has no 2147483648 bytes of memory for a batch" in lines[0]
    assert "XLA_PYTHON_CLIENT_MEM_FRACTION" in lines[0]
    assert lines[1:] == ["1", "1"]


def test_memory_goes_back_when_the_last_pipeline_is_closed(told):
    lines = told("""
torch.zeros(1, device="cuda")
first, second = pipeline(4, 2), pipeline(4, 2)
first.run(), second.run()
first.close(), second.close()
before = free()
first, second = pipeline(256, 2), pipeline(256, 2)
kept = [pipe.run() for pipe in (first, second) for _ in range(3)]
print((before - free()) // MB >= 1536)
first.close()
kept, last = None, torch.from_dlpack(second.run()[0].as_tensor())
second.close()
print((before - free()) // MB in range(256, 300))
print(int(last[3, -1]) < 251)
del last
torch.cuda.synchronize()
print((before - free()) // MB)
print(penstock.memory.use(0))
""")
    assert lines[:3] == ["True"] * 3
    assert int(lines[3]) <= 2
    assert lines[4] == "{'in_use': 0, 'idle': 0, 'limit': 0}"
