"""The detection pipelines of examples/pipelines, with Penstock and with DALI, on a data set made here."""

import importlib.util
import io
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
    pipe = module.pipeline(library, *data_set, batch_size=BATCH, num_threads=2, device_id=None, seed=5)
    pipe.build()
    return [[[np.array(one.at(i)) for i in range(BATCH)] for one in pipe.run()] for _ in range(batches)]


@pytest.mark.parametrize("name", ["ssd", "retinanet"])
def test_outputs_have_the_shapes_and_types_of_dalis(name, data_set):
    [mine], [theirs] = run(name, penstock, data_set, 1), run(name, oracle.dali(), data_set, 1)
    for a, b in zip(mine, theirs, strict=True):
        assert {(x.dtype, x.ndim, x.shape[1:]) for x in a} == {(x.dtype, x.ndim, x.shape[1:]) for x in b}


@pytest.mark.parametrize("name", ["ssd", "retinanet"])
def test_an_epoch_has_each_picture_once(name, data_set):
    seen = [int(one[0]) for batch in run(name, penstock, data_set, 4) for one in batch[-1]]
    empty = {1000 - i for i in range(24) if i % 5 == 0} if name == "ssd" else set()
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
