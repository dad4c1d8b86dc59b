"""Runs a pipeline with the installed wheel: pictures that this program makes are cropped and normalised."""

import os

import numpy as np

import penstock
from penstock import _core, fn, pipeline_def, types


@pipeline_def(batch_size=4, num_threads=2, device_id=None)
def pictures():
    images = fn.external_source(lambda i: [np.full((8, 9, 3), 10 * i + k, np.uint8) for k in range(4)], layout="HWC")
    return fn.crop_mirror_normalize(images, dtype=types.FLOAT, crop=(4, 4), std=[2.0])


(batch,) = pictures().run()
assert batch.as_array().shape == (4, 3, 4, 4), batch.as_array().shape
assert np.all(batch.as_array()[3] == 1.5)
assert _core.XLA_FFI_VERSION == (0, 3), "the wheel must work with the oldest JAX of docs/jax.md"
if os.environ.get("CODECS") or os.environ.get("RELEASE"):
    lacking = {name: lacks for name, version, lacks, _ in _core.picture_libraries() if version and lacks}
    assert not lacking, f"libraries in the wheel that lack something: {lacking}"
print("penstock", penstock.__version__, "works from", penstock.__path__[0])
