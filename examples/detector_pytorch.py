"""Trains a small detector with PyTorch on shapes that it draws itself, in COCO's format: no data, no weights needed.

    python examples/detector_pytorch.py [FOLDER] [--epochs 12] [--devices cuda:0 cuda:1]

The pipeline moves, cuts and colours pictures at random; `fn.follow` moves the boxes with them. Without a GPU it runs on
the CPU; with several devices `DataParallel` splits each batch. Needs pycocotools for the average precision.
"""

import argparse
import pathlib
import tempfile

import numpy as np
import shapes
import torch
from torch import nn
from torch.nn.functional import cross_entropy, smooth_l1_loss

from penstock import fn, pipeline_def, types
from penstock.parallel import DataParallel
from penstock.plugin.pytorch import DALIGenericIterator, LastBatchPolicy


@pipeline_def
def training(pictures, annotations, device):
    """Pictures, and for each anchor the offsets and the class of its box (0: none)."""
    files, boxes, labels = fn.readers.coco(
        file_root=pictures, annotations_file=annotations, ltrb=True, ratio=True, random_shuffle=True, name="shapes"
    )
    source = fn.decoders.image(files, device=device)
    images = fn.flip(source, horizontal=fn.random.coin_flip(), vertical=fn.random.coin_flip(probability=0.2))
    images = fn.random_resized_crop(images, size=shapes.SIZE, random_area=[0.5, 1.0], random_aspect_ratio=[0.8, 1.25])
    images = fn.brightness_contrast(
        images, brightness=fn.random.uniform(range=[0.7, 1.3]), contrast=fn.random.uniform(range=[0.8, 1.2])
    )
    boxes, labels, _ = fn.follow(boxes, images, kind="boxes", ltrb=True, ratio=True, min_visible=0.4, labels=labels)
    offsets, classes = fn.box_encoder(
        boxes, labels, anchors=shapes.anchors().ravel().tolist(), criteria=0.45, offset=True, stds=[0.1, 0.1, 0.2, 0.2]
    )
    return normal(images), offsets, classes


@pipeline_def
def testing(pictures, annotations, device):
    """Pictures as they are, and their ids."""
    files, _, _, ids = fn.readers.coco(file_root=pictures, annotations_file=annotations, image_ids=True, name="shapes")
    return normal(fn.decoders.image(files, device=device)), ids


def normal(images):
    return fn.crop_mirror_normalize(images, dtype=types.FLOAT, mean=[110.0], std=[60.0], output_layout="CHW")


class Detector(nn.Module):
    """Strided convolutions to a map of places; three anchors at each, with four offsets and a score for each class."""

    def __init__(self, classes):
        super().__init__()
        self.classes, anchors = classes, len(shapes.ANCHOR_SIDES)
        layers = []
        for before, after, size, stride in ((3, 24, 5, 4), (24, 48, 3, 2), (48, 48, 3, 1)):
            layers += [nn.Conv2d(before, after, size, stride, size // 2), nn.GroupNorm(8, after), nn.ReLU()]
        self.body = nn.Sequential(*layers)
        self.offsets = nn.Conv2d(48, 4 * anchors, 3, padding=1)
        self.scores = nn.Conv2d(48, (1 + classes) * anchors, 3, padding=1)

    def forward(self, images):
        places = self.body(images)

        def by_anchor(made, numbers):
            return made.permute(0, 2, 3, 1).reshape(len(images), -1, numbers)

        return by_anchor(self.offsets(places), 4), by_anchor(self.scores(places), 1 + self.classes)


def loss_of(offsets, scores, wanted_offsets, wanted):
    """Offsets where there is a box; scores there, and at the three times as many anchors that are most wrong."""
    there = wanted > 0
    costs = cross_entropy(scores.transpose(1, 2), wanted, reduction="none")
    count = there.sum(1, keepdim=True).clamp(min=1)
    ranks = costs.detach().masked_fill(there, 0).argsort(1, descending=True).argsort(1)
    counted = there | (ranks < 3 * count)
    box_costs = smooth_l1_loss(offsets[there], wanted_offsets[there], reduction="sum")
    return ((costs * counted).sum() + box_costs) / count.sum()


def iterator(definition, names, data, options, device, **more):
    on_gpu = device.type == "cuda"
    pipe = definition(
        *data, "mixed" if on_gpu else "cpu", batch_size=options.batch_size, num_threads=2,
        device_id=device.index or 0 if on_gpu else None, seed=1
    )  # fmt: skip
    return DALIGenericIterator(pipe, names, reader_name="shapes", auto_reset=True, **more)


def average_precision(network, data, options, device):
    batches = iterator(testing, ["images", "ids"], data, options, device, last_batch_policy=LastBatchPolicy.PARTIAL)
    found = []
    with torch.no_grad():
        for [batch] in batches:
            offsets, scores = network(batch["images"].to(device))
            rows = zip(batch["ids"].ravel(), offsets.cpu().numpy(), scores.softmax(-1).cpu().numpy(), strict=True)
            found += [(int(number), *shapes.decoded(*row)) for number, *row in rows]
    return shapes.average_precision(data[1], found)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", nargs="?", help="where the data set goes; a temporary one when not given")
    parser.add_argument("--epochs", type=int, default=12)
    parser.add_argument("--pictures", type=int, default=320, help="to train with")
    parser.add_argument("--batch-size", type=int, default=16)
    parser.add_argument("--devices", nargs="+", help="such as cuda:0 cuda:1, or cpu:0 cpu:1; the first GPU or the CPU")
    options = parser.parse_args()
    devices = options.devices or ["cuda:0" if torch.cuda.is_available() else "cpu"]
    device = torch.device(devices[0]) if devices[0].startswith("cuda") else torch.device("cpu")
    torch.manual_seed(0)
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(options.folder or temporary)
        train, test = shapes.make(folder / "train", options.pictures, 0), shapes.make(folder / "test", 64, 1)
        network = Detector(len(shapes.CLASSES)).to(device)
        model = DataParallel(network, devices) if len(devices) > 1 else network
        optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
        batches = iterator(training, ["images", "offsets", "classes"], train, options, device)
        for epoch in range(options.epochs):
            losses = []
            for [batch] in batches:
                images, offsets, classes = (batch[name].to(device) for name in ("images", "offsets", "classes"))
                optimizer.zero_grad()
                found, scores = model(images)
                loss = loss_of(found, scores, offsets, classes.long())
                loss.backward()
                optimizer.step()
                losses.append(loss.item())
            print(f"epoch {epoch}: loss {np.mean(losses):.3f}", flush=True)
        try:
            print(f"average precision {average_precision(network, test, options, device):.3f}")
        except ImportError:
            print("no average precision: pycocotools is not installed")


if __name__ == "__main__":
    main()
