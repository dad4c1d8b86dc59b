"""What Penstock leaves of itself in the caller's threads, and on GPUs that are not asked for: nothing."""

import pytest

from penstock import _core

PRELUDE = """
import ctypes
import numpy as np
from penstock import Pipeline, fn

driver = ctypes.CDLL("libcuda.so.1")
assert driver.cuInit(0) == 0

def current():
    context = ctypes.c_void_p()
    assert driver.cuCtxGetCurrent(ctypes.byref(context)) == 0
    return context.value

def active(gpu):
    flags, state = ctypes.c_uint(), ctypes.c_int()
    assert driver.cuDevicePrimaryCtxGetState(gpu, ctypes.byref(flags), ctypes.byref(state)) == 0
    return state.value

def run(gpu):
    with Pipeline(batch_size=2, device_id=gpu) as pipe:
        pipe.set_outputs(fn.external_source(source=lambda: np.ones((2, 3), np.float32)).gpu() + 1)
    batch = pipe.run()[0].as_cpu().as_array()
    pipe.close()
    return batch.sum()
"""


def test_a_thread_without_a_context_has_none_afterwards(script):
    assert script(code=PRELUDE + "print(current(), run(0), current(), active(0))").split() == [
        "None",
        "12.0",
        "None",
        "1",
    ]


def test_a_pipeline_makes_no_context_on_another_gpu(script):
    if _core.gpu_count() < 2:
        pytest.skip("needs two GPUs")
    assert script(code=PRELUDE + "print(run(1), active(0), active(1))").split() == ["12.0", "0", "1"]
