"""What Penstock leaves of itself in the caller's threads, and on GPUs that are not asked for: nothing."""

import threading

import numpy as np
import pytest

from penstock import Pipeline, _core, fn

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


def test_another_thread_may_capture_a_graph_meanwhile():
    """In CUDA's strictest mode, in which calls of any thread can end a capture."""
    torch = pytest.importorskip("torch")
    source = np.arange(2 * 300 * 300 * 3, dtype=np.uint8).reshape(2, 300, 300, 3)
    with Pipeline(batch_size=2, device_id=0) as pipe:
        pipe.set_outputs(fn.resize(fn.external_source(source=lambda: source, layout="HWC").gpu(), size=[64, 64]))
    stop, failures = threading.Event(), []

    def consume():
        try:
            while not stop.is_set():
                pipe.run()[0].as_cpu()  # allocates, frees, asks for events and waits
        except Exception as e:
            failures.append(e)

    x = torch.ones(1000, device="cuda")
    thread = threading.Thread(target=consume)
    thread.start()
    try:
        for _ in range(30):
            graph = torch.cuda.CUDAGraph()
            with torch.cuda.graph(graph, capture_error_mode="global"):
                for _ in range(50):
                    y = x * 2
            graph.replay()
            assert y.sum().item() == 2000
    finally:
        stop.set()
        thread.join()
    assert not failures
