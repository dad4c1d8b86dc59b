# %% [markdown]
# # From a folder to a trained classifier
#
# A folder with a sub-folder for each class becomes a PyTorch classifier. The pictures are drawn by the first cell:
# boats, houses and trees. Put your own folder in its place.

# %%
import pathlib
import sys
import tempfile

sys.path.insert(0, "../../examples")
from scenes import CLASSES, scene, write_scenes

folder = write_scenes(tempfile.mkdtemp(), count=60, size=96)
test_folder = pathlib.Path(tempfile.mkdtemp())
for subject in CLASSES:
    (test_folder / subject).mkdir()
    for seed in range(1000, 1020):  # others than those to train with
        scene(subject, seed, 96).save(test_folder / subject / f"{seed}.jpg")

# %% [markdown]
# The pipeline decodes only the window that each random crop keeps. `device="mixed"` and `.gpu()` mean the GPU where
# there is one.

# %%
from penstock import fn, pipeline_def, types


@pipeline_def(batch_size=30)
def training(folder):
    files, labels = fn.readers.file(file_root=str(folder), random_shuffle=True)
    images = fn.decoders.image_random_crop(files, device="mixed", random_area=(0.5, 1.0))
    images = fn.resize(images, size=(48, 48))
    mirror = fn.random.coin_flip()
    images = fn.crop_mirror_normalize(images, mirror=mirror, mean=[127.5], std=[64.0], output_layout="CHW")
    return images, labels.gpu()


@pipeline_def(batch_size=30)
def testing(folder):
    files, labels = fn.readers.file(file_root=str(folder))
    images = fn.resize(fn.decoders.image(files, device="mixed", output_type=types.RGB), size=(48, 48))
    return fn.crop_mirror_normalize(images, mean=[127.5], std=[64.0], output_layout="CHW"), labels.gpu()


# %% [markdown]
# Train for ten epochs. An epoch is a `for` loop over the loader.

# %%
import torch
from torch import nn

from penstock.torch import Loader

torch.manual_seed(1)
device = "cuda" if torch.cuda.is_available() else "cpu"
network = nn.Sequential(
    nn.Conv2d(3, 16, 3, stride=2), nn.ReLU(), nn.Conv2d(16, 32, 3, stride=2), nn.ReLU(),
    nn.AdaptiveAvgPool2d(4), nn.Flatten(), nn.Linear(512, 3),
).to(device)  # fmt: skip
optimizer = torch.optim.AdamW(network.parameters(), 0.003)
loader = Loader(training(folder), epoch_end="drop")
losses = []
for _epoch in range(10):
    for images, labels in loader:
        loss = nn.functional.cross_entropy(network(images), labels.squeeze(1).long())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    losses.append(loss.item())
print(f"loss after the first epoch {losses[0]:.2f}, after the last {losses[-1]:.2f}")

# %%
right = total = 0
for images, labels in Loader(testing(test_folder), epoch_end="partial"):
    right += (network(images).argmax(1) == labels.squeeze(1)).sum().item()
    total += len(labels)
print(f"{right} of {total} pictures recognised")
assert right > 0.8 * total
