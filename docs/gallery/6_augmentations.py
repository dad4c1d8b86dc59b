# %% [markdown]
# # Augmentations side by side
#
# Each row shows one operator with eight random arguments. The random numbers of a sample depend on the seed, the
# epoch and the sample's index, not on threads, devices or batch sizes: run this again, and the pictures are the same.

# %%
import io
import sys

import numpy as np
from PIL import Image

sys.path.insert(0, "../../examples")
from scenes import scene

from penstock import Pipeline, fn, types

drawn = io.BytesIO()
scene("house", 4, 96).save(drawn, "JPEG", quality=92)
jpeg = np.frombuffer(drawn.getvalue(), np.uint8)


def row(augment, seed=3):
    """Eight results of `augment`, side by side."""
    with Pipeline(batch_size=8, seed=seed) as pipe:
        files = fn.external_source(source=lambda: [jpeg] * 8)
        pipe.set_outputs(augment(fn.decoders.image(files, output_type=types.RGB)))
    (images,) = pipe.run()
    return np.hstack([np.asarray(image) for image in images])


def between(low, high):
    return fn.random.uniform(range=(low, high))


# %% [markdown]
# Where: crop, mirror, rotate, shear.

# %%
SIZE = (96, 128)
Image.fromarray(
    np.vstack(
        [
            row(lambda x: fn.random_resized_crop(x, size=SIZE, random_area=(0.2, 0.9))),
            row(lambda x: fn.flip(x, horizontal=fn.random.coin_flip(), vertical=fn.random.coin_flip(probability=0.2))),
            row(lambda x: fn.rotate(x, angle=between(-25.0, 25.0), keep_size=True)),
            row(
                lambda x: fn.warp_affine(
                    x, matrix=fn.transforms.shear(angles=fn.random.uniform(range=(-20.0, 20.0), shape=2))
                )
            ),
        ]
    )
)

# %% [markdown]
# Colour: hue, saturation, brightness and contrast, all at once.

# %%
Image.fromarray(
    np.vstack(
        [
            row(lambda x: fn.hue(x, hue=between(-60.0, 60.0))),
            row(lambda x: fn.saturation(x, saturation=between(0.0, 2.5))),
            row(lambda x: fn.brightness_contrast(x, brightness=between(0.6, 1.4), contrast=between(0.6, 1.6))),
            row(
                lambda x: fn.color_twist(
                    x, hue=between(-40.0, 40.0), saturation=between(0.5, 1.8), brightness=between(0.7, 1.3)
                )
            ),
        ]
    )
)

# %% [markdown]
# Damage: blur, noise, erased boxes.

# %%
Image.fromarray(
    np.vstack(
        [
            row(lambda x: fn.gaussian_blur(x, sigma=between(0.2, 4.0))),
            row(lambda x: fn.noise.gaussian(x, stddev=between(0.0, 50.0))),
            row(lambda x: fn.noise.salt_and_pepper(x, prob=between(0.0, 0.15))),
            row(
                lambda x: fn.erase(
                    x,
                    anchor=fn.random.uniform(range=(0.0, 0.7), shape=2),
                    shape=(0.35, 0.35),
                    axis_names="HW",
                    normalized=True,
                )
            ),
        ]
    )
)

# %% [markdown]
# Apply an operator to some samples only: multiply its strength by a coin.

# %%
Image.fromarray(row(lambda x: fn.rotate(x, angle=between(-25.0, 25.0) * fn.random.coin_flip(), keep_size=True)))
