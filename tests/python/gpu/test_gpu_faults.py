"""A kernel, anybody's, that breaks the GPU's context: the pipeline says so and the process ends by itself."""

import subprocess
import sys

import pytest

PRELUDE = """
import sys, time
import numpy as np
import torch
from penstock import Pipeline, fn

def pipeline(**more):
    with Pipeline(batch_size=8, device_id=0, **more) as pipe:
        jpegs, _ = fn.readers.file(file_root=sys.argv[1], random_shuffle=True)
        pipe.set_outputs(fn.resize(fn.decoders.image(jpegs, device="mixed", decoder="cuda"), size=[64, 64]))
    return pipe

def write_to_a_bad_address():
    import cupy
    kernel = cupy.RawKernel('extern "C" __global__ void bad(int* p) { *p = 1; }', "bad")
    kernel((1,), (1,), (np.uintp(16),))

def fail_an_assertion():
    torch.zeros(3, device="cuda")[torch.full((1,), 1_000_000, device="cuda")]

def until_it_says_so(pipe, what):
    begun = time.monotonic()
    try:
        while time.monotonic() - begun < 30:
            pipe.run()
        print(what, "said nothing")
    except RuntimeError as error:
        print(what, f"{time.monotonic() - begun:.1f} s", error, flush=True)
"""


def run(code, *arguments):
    command = [sys.executable, "-c", PRELUDE + code, *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, timeout=100, check=False)


@pytest.mark.parametrize("fault", ["write_to_a_bad_address", "fail_an_assertion"])
@pytest.mark.parametrize("on_error", ["raise", "skip"])
def test_a_fault_comes_out_of_run_and_the_process_ends(pictures, fault, on_error):
    pytest.importorskip("cupy")
    done = run(
        f"""
pipe, other = pipeline(on_error={on_error!r}), pipeline()
for _ in range(5):
    kept = pipe.run(), other.run()
{fault}()
until_it_says_so(pipe, "first:")
until_it_says_so(pipe, "again:")
until_it_says_so(other, "other:")
try:
    kept[0][0].as_cpu()
except RuntimeError as error:
    print("copy:", error)
pipe.close()
print("closed", flush=True)
""",
        pictures,
    )
    lines = done.stdout.splitlines()
    assert lines[-1] == "closed", done.stdout + done.stderr
    for line in lines[:3]:
        assert "GPU 0 is lost" in line and "restart the process" in line, done.stdout
    assert "illegal" in lines[0] or "assert" in lines[0], done.stdout
    assert done.returncode >= 0, done.stderr  # no signal ended it


def test_a_fault_while_a_batch_waits_on_the_gpu(pictures):
    """Nothing that is called fails then: only the GPU's own report tells that the batch will never be done."""
    pytest.importorskip("cupy")
    done = run(
        """
pipe = pipeline()
import cupy
bad = cupy.RawKernel('extern "C" __global__ void bad(int* p) { if (p) *p = 1; }', "bad")
bad((1,), (1,), (np.uintp(0),))  # compiled
stream = torch.cuda.Stream()
held = [pipe.run() for _ in range(12)]
with torch.cuda.stream(stream):
    views = [torch.from_dlpack(batch.as_tensor()) for (batch,) in held]
    sums = [view.sum() for view in views]
    torch.cuda._sleep(6_000_000_000)  # some 3 s, in which batches wait to write what is read here
    with cupy.cuda.ExternalStream(stream.cuda_stream):
        bad((1,), (1,), (np.uintp(16),))
    sums += [view.sum() for view in views]
del held, views
until_it_says_so(pipe, "waited:")
""",
        pictures,
    )
    assert "GPU 0 is lost: a kernel: an illegal memory access" in done.stdout, done.stdout + done.stderr
    assert "seen in batch" in done.stdout and "decoders.image" in done.stdout, done.stdout
    seconds = float(done.stdout.split("waited: ")[1].split(" s")[0])
    assert 1 < seconds < 20
