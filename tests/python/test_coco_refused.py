"""What readers.coco refuses, by entry, image and place: annotations, arguments, prepared annotations."""

import copy
import json
import os

import coco
import pytest
from coco import build, epoch_of

import penstock


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
def test_files_that_contradict_themselves_are_refused_and_named(coco_set, spoil, arguments, message):
    content = copy.deepcopy(coco.annotations(13))
    spoil(content)
    with pytest.raises(RuntimeError, match=rf"(?s)\[readers.coco\].*{message}.*bad.json"):
        build(coco_set, content, **arguments)


def test_annotations_may_begin_with_a_byte_order_mark(coco_set):
    text = "\ufeff" + json.dumps(coco.annotations(13))
    assert len(build(coco_set, text=text).run()[0]) == 1
    with pytest.raises(RuntimeError, match=r"line 1, column 34"):
        build(coco_set, text='\ufeff{"images": [], "annotations": [] 1}')


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
def test_broken_json_is_refused_with_its_place(coco_set, text, message):
    with pytest.raises(RuntimeError, match=rf"(?s)\[readers.coco\].*{message}.*bad.json"):
        build(coco_set, text=text)


def test_wrong_arguments_say_what_to_do(coco_set, tmp_path):
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
            build(coco_set, **arguments)
    with pytest.raises(ValueError, match="Either `annotations_file` or"):
        epoch_of(penstock, coco_set[0])
    with pytest.raises(ValueError, match="Cannot open"):
        epoch_of(penstock, coco_set[0], preprocessed_annotations=str(tmp_path / "none"))
    with pytest.raises(ValueError, match="Cannot open"):
        build((coco_set[0], str(tmp_path / "none")))


def test_prepared_annotations_that_do_not_fit_together_are_refused(coco_set, tmp_path):
    folder = tmp_path / "prepared"
    masks = {"pixelwise_masks": True, "image_ids": True}
    build(coco_set, save_preprocessed_annotations=True, save_preprocessed_annotations_dir=str(folder), **masks)
    whole = {name: (folder / name).read_bytes() for name in os.listdir(folder)}
    for name, content in whole.items():
        if name == "filenames.dat":
            continue
        for spoilt in (content[:-1], content + b"\0", b"", b"\xff" * len(content)):
            (folder / name).write_bytes(spoilt)
            with pytest.raises(RuntimeError, match=r"\[readers.coco\].*(\.dat|INT32)"):
                epoch_of(penstock, coco_set[0], preprocessed_annotations=str(folder), **masks)
        (folder / name).write_bytes(content)


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
def test_annotations_that_are_refused_tell_the_id_of_their_image(coco_set, spoilt, message, first):
    """Wherever in the entry the id stands."""
    content = copy.deepcopy(coco.annotations(13))
    one = content["annotations"][5]
    one.update(spoilt)
    content["annotations"][5] = {first: one[first], **{key: value for key, value in one.items() if key != first}}
    masks = {"pixelwise_masks": True} if "segmentation" in spoilt else {}
    with pytest.raises(RuntimeError) as caught:
        build(coco_set, content, **masks)
    assert f"entry 5 of `annotations` (image_id {one['image_id']})" in str(caught.value)
    assert message in str(caught.value)


def test_an_annotation_without_an_image_and_an_image_are_told_by_what_they_have(coco_set):
    content = copy.deepcopy(coco.annotations(13))
    del content["annotations"][5]["image_id"]
    with pytest.raises(RuntimeError, match=r"entry 5 of `annotations`: the key `image_id` is missing"):
        build(coco_set, content)
    content = copy.deepcopy(coco.annotations(13))
    content["images"][2]["width"] = -1
    with pytest.raises(RuntimeError, match=rf"entry 2 of `images` \(id {content['images'][2]['id']}\).*`width` is -1"):
        build(coco_set, content)
