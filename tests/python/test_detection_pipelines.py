"""The pipelines of examples/pipelines, with Penstock and with DALI, on a data set made here."""

import importlib.util
import io
import re
import sys

import coco
import numpy as np
import oracle
import pytest
from conftest import ROOT

import penstock

FOLDER = ROOT / "examples" / "pipelines"
BATCH = 6


def example(name):
    sys.path.insert(0, str(FOLDER))
    try:
        spec = importlib.util.spec_from_file_location(f"pipelines_{name}", FOLDER / f"{name}.py")
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
    finally:
        sys.path.remove(str(FOLDER))
    return module


@pytest.fixture(scope="module")
def data_set(tmp_path_factory):
    """24 pictures with one to four objects each, whose boxes are white on black."""
    import PIL.Image

    content = coco.annotations(24, 7, ("polygons",), objects=5)
    boxes = {image["id"]: [] for image in content["images"]}
    for one in content["annotations"]:
        x, y, w, h = one["bbox"]
        one["bbox"] = [x, y, w + 8, h + 8]
        boxes[one["image_id"]].append(one["bbox"])

    def picture(i):
        image = content["images"][i]
        pixels = np.zeros((image["height"], image["width"], 3), np.uint8)
        for x, y, w, h in boxes[image["id"]]:
            pixels[int(y) : int(y + h) + 1, int(x) : int(x + w) + 1] = 255
        file = io.BytesIO()
        PIL.Image.fromarray(pixels).save(file, "JPEG", quality=95)
        return file.getvalue()

    return coco.write(tmp_path_factory.mktemp("detection"), content, picture)


def run(name, library, data_set, batches):
    """[batch][output][sample]"""
    module = example(name)
    pipe = module.pipeline(
        library, *data_set, **SMALL.get(name, {}), batch_size=BATCH, num_threads=2, device_id=None, seed=5
    )
    pipe.build()
    return [[[np.array(one.at(i)) for i in range(BATCH)] for one in pipe.run()] for _ in range(batches)]


SMALL = {"mask_rcnn": {"shorter": [96.0, 128.0], "longest": 200}}


@pytest.mark.parametrize("name", ["ssd", "retinanet", "efficientdet", "mask_rcnn"])
def test_outputs_have_the_shapes_and_types_of_dalis(name, data_set):
    [mine], [theirs] = run(name, penstock, data_set, 1), run(name, oracle.dali(), data_set, 1)
    for a, b in zip(mine, theirs, strict=True):
        assert {(x.dtype, x.ndim, tail(x)) for x in a} == {(x.dtype, x.ndim, tail(x)) for x in b}


def tail(array):
    """What does not depend on the samples that were drawn."""
    return array.shape[1:] if array.ndim < 3 or array.shape[1] in (300, 512, 640) else array.shape[:1]


@pytest.mark.parametrize("name", ["ssd", "retinanet", "efficientdet", "mask_rcnn"])
def test_an_epoch_has_each_picture_once(name, data_set):
    seen = [int(one[0]) for batch in run(name, penstock, data_set, 4) for one in batch[-1]]
    empty = {1000 - i for i in range(24) if i % 5 == 0} if name != "retinanet" else set()
    assert len(seen) == 24
    assert set(seen) == {1000 - i for i in range(24)} - empty


def test_there_are_ssds_anchors():
    boxes = np.reshape(example("ssd").anchors(), (-1, 4))
    assert boxes.shape == (8732, 4)
    assert (boxes >= 0).all() and (boxes <= 1).all() and (boxes[:, 2:] > boxes[:, :2]).all()


def test_as_many_anchors_of_ssd_have_a_box_as_with_dali(data_set):
    shares = []
    for library in (penstock, oracle.dali()):
        labels = np.array([one for batch in run("ssd", library, data_set, 60) for one in batch[2]])
        assert set(np.unique(labels)) == {0, 1, 2, 3}
        shares.append((labels > 0).sum(axis=1).mean())
    assert abs(shares[0] / shares[1] - 1) < 0.12


def test_boxes_of_retinanet_are_where_their_objects_are(data_set):
    """Objects are white: what a box holds is bright, whatever was cut, flipped and resized before."""
    bright, boxes_seen = [], 0
    for images, boxes, labels, shapes, _ in run("retinanet", penstock, data_set, 8):
        for image, inside, classes, (h, w) in zip(images, boxes, labels, shapes, strict=True):
            assert len(inside) == len(classes)
            assert max(h, w) == 640 and image.shape == (3, 640, 640)
            for left, top, right, bottom in inside * np.float32([w, h, w, h]):
                part = image[:, int(top) + 3 : int(bottom) - 3, int(left) + 3 : int(right) - 3]
                if part.size:
                    bright.append((part > 1).mean())
                    boxes_seen += 1
    assert boxes_seen > 40
    assert np.mean(bright) > 0.93


def test_an_example_says_how_fast_it_is(script, data_set):
    for library in ("penstock", "nvidia.dali"):
        if library != "penstock":
            oracle.dali()
        out = script(FOLDER / "ssd.py", *data_set, "--library", library, "--batches", "2", "--batch", "4")
        assert out.startswith(f"{library}: ") and out.strip().endswith("pictures a second")


def bright_share(image, boxes):
    """How much of what is inside of boxes (pixels) is bright, of each box that is large enough to tell."""
    shares = []
    for left, top, right, bottom in boxes:
        part = image[:, int(top) + 3 : int(bottom) - 3, int(left) + 3 : int(right) - 3]
        if part.shape[1] > 4 and part.shape[2] > 4:
            shares.append((part > 1).mean())
    return shares


def test_boxes_of_efficientdet_are_in_their_quarter_of_the_canvas(data_set):
    """Some of what is bright is black again, where the grid lies."""
    shares = []
    for images, boxes, labels, _ in run("efficientdet", penstock, data_set, 4):
        for image, inside, classes in zip(images, boxes, labels, strict=True):
            there = classes >= 0
            assert inside.shape == (100, 4) and (inside[~there] == -1).all()
            assert (inside[there] >= 0).all() and (inside[there] <= 1).all()
            shares += bright_share(image, inside[there] * 512)
    assert len(shares) > 40
    assert np.median(shares) > 0.95


def test_boxes_and_outlines_of_mask_rcnn_are_where_their_objects_are(data_set):
    shares, sizes = [], set()
    for images, boxes, _, polygons, vertices, shapes, _ in run("mask_rcnn", penstock, data_set, 4):
        assert {image.shape for image in images} == {images[0].shape}
        assert images[0].shape[1] % 32 == 0 and images[0].shape[2] % 32 == 0
        for image, inside, rows, points, (h, w) in zip(images, boxes, polygons, vertices, shapes, strict=True):
            sizes.add(int(min(h, w)))
            shares += bright_share(image, inside)
            for mask, first, last in rows:
                low, high = points[first:last].min(0), points[first:last].max(0)
                left, top, right, bottom = inside[mask]
                assert left - 1 <= low[0] and high[0] <= right + 1 and top - 1 <= low[1] and high[1] <= bottom + 1
    assert sizes == {96, 128}
    assert np.mean(shares) > 0.93


@pytest.fixture(scope="module")
def volumes(tmp_path_factory):
    """Four volumes with a bright cuboid each, and labels of it."""
    folder = tmp_path_factory.mktemp("volumes")
    for name in ("volumes", "labels"):
        (folder / name).mkdir()
    for i in range(4):
        label = np.zeros((1, 28, 30, 32), np.uint8)
        label[0, 4:14, 6 : 16 + i, 8:20] = 1 + i % 2
        np.save(folder / "labels" / f"{i}.npy", label)
        np.save(
            folder / "volumes" / f"{i}.npy", np.concatenate([8.0 * (label > 0), 4.0 * (label > 0)]).astype("float32")
        )
    return str(folder / "volumes"), str(folder / "labels")


@pytest.mark.parametrize("library", ["penstock", "nvidia.dali"])
def test_patches_of_nnunet_have_their_labels_with_them(volumes, library):
    made = penstock if library == "penstock" else oracle.dali()
    pipe = example("nnunet").pipeline(
        made, *volumes, patch=(16, 16, 16), batch_size=2, num_threads=2, device_id=None, seed=3
    )
    pipe.build()
    objects, agree = 0, []
    for _ in range(12):
        patches, labels = ([np.array(one.at(i)) for i in range(2)] for one in pipe.run())
        for patch, label in zip(patches, labels, strict=True):
            assert patch.dtype == np.float32 and patch.shape == (2, 16, 16, 16)
            assert label.dtype == np.uint8 and label.shape == (1, 16, 16, 16)
            objects += label.any()
            agree.append(((patch[0] > 2.5) == (label[0] > 0)).mean())
    assert objects >= 8
    assert np.mean(agree) > 0.95


def test_the_example_of_volumes_says_how_fast_it_is(script, volumes):
    out = script(FOLDER / "nnunet.py", *volumes, "--patch", "16", "--batches", "2")
    assert re.fullmatch(r"penstock: \d+ pictures a second\n", out)


def test_data_that_the_example_makes_have_their_objects(script, tmp_path):
    script(FOLDER / "make_data.py", tmp_path, "--pictures", "12", "--volumes", "0")
    made = run("ssd", penstock, (str(tmp_path / "pictures"), str(tmp_path / "annotations.json")), 2)
    labels = np.array([one for batch in made for one in batch[2]])
    assert ((labels > 0).sum(axis=1) > 0).all() and labels.max() <= 20
