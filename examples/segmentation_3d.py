"""Trains a small 3-D U-Net with PyTorch to find spheres in noisy volumes that it makes itself.

    python examples/segmentation_3d.py [FOLDER] [--epochs 8] [--devices cuda:0 cuda:1]

Patches are cut around objects (`random_object_bbox`, `roi_random_crop`), flipped, blurred and made noisy. Without a GPU
it runs on the CPU; with several devices `DataParallel` splits each batch.
"""

import argparse
import pathlib
import tempfile
from typing import Any

import numpy as np
import torch
from torch import nn
from torch.nn.functional import cross_entropy, interpolate

from penstock import fn, pipeline_def, types
from penstock.parallel import DataParallel
from penstock.plugin.pytorch import DALIGenericIterator

EXTENT, PATCH = 40, 24


def make(folder, count, seed):
    """Writes `volumes/` (FLOAT, D x H x W x 1) and `labels/` (UINT8); class 1 are bright spheres, class 2 dark ones."""
    draw = np.random.default_rng(seed)
    places = np.stack(np.meshgrid(*[np.arange(EXTENT)] * 3, indexing="ij"), -1)
    for name in ("volumes", "labels"):
        (folder / name).mkdir(parents=True, exist_ok=True)
    for i in range(count):
        labels = np.zeros((EXTENT,) * 3 + (1,), np.uint8)
        for kind in (1, 2, 1 + i % 2):
            radius, middle = draw.uniform(4, 8), draw.uniform(8, EXTENT - 8, 3)
            labels[((places - middle) ** 2).sum(-1) < radius**2] = kind
        volume = np.array([0, 1, -1], np.float32)[labels] + draw.normal(0, 0.4, labels.shape).astype(np.float32)
        np.save(folder / "volumes" / f"{i}.npy", volume)
        np.save(folder / "labels" / f"{i}.npy", labels)


@pipeline_def
def patches(folder, training):
    """Volumes and labels, channels first: patches to train with, or all of each."""
    names = sorted((one.name for one in (folder / "labels").iterdir()), key=lambda name: int(name[:-4]))
    order = {"files": names, "random_shuffle": training, "seed": 1}  # of both readers, so that they go together
    volumes = fn.reshape(fn.readers.numpy(file_root=folder / "volumes", name="volumes", **order), layout="DHWC")
    labels = fn.reshape(fn.readers.numpy(file_root=folder / "labels", **order), layout="DHWC")
    if training:
        start, end = fn.segmentation.random_object_bbox(
            labels, background=0, format="start_end", foreground_prob=0.8, cache_objects=True
        )
        anchor = fn.roi_random_crop(labels, roi_start=start, roi_end=end, crop_shape=[PATCH, PATCH, PATCH, 1])
        anchor = fn.cast(fn.slice(anchor, start=[0], shape=[3], axes=[0]), dtype=types.INT32)
        flips: dict[str, Any] = {axis: fn.random.coin_flip() for axis in ("horizontal", "vertical", "depthwise")}
        volumes, labels = fn.slice(
            [volumes, labels], anchor, [PATCH] * 3, axis_names="DHW", out_of_bounds_policy="pad",
            normalized_anchor=False, normalized_shape=False
        )  # fmt: skip
        volumes, labels = fn.flip(volumes, **flips), fn.flip(labels, **flips)
        volumes = fn.gaussian_blur(volumes, sigma=fn.random.uniform(range=[0.3, 0.8]))
        volumes = fn.noise.gaussian(volumes, stddev=fn.random.uniform(range=[0.0, 0.2]))
    return fn.transpose(volumes, perm=[3, 0, 1, 2]), fn.transpose(labels, perm=[3, 0, 1, 2])


class UNet(nn.Module):
    """Two levels and a bridge between them."""

    def __init__(self, classes, width=8):
        super().__init__()

        def block(before, after, stride=1):
            return nn.Sequential(nn.Conv3d(before, after, 3, stride, 1), nn.GroupNorm(4, after), nn.ReLU())

        self.above = block(1, width)
        self.below = nn.Sequential(block(width, 2 * width, 2), block(2 * width, 2 * width))
        self.head = nn.Sequential(block(3 * width, width), nn.Conv3d(width, classes, 1))

    def forward(self, volumes):
        above = self.above(volumes)
        below = interpolate(self.below(above), scale_factor=2, mode="trilinear", align_corners=False)
        return self.head(torch.cat([above, below], 1))


def overlaps(found, labels, classes):
    """Dice of each class but the background: twice what both have in common, in parts of both together."""
    return [
        2 * ((found == k) & (labels == k)).sum().item() / max((found == k).sum().item() + (labels == k).sum().item(), 1)
        for k in range(1, classes)
    ]


def loss_of(scores, labels):
    """Cross entropy and 1 - Dice, so that small objects count."""
    shares, wanted = scores.softmax(1), nn.functional.one_hot(labels, scores.shape[1]).movedim(-1, 1)
    common, both = (shares * wanted).sum((0, 2, 3, 4)), (shares + wanted).sum((0, 2, 3, 4))
    return cross_entropy(scores, labels) + 1 - (2 * common / (both + 1e-5))[1:].mean()


def iterator(folder, training, batch_size, device):
    where = device.index or 0 if device.type == "cuda" else None
    pipe = patches(folder, training, batch_size=batch_size, num_threads=2, device_id=where, seed=1)
    return DALIGenericIterator(pipe, ["volumes", "labels"], reader_name="volumes", auto_reset=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", nargs="?", help="where the volumes go; a temporary folder when not given")
    parser.add_argument("--epochs", type=int, default=8)
    parser.add_argument("--volumes", type=int, default=32, help="to train with")
    parser.add_argument("--batch-size", type=int, default=4)
    parser.add_argument("--devices", nargs="+", help="such as cuda:0 cuda:1, or cpu:0 cpu:1; the first GPU or the CPU")
    options = parser.parse_args()
    devices = options.devices or ["cuda:0" if torch.cuda.is_available() else "cpu"]
    device = torch.device(devices[0]) if devices[0].startswith("cuda") else torch.device("cpu")
    torch.manual_seed(0)
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(options.folder or temporary)
        make(folder / "train", options.volumes, 0)
        make(folder / "test", 4, 1)
        network = UNet(3).to(device)
        model = DataParallel(network, devices) if len(devices) > 1 else network
        optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
        batches = iterator(folder / "train", True, options.batch_size, device)
        for epoch in range(options.epochs):
            losses = []
            for [batch] in batches:
                volumes, labels = batch["volumes"].to(device), batch["labels"].to(device).long()[:, 0]
                optimizer.zero_grad()
                loss = loss_of(model(volumes), labels)
                loss.backward()
                optimizer.step()
                losses.append(loss.item())
            print(f"epoch {epoch}: loss {np.mean(losses):.3f}", flush=True)
        dice = []
        with torch.no_grad():
            for [batch] in iterator(folder / "test", False, 4, device):
                found = network(batch["volumes"].to(device)).argmax(1)
                dice += overlaps(found, batch["labels"].to(device)[:, 0], 3)
        print(f"dice {np.mean(dice):.3f}")


if __name__ == "__main__":
    main()
