"""readers.coco beside DALI's and pycocotools: boxes, classes, outlines, masks, prepared annotations, bad files."""

import copy
import io
import json
import os
import warnings

import coco
import numpy as np
import oracle
import pytest

import penstock
from penstock import Pipeline, fn, pipeline_def, types


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """(file_root, annotations_file) of 13 images."""
    return coco.write(tmp_path_factory.mktemp("coco"), coco.annotations(13), lambda i: b"picture %d" % i)


def epoch_of(module, root, file=None, **arguments):
    """[outputs of a sample] of an epoch, each an array."""
    pipe = module.Pipeline(batch_size=1, num_threads=1, device_id=None)
    if file is not None:
        arguments["annotations_file"] = file
    with pipe:
        pipe.set_outputs(*module.fn.readers.coco(file_root=root, name="Reader", **arguments))
    pipe.build()
    samples = []
    for _ in range(pipe.epoch_size("Reader")):
        outputs = pipe.run()
        samples.append([np.array(one.at(0)) for one in outputs])
    return samples


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
def test_outputs_are_dalis(made, arguments):
    assert_equal(epoch_of(penstock, *made, **arguments), epoch_of(oracle.dali(), *made, **arguments))


@pytest.mark.parametrize("kinds", [("polygons",), ("counts", "text")], ids=str)
def test_pixelwise_masks_of_one_object_are_dalis(tmp_path, kinds):
    """Of several objects of a class DALI forgets some, and where objects overlap it takes now this, now that one."""
    made = coco.write(tmp_path, coco.annotations(40, 3, kinds, objects=2), lambda i: b"x")
    mine = epoch_of(penstock, *made, pixelwise_masks=True, image_ids=True)
    assert_equal(mine, epoch_of(oracle.dali(), *made, pixelwise_masks=True, image_ids=True))
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


def test_masks_have_a_layout(made):
    with Pipeline(13) as pipe:
        pipe.set_outputs(fn.readers.coco(file_root=made[0], annotations_file=made[1], pixelwise_masks=True)[3])
    assert pipe.run()[0].layout() == "HWC"


@pytest.mark.parametrize("mode", [{"polygon_masks": True}, {"pixelwise_masks": True}, {}], ids=str)
@pytest.mark.parametrize("writer", ["penstock", "nvidia.dali"])
def test_prepared_annotations_go_to_and_from_dali(made, tmp_path, mode, writer):
    modules = {"penstock": penstock, "nvidia.dali": oracle.dali()}
    arguments = {"ltrb": True, "image_ids": True, **mode, "images": ["7.jpg", "1.jpg", "9.jpg"]}
    whole = epoch_of(
        modules[writer], *made, save_preprocessed_annotations=True, save_preprocessed_annotations_dir=str(tmp_path),
        **arguments
    )  # fmt: skip
    for module in modules.values():
        assert_equal(epoch_of(module, made[0], preprocessed_annotations=str(tmp_path), image_ids=True, **mode), whole)


def test_old_names_mean_what_they_meant(made, tmp_path):
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        old = epoch_of(
            penstock, *made, save_img_ids=True, dump_meta_files=True, dump_meta_files_path=str(tmp_path), masks=True
        )  # fmt: skip
        assert_equal(epoch_of(oracle.dali(), *made, save_img_ids=True, masks=True), old)
        assert_equal(epoch_of(penstock, made[0], meta_files_path=str(tmp_path), image_ids=True, masks=True), old)
        reader = penstock.ops.COCOReader(file_root=made[0], annotations_file=made[1])
        with Pipeline(1) as pipe:
            pipe.set_outputs(*reader())
    assert len(pipe.run()) == 3
    words = " ".join(str(one.message) for one in said)
    for name in ("save_img_ids", "dump_meta_files", "dump_meta_files_path", "meta_files_path"):
        assert f"`{name}` is a deprecated name of" in words


def test_a_shuffled_epoch_has_each_image_once_over_all_shards(made):
    seen = [[], []]
    for shard in range(2):
        with Pipeline(4) as pipe:
            ids = fn.readers.coco(
                file_root=made[0], annotations_file=made[1], image_ids=True, random_shuffle=True, num_shards=2,
                shard_id=shard, epoch_end="partial", name="r"
            )[3]  # fmt: skip
            pipe.set_outputs(ids)
        for epoch in range(2):
            for _ in range(2):  # batches of an epoch
                (batch,) = pipe.run()
                seen[epoch] += np.concatenate([np.array(one) for one in batch]).tolist()
    assert [sorted(epoch) for epoch in seen] == [list(range(988, 1001))] * 2
    assert seen[0] != seen[1]


def build(made, content=None, text=None, **arguments):
    root, file = made
    if content is not None or text is not None:
        file = os.path.join(root, "bad.json")
        with open(file, "w") as out:
            out.write(json.dumps(content) if text is None else text)
    with Pipeline(1) as pipe:
        pipe.set_outputs(*fn.readers.coco(file_root=root, annotations_file=file, **arguments))
    pipe.build()
    return pipe


def without(entry, key):
    return {name: value for name, value in entry.items() if name != key}


BAD = [
    (lambda c: c.pop("images"), {}, "the key `images` is missing"),
    (lambda c: c.pop("annotations"), {}, "the key `annotations` is missing"),
    (lambda c: c["annotations"].__setitem__(2, without(c["annotations"][2], "bbox")), {},
     r"entry 2 of `annotations` .image_id 998.: the key `bbox` is missing"),
    (lambda c: c["annotations"].__setitem__(2, without(c["annotations"][2], "image_id")), {}, "key `image_id`"),
    (lambda c: c["annotations"].__setitem__(2, without(c["annotations"][2], "category_id")), {}, "key `category_id`"),
    (lambda c: c["images"].__setitem__(1, without(c["images"][1], "id")), {}, "entry 1 of `images`: the key `id`"),
    (lambda c: c["images"].__setitem__(1, without(c["images"][1], "file_name")), {}, "the key `file_name`"),
    (lambda c: c["images"].__setitem__(1, without(c["images"][1], "width")), {"ratio": True}, "image 999.*no `width`"),
    (lambda c: c["categories"].__setitem__(1, {"name": "x"}), {}, "entry 1 of `categories`: the key `id`"),
    (
        lambda c: c["annotations"][2].update(bbox=[1, 2, 3]),
        {},
        "entry 2 of `annotations` .image_id 998., line 1, column .*got 3",
    ),
    (lambda c: c["annotations"][2].update(bbox=[1, 2, 3, 4, 5]), {}, "exactly 4 values, got 5"),
    (lambda c: c["annotations"][2].update(bbox=[1, "2", 3, 4]), {}, "another type of value"),
    (lambda c: c["annotations"][2].update(bbox=[1, 1e300, 3, 4]), {}, "no finite FLOAT"),
    (lambda c: c["annotations"][2].update(image_id="7"), {}, "`image_id` must be an integer"),
    (lambda c: c["annotations"][2].update(image_id=1.5), {}, "`image_id` must be an integer"),
    (lambda c: c["annotations"][2].update(image_id=5), {}, "entry 2 .* image 5, which is not among .*ignore_strays"),
    (lambda c: c["annotations"][2].update(category_id=5), {}, "`category_id` 5.*avoid_class_remapping"),
    (lambda c: c["images"][1].update(id=1000), {}, "two entries of `images` have the id 1000"),
    (lambda c: c["images"][1].update(width=-4), {}, "`width` is -4"),
    (lambda c: c["images"][1].update(file_name="../../secret"), {}, "leads out of `file_root`"),
    (lambda c: c["images"][1].update(file_name="/etc/passwd"), {}, "no path in `file_root`"),
    (lambda c: c["images"][1].update(id=1 << 40), {"image_ids": True, "ignore_strays": True}, "does not fit"),
    (lambda c: c["annotations"][0].update(segmentation=[[1, 2, 3]]), {"polygon_masks": True}, "an x without a y"),
    (lambda c: c["annotations"][0].update(segmentation=[1, 2]), {"polygon_masks": True}, "another type of value"),
    (lambda c: c["annotations"][0].update(segmentation={"size": [48, 48], "counts": "\x7f"}),
     {"pixelwise_masks": True}, "a character that is none"),
    (lambda c: c["annotations"][0].update(segmentation={"size": [2, 2], "counts": [3, 2]}), {"pixelwise_masks": True},
     "cover 5 pixels of a mask that has 2 x 2"),
    (lambda c: c["annotations"][0].update(segmentation={"size": [2, 2], "counts": [3, 1]}), {"pixelwise_masks": True},
     "has a mask of 2 x 2, its image"),
    (lambda c: c["annotations"][0].update(segmentation={"counts": [3, 1]}), {"pixelwise_masks": True}, "key `size`"),
    (lambda c: c["annotations"][0].update(segmentation={"size": [2, 2]}), {"pixelwise_masks": True}, "key `counts`"),
]  # fmt: skip


@pytest.mark.parametrize("spoil, arguments, message", BAD, ids=[message for *_, message in BAD])
def test_files_that_contradict_themselves_are_refused_and_named(made, spoil, arguments, message):
    content = copy.deepcopy(coco.annotations(13))
    spoil(content)
    with pytest.raises(RuntimeError, match=rf"(?s)\[readers.coco\].*{message}.*bad.json"):
        build(made, content, **arguments)


@pytest.mark.parametrize(
    "text, message",
    [
        ("", "line 1, column 1"),
        ("[]", "another type"),
        ('{"images": [\n {"id": 1,, "file_name": "a"}]}', "entry 0 of `images`( .id 1.)?, line 2, column"),
        ('{"images": [{"id": 1, "file_name": "0.jpg"}], "annotations": [\n\n{"image_id": 1 "x"', "line 3, column"),
        ('{"images": [], "annotations": []} {}', "behind the JSON text"),
        ('{"images": [{"id": 1, "file_name": "\\ud8"}], "annotations": []}', "line 1"),
    ],
)
def test_broken_json_is_refused_with_its_place(made, text, message):
    with pytest.raises(RuntimeError, match=rf"(?s)\[readers.coco\].*{message}.*bad.json"):
        build(made, text=text)


def test_boxes_without_a_size_and_strays_are_left_out_where_that_is_asked_for(made):
    content = coco.annotations(13)
    content["annotations"][0]["bbox"] = [5, 5, 0, 7]
    content["annotations"][1]["bbox"] = [5, 5, -3, 7]
    content["annotations"][2]["image_id"] = 5
    boxes = []
    pipe = build(made, content, ignore_strays=True)
    for _ in range(13):
        boxes += np.array(pipe.run()[1].at(0)).tolist()
    assert len(boxes) == len(content["annotations"]) - 3
    assert all(box[2] > 0 for box in boxes)


def test_wrong_arguments_say_what_to_do(made, tmp_path):
    both = {"save_preprocessed_annotations_dir": str(tmp_path)}
    for arguments, message in [
        ({"polygon_masks": True, "pixelwise_masks": True}, "mutually exclusive"),
        ({"preprocessed_annotations": str(tmp_path)}, '`annotations_file`|"annotations_file" is not supported'),
        ({"images": ["0.jpg", "none.jpg"]}, 'names "none.jpg", which is no `file_name`'),
        ({"images": []}, "No files found"),
        ({"size_threshold": -1.0}, "must not be negative"),
        ({"size_threshold": 1e6, "skip_empty": True}, "No files found"),
        (both, "should be provided together"),
        ({"save_preprocessed_annotations": True}, "should be provided together"),
    ]:
        with pytest.raises(ValueError, match=message):
            build(made, **arguments)
    with pytest.raises(ValueError, match="Either `annotations_file` or"):
        epoch_of(penstock, made[0])
    with pytest.raises(ValueError, match="Cannot open"):
        epoch_of(penstock, made[0], preprocessed_annotations=str(tmp_path / "none"))
    with pytest.raises(ValueError, match="Cannot open"):
        build((made[0], str(tmp_path / "none")))


def test_prepared_annotations_that_do_not_fit_together_are_refused(made, tmp_path):
    folder = tmp_path / "prepared"
    build(
        made, pixelwise_masks=True, image_ids=True, save_preprocessed_annotations=True,
        save_preprocessed_annotations_dir=str(folder)
    )  # fmt: skip
    whole = {name: (folder / name).read_bytes() for name in os.listdir(folder)}
    for name, content in whole.items():
        if name == "filenames.dat":
            continue
        for spoilt in (content[:-1], content + b"\0", b"", b"\xff" * len(content)):
            (folder / name).write_bytes(spoilt)
            with pytest.raises(RuntimeError, match=r"\[readers.coco\].*(\.dat|INT32)"):
                epoch_of(penstock, made[0], preprocessed_annotations=str(folder), pixelwise_masks=True, image_ids=True)
        (folder / name).write_bytes(content)


def test_a_picture_that_is_missing_is_named(made, tmp_path):
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
    failed = {failure.source for failure in pipe.failures()}  # of batches that are made ahead, too
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


@pytest.mark.parametrize("first", ["image_id", "bbox"])
@pytest.mark.parametrize(
    "spoilt, message",
    [
        ({"bbox": [1, 2, 3]}, "`bbox` must contain exactly 4 values"),
        ({"bbox": [1, 2, 3, "x"]}, "another type of value"),
        ({"bbox": [1, 2, 3, 1e300]}, "no finite FLOAT"),
        ({"category_id": 4711}, "not among `categories`"),
        ({"segmentation": [[1, 2, 3]]}, "an x without a y"),
        ({"segmentation": {"size": [2, 2], "counts": [3, 1]}}, "has a mask of 2 x 2"),
        ({"bbox": None}, ""),
    ],
)
def test_annotations_that_are_refused_tell_the_id_of_their_image(made, spoilt, message, first):
    """Wherever in the entry the id stands."""
    content = copy.deepcopy(coco.annotations(13))
    one = content["annotations"][5]
    one.update(spoilt)
    content["annotations"][5] = {first: one[first], **{key: value for key, value in one.items() if key != first}}
    masks = {"pixelwise_masks": True} if "segmentation" in spoilt else {}
    with pytest.raises(RuntimeError) as caught:
        build(made, content, **masks)
    assert f"entry 5 of `annotations` (image_id {one['image_id']})" in str(caught.value)
    assert message in str(caught.value)


def test_an_annotation_without_an_image_and_an_image_are_told_by_what_they_have(made):
    content = copy.deepcopy(coco.annotations(13))
    del content["annotations"][5]["image_id"]
    with pytest.raises(RuntimeError, match=r"entry 5 of `annotations`: the key `image_id` is missing"):
        build(made, content)
    content = copy.deepcopy(coco.annotations(13))
    content["images"][2]["width"] = -1
    with pytest.raises(RuntimeError, match=rf"entry 2 of `images` \(id {content['images'][2]['id']}\).*`width` is -1"):
        build(made, content)
