"""readers.coco beside DALI's and pycocotools: boxes, classes, outlines, masks, prepared files, names in errors."""

import io
import os
import re
import warnings

import coco
import numpy as np
import oracle
import pytest
from coco import build, epoch_of

import penstock
from penstock import Pipeline, fn, pipeline_def, types


def assert_equal(mine, theirs):
    assert len(mine) == len(theirs)
    for a, b in zip(mine, theirs, strict=True):
        assert [(x.dtype, x.shape) for x in a] == [(x.dtype, x.shape) for x in b]
        for x, y in zip(a, b, strict=True):
            np.testing.assert_array_equal(x, y)


CHOICES = [
    {},
    {"ltrb": True},
    {"ratio": True},
    {"ltrb": True, "ratio": True, "image_ids": True},
    {"polygon_masks": True},
    {"polygon_masks": True, "ratio": True, "image_ids": True},
    {"polygon_masks": True, "include_iscrowd": False},
    {"include_iscrowd": False},
    {"size_threshold": 10.0},
    {"size_threshold": 0.0},
    {"skip_empty": True, "image_ids": True},
    {"skip_empty": True, "size_threshold": 7.0, "polygon_masks": True},
    {"avoid_class_remapping": True},
    {"images": ["5.jpg", "0.jpg", "5.jpg", "11.jpg"], "image_ids": True},
    {"num_shards": 3, "shard_id": 1, "pad_last_batch": True},
]


@pytest.mark.parametrize("arguments", CHOICES, ids=str)
def test_outputs_are_dalis(coco_set, arguments):
    assert_equal(epoch_of(penstock, *coco_set, **arguments), epoch_of(oracle.dali(), *coco_set, **arguments))


@pytest.mark.parametrize("kinds", [("polygons",), ("counts", "text")], ids=str)
def test_pixelwise_masks_of_one_object_are_dalis(tmp_path, kinds):
    """Of several objects of a class DALI forgets some, and where objects overlap it takes now this, now that one."""
    coco_set = coco.write(tmp_path, coco.annotations(40, 3, kinds, objects=2), lambda i: b"x")
    mine = epoch_of(penstock, *coco_set, pixelwise_masks=True, image_ids=True)
    assert_equal(mine, epoch_of(oracle.dali(), *coco_set, pixelwise_masks=True, image_ids=True))
    assert sum(int(sample[3].any()) for sample in mine) > 15


@pytest.mark.parametrize("ratio", [False, True])
def test_pixelwise_masks_are_those_of_pycocotools(tmp_path, ratio):
    """The class of the highest number shows, also where polygons stick out of the picture."""
    tools = pytest.importorskip("pycocotools.coco")
    content = coco.annotations(40, 5, ("polygons", "text", "polygons", "counts"), objects=9)
    rng = np.random.default_rng(1)
    for one in content["annotations"]:
        if isinstance(one["segmentation"], list):
            one["segmentation"].append([float(v) for v in rng.uniform(-9, 90, 10)])
            one["segmentation"].append([float(v) for v in rng.integers(0, 40, 8)])
            # Vertices are FLOAT, as DALI's; the tools compute with more digits.
            one["segmentation"] = [np.float32(polygon).tolist() for polygon in one["segmentation"]]
    root, file = coco.write(tmp_path, content, lambda i: b"x")
    theirs = tools.COCO(file)
    labels = {id: k + 1 for k, id in enumerate(coco.CATEGORIES)}
    for sample in epoch_of(penstock, root, file, pixelwise_masks=True, image_ids=True, ratio=ratio):
        image = int(sample[4][0])
        wanted = np.zeros(sample[3].shape[:2], np.int32)
        objects = theirs.loadAnns(theirs.getAnnIds(image))
        for one in sorted(objects, key=lambda one: labels[one["category_id"]]):
            wanted[theirs.annToMask(one).astype(bool)] = labels[one["category_id"]]
        np.testing.assert_array_equal(sample[3][..., 0], wanted)


def test_masks_have_a_layout(coco_set):
    with Pipeline(13) as pipe:
        pipe.set_outputs(fn.readers.coco(file_root=coco_set[0], annotations_file=coco_set[1], pixelwise_masks=True)[3])
    assert pipe.run()[0].layout() == "HWC"


@pytest.mark.parametrize("mode", [{"polygon_masks": True}, {"pixelwise_masks": True}, {}], ids=str)
@pytest.mark.parametrize("writer", ["penstock", "nvidia.dali"])
def test_prepared_annotations_go_to_and_from_dali(coco_set, tmp_path, mode, writer):
    modules = {"penstock": penstock, "nvidia.dali": oracle.dali()}
    arguments = {"ltrb": True, "image_ids": True, **mode, "images": ["7.jpg", "1.jpg", "9.jpg"]}
    whole = epoch_of(
        modules[writer], *coco_set, save_preprocessed_annotations=True, save_preprocessed_annotations_dir=str(tmp_path),
        **arguments
    )  # fmt: skip
    for module in modules.values():
        assert_equal(
            epoch_of(module, coco_set[0], preprocessed_annotations=str(tmp_path), image_ids=True, **mode), whole
        )


def test_old_names_mean_what_they_meant(coco_set, tmp_path):
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        old = epoch_of(
            penstock, *coco_set, save_img_ids=True, dump_meta_files=True, dump_meta_files_path=str(tmp_path), masks=True
        )  # fmt: skip
        assert_equal(epoch_of(oracle.dali(), *coco_set, save_img_ids=True, masks=True), old)
        assert_equal(epoch_of(penstock, coco_set[0], meta_files_path=str(tmp_path), image_ids=True, masks=True), old)
        reader = penstock.ops.COCOReader(file_root=coco_set[0], annotations_file=coco_set[1])
        with Pipeline(1) as pipe:
            pipe.set_outputs(*reader())
    assert len(pipe.run()) == 3
    words = " ".join(str(one.message) for one in said)
    for name in ("save_img_ids", "dump_meta_files", "dump_meta_files_path", "meta_files_path"):
        assert f"`{name}` is a deprecated alias for" in words


def test_a_shuffled_epoch_has_each_image_once_over_all_shards(coco_set):
    seen = [[], []]
    for shard in range(2):
        with Pipeline(4) as pipe:
            ids = fn.readers.coco(
                file_root=coco_set[0], annotations_file=coco_set[1], image_ids=True, random_shuffle=True, num_shards=2,
                shard_id=shard, epoch_end="partial", name="r"
            )[3]  # fmt: skip
            pipe.set_outputs(ids)
        for epoch in range(2):
            for _ in range(2):  # batches of an epoch
                (batch,) = pipe.run()
                seen[epoch] += np.concatenate([np.array(one) for one in batch]).tolist()
    assert [sorted(epoch) for epoch in seen] == [list(range(988, 1001))] * 2
    assert seen[0] != seen[1]


def test_boxes_without_a_size_and_strays_are_left_out_where_that_is_asked_for(coco_set):
    content = coco.annotations(13)
    content["annotations"][0]["bbox"] = [5, 5, 0, 7]
    content["annotations"][1]["bbox"] = [5, 5, -3, 7]
    content["annotations"][2]["image_id"] = 5
    boxes = []
    pipe = build(coco_set, content, ignore_strays=True)
    for _ in range(13):
        boxes += np.array(pipe.run()[1].at(0)).tolist()
    assert len(boxes) == len(content["annotations"]) - 3
    assert all(box[2] > 0 for box in boxes)


def test_a_picture_that_is_missing_is_named(coco_set, tmp_path):
    content = coco.annotations(4)
    root, file = coco.write(tmp_path, content, lambda i: b"x")
    os.remove(os.path.join(root, "2.jpg"))
    with Pipeline(4, on_error="skip") as pipe:
        pipe.set_outputs(fn.readers.coco(file_root=root, annotations_file=file, image_ids=True)[3])
    assert [int(np.array(one)[0]) for one in pipe.run()[0]] == [997, 999, 1000]
    assert {failure.source for failure in pipe.failures()} == {os.path.join(root, "2.jpg")}


WRONG = {
    "random_bbox_crop": lambda boxes, labels, images: fn.random_bbox_crop(boxes * 3.0, labels)[2],
    "bbox_rotate": lambda boxes, labels, images: fn.bbox_rotate(boxes, angle=10, input_shape=[0, 40]),
    "box_encoder": lambda boxes, labels, images: fn.box_encoder(boxes - 9.0, labels, anchors=[0, 0, 1, 1])[0],
    "coord_transform": lambda boxes, labels, images: fn.coord_transform(boxes, M=[1.0, 2.0, 3.0]),
    "fn.follow": lambda boxes, labels, images: fn.follow(boxes * -1.0, images),
    "fn.follow of boxes of volumes": lambda boxes, labels, images: fn.follow(
        fn.cat(boxes, boxes[:, :2], axis=1), images
    ),
    "fn.follow of points of volumes": lambda boxes, labels, images: fn.follow(
        fn.cat(boxes, boxes[:, :1], axis=1), images, kind="points"
    ),
    "fn.follow of masks": lambda boxes, labels, images: fn.follow(
        np.zeros((5, 5, 1), np.uint8), images, kind="masks"
    ),
    "select_masks": lambda boxes, labels, images: fn.segmentation.select_masks(
        labels * 0 + 77, np.int32([[0, 0, 3]]), boxes[:3, :2]
    )[0],
}  # fmt: skip


def _with_pictures(tmp_path):
    """(folder, annotations file, the image of the first sample): each image has objects and a picture."""
    Image = pytest.importorskip("PIL.Image")
    file = io.BytesIO()
    Image.new("RGB", (64, 64)).save(file, "JPEG")
    content = coco.annotations(4, 3, objects=9)
    del content["images"][0]  # the one without objects
    pictures, annotations = coco.write(tmp_path, content, lambda i: file.getvalue())
    return pictures, annotations, min(content["images"], key=lambda image: image["id"])


@pytest.mark.parametrize("op", WRONG)
def test_errors_of_operators_on_boxes_name_the_sample_and_the_file_of_its_picture(op, tmp_path):
    """Boxes carry no file themselves: that of the picture which was read with them is named, and its id."""
    pictures, annotations, first = _with_pictures(tmp_path)

    @pipeline_def(batch_size=1, num_threads=1, device_id=None)
    def pipe():
        files, boxes, labels = fn.readers.coco(file_root=pictures, annotations_file=annotations, skip_empty=True)
        return WRONG[op](boxes, labels, fn.flip(fn.decoders.image(files)))

    with pytest.raises((ValueError, RuntimeError)) as caught:
        pipe().run()
    assert f"sample 0, {pictures}/{first['file_name']}, image_id {first['id']}" in str(caught.value)


NO_BOXES = {
    "bb_flip": lambda boxes, labels, images: fn.bb_flip(boxes),
    "bbox_paste": lambda boxes, labels, images: fn.bbox_paste(boxes, ratio=2.0),
    "bbox_rotate": lambda boxes, labels, images: fn.bbox_rotate(boxes, angle=10, input_shape=[40, 40]),
    "box_encoder": lambda boxes, labels, images: fn.box_encoder(boxes, labels, anchors=[0, 0, 1, 1])[0],
    "follow_boxes": lambda boxes, labels, images: fn.follow(boxes, images, ratio=True, ltrb=True),
    "random_bbox_crop": lambda boxes, labels, images: fn.random_bbox_crop(boxes, labels)[2],
    "ssd_random_crop": lambda boxes, labels, images: fn.ssd_random_crop(images, boxes, labels)[1],
}


@pytest.mark.parametrize("wrong", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("op", NO_BOXES)
def test_boxes_that_are_not_finite_are_refused_by_operator_box_sample_and_image(op, wrong, tmp_path):
    """One rule for all operators on boxes: a NaN does not get into the training unseen."""
    pictures, annotations, first = _with_pictures(tmp_path)

    @pipeline_def(batch_size=1, num_threads=1, device_id=None)
    def pipe():
        files, boxes, labels = fn.readers.coco(
            file_root=pictures, annotations_file=annotations, skip_empty=True, ltrb=True, ratio=True
        )
        boxes = fn.cat(boxes[:, :3], boxes[:, 3:] + np.float32(wrong), axis=1)
        return NO_BOXES[op](boxes, labels, fn.flip(fn.decoders.image(files)))

    where = re.escape(f"sample 0, {pictures}/{first['file_name']}, image_id {first['id']}")
    with pytest.raises(RuntimeError, match=rf"\[{op}\] box 0 (.|\n)*{where}"):
        pipe().run()


def test_a_sample_that_is_left_out_has_its_file_as_it_can_be_opened(tmp_path):
    pictures, annotations, first = _with_pictures(tmp_path)
    with Pipeline(3, num_threads=1, on_error="skip") as pipe:
        _, boxes, labels, ids = fn.readers.coco(
            file_root=pictures, annotations_file=annotations, image_ids=True, ltrb=True
        )
        sign = fn.cast(1 - 2 * (ids == first["id"]), dtype=types.FLOAT)
        pipe.set_outputs(fn.box_encoder(boxes * sign, labels, anchors=[0, 0, 1, 1])[0], ids)
    ids = [int(np.array(one)[0]) for one in pipe.run()[1]]
    assert len(ids) == 2
    assert first["id"] not in ids
    failed = {failure.source for failure in pipe.failures()}  # of batches that are coco_set ahead, too
    assert failed == {f"{pictures}/{first['file_name']}"}


def test_an_image_of_a_mixture_is_named_too(tmp_path):
    pictures, annotations, first = _with_pictures(tmp_path)

    @pipeline_def(batch_size=1, num_threads=1, device_id=None)
    def pipe():
        sets = [fn.readers.coco(file_root=pictures, annotations_file=annotations, skip_empty=True) for _ in range(2)]
        _, boxes, _ = fn.readers.mixture(*sets)[:3]
        return fn.bbox_rotate(boxes, angle=10, input_shape=[0, 40])

    with pytest.raises(ValueError, match=rf"sample 0, {pictures}/.*jpg, image_id \d+"):
        pipe().run()
