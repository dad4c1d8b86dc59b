# %% [markdown]
# # What happens to a broken file
#
# Large data sets hold damaged files. A pipeline can stop at them, replace them, skip them, or give zeros, and it
# always says which they were.

# %%
import os
import sys
import tempfile

sys.path.insert(0, "../../examples")
from scenes import write_scenes

os.chdir(tempfile.mkdtemp())
folder = write_scenes("pictures", count=3, size=96)
broken = folder / "house" / "001.jpg"
_ = broken.write_bytes(broken.read_bytes()[:300])  # what an interrupted download leaves

# %%
from penstock import fn, pipeline_def, types


@pipeline_def(batch_size=9)
def pictures():
    files, labels = fn.readers.file(file_root=str(folder))
    return fn.resize(fn.decoders.image(files, output_type=types.RGB), size=(72, 96)), labels


# %% [markdown]
# By default the batch is an error. It names the operator, the sample and the file. The same pipeline goes on with the
# next batch.

# %%
pipe = pictures()
try:
    pipe.run()
except RuntimeError as error:
    print(f"{type(error).__name__}: {str(error).splitlines()[0]}")  # your own lines follow

# %% [markdown]
# `on_error="replace"` takes another sample, which the seed chooses. `"skip"` makes the batch shorter, `"zero"` leaves
# black pixels.

# %%
import numpy as np
from PIL import Image

rows = []
for treatment in ("replace", "skip", "zero"):
    pipe = pictures(on_error=treatment)
    images, labels = pipe.run()
    failure = pipe.failures()[0]
    print(f"{treatment}: {len(images)} pictures; {failure.source}: {failure.reason}")
    shown = [np.asarray(image) for image in images]
    rows.append(np.hstack(shown + [np.full((72, 96, 3), 255, np.uint8)] * (9 - len(shown))))
Image.fromarray(np.vstack(rows))
