# %% [markdown]
# # Detection, with boxes drawn
#
# A small data set in COCO's format is drawn, read, augmented and shown. Each augmentation moves the boxes with the
# pixels. The last cell turns the boxes into what a detector learns from.

# %%
import json
import sys
import tempfile

import numpy as np
from PIL import Image, ImageDraw

sys.path.insert(0, "../../examples")
import shapes

from penstock import fn, pipeline_def

folder = tempfile.mkdtemp()
pictures, annotations = shapes.make(folder, count=120, seed=0)
with open(annotations) as file:
    first = json.load(file)["annotations"][0]
print({name: first[name] for name in ("image_id", "category_id", "bbox")})

# %% [markdown]
# `fn.readers.coco` gives the encoded picture, its boxes (left, top, right, bottom here) and their classes. The
# pipeline then turns, crops and mirrors the picture at random, and `fn.follow` gives the boxes as they lie in the
# result. It leaves out boxes of which less than 40 % can still be seen, with their classes.


# %%
@pipeline_def(batch_size=8, seed=2)
def augmented():
    files, boxes, classes = fn.readers.coco(
        file_root=pictures, annotations_file=annotations, ltrb=True, random_shuffle=True
    )
    source = fn.decoders.image(files)
    images = fn.rotate(source, angle=fn.random.uniform(range=(-12, 12)), fill_value=0, keep_size=True)
    images = fn.random_resized_crop(images, size=128, random_area=(0.4, 1.0), random_aspect_ratio=(0.8, 1.25))
    images = fn.flip(images, horizontal=fn.random.coin_flip())
    moved, kept_classes, _ = fn.follow(boxes, images, kind="boxes", ltrb=True, min_visible=0.4, labels=classes)
    return source, boxes, classes, images, moved, kept_classes


COLOURS = {1: "yellow", 2: "cyan", 3: "magenta"}


def drawn(image, boxes, classes):
    """The picture with its boxes, a colour for each class."""
    picture = Image.fromarray(np.array(image))
    pen = ImageDraw.Draw(picture)
    for box, label in zip(np.array(boxes), np.array(classes).ravel(), strict=True):
        pen.rectangle([tuple(box[:2]), tuple(np.maximum(box[2:] - 1, box[:2]))], outline=COLOURS[int(label)])
    return np.asarray(picture)


def row(images, boxes, classes):
    return np.hstack([drawn(*one) for one in zip(images, boxes, classes, strict=True)])


batch = augmented().run()
Image.fromarray(np.vstack([row(*batch[:3]), row(*batch[3:])]))

# %% [markdown]
# Above are the pictures as they are in the files, below the results of the pipeline. A box of a turned square is
# the upright box around it.
#
# A detector compares its anchors with the boxes. `fn.box_encoder` does so in the pipeline. For each anchor it gives
# the class of the box that the anchor meets, or 0, and how the box differs from the anchor.

# %%
anchors = shapes.anchors()


@pipeline_def(batch_size=16, seed=3)
def training():
    files, boxes, classes = fn.readers.coco(
        file_root=pictures, annotations_file=annotations, ltrb=True, ratio=True, random_shuffle=True, name="shapes"
    )
    images = fn.flip(fn.decoders.image(files), horizontal=fn.random.coin_flip())
    boxes = fn.follow(boxes, images, kind="boxes", ltrb=True, ratio=True)
    offsets, classes = fn.box_encoder(
        boxes, classes, anchors=anchors.ravel().tolist(), criteria=0.45, offset=True, stds=[0.1, 0.1, 0.2, 0.2]
    )
    images = fn.crop_mirror_normalize(images, mean=[110.0], std=[60.0], output_layout="CHW")
    return images, offsets, classes


images, offsets, classes = training().run()
met = np.array(classes[0]) > 0
print(f"{len(anchors)} anchors; the first picture's boxes meet {met.sum()} of them")
picture = Image.fromarray(np.uint8(np.clip(np.array(images[0]).transpose(1, 2, 0) * 60 + 110, 0, 255)))
pen = ImageDraw.Draw(picture)
for anchor, label in zip(anchors[met] * shapes.SIZE, np.array(classes[0])[met], strict=True):
    pen.rectangle([tuple(anchor[:2]), tuple(anchor[2:])], outline=COLOURS[int(label)])
picture.resize((384, 384), Image.NEAREST)

# %% [markdown]
# `examples/detector_pytorch.py` and `examples/detector_jax.py` train a network on such batches, and measure its
# average precision with `pycocotools`. `penstock view SCRIPT.py:augmented` draws the same sheet without any code.
