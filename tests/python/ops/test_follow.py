"""Labels that move along with pictures: compared with what is drawn in the moved pictures."""

import functools
import io

import numpy as np
import pytest
from follow_runs import HEIGHT, MOVES, WIDTH, chain, run, square, uniform

from penstock import _lineage, fn, ops, pipeline_def, types
from penstock._schema import schemas


def drawn(picture):
    """The box of what is white, or None where too little is."""
    white = np.asarray(picture)[..., 0] > 127
    rows, columns = np.flatnonzero(white.any(1)), np.flatnonzero(white.any(0))
    if len(rows) == 0:
        return None
    return np.float32([columns[0], rows[0], columns[-1] + 1, rows[-1] + 1])


def followed(names, images, boxes):
    moved = chain(names, images)
    mask = fn.follow(images, moved, kind="masks")
    corners = fn.stack(
        fn.stack(boxes[0, 0], boxes[0, 1]), fn.stack(boxes[0, 2], boxes[0, 1]), fn.stack(boxes[0, 2], boxes[0, 3]),
        fn.stack(boxes[0, 0], boxes[0, 3])
    )  # fmt: skip
    polygons, vertices = fn.follow(corners, moved, kind="polygons", polygons=np.int32([[0, 0, 4]]))
    box, kept = fn.follow(boxes, moved, ltrb=True, min_visible=0)
    return moved, fn.follow(boxes, moved, kind="boxes", ltrb=True), mask, polygons, vertices, box, kept


def check(names, outputs):
    """How many samples showed enough to compare."""
    compared = 0
    for image, box, mask, polygons, vertices, left, kept in zip(*outputs, strict=True):
        where = f"{names} {image.shape} {box}"
        assert mask.shape == image.shape, where
        assert (box >= 0).all() and (box <= np.tile(image.shape[1::-1], 2)).all(), where
        assert len(left) == len(kept) == (1 if vertices.size else 0), where
        seen = drawn(image)
        if seen is None or min(seen[2] - seen[0], seen[3] - seen[1]) < 8:
            continue
        assert np.abs(box[0] - seen).max() < 2, f"{where} {seen}"
        assert np.array_equal(left, box), where
        assert polygons.tolist() == [[0, 0, len(vertices)]], where
        bounds = np.concatenate([vertices.min(0), vertices.max(0)])
        assert np.abs(bounds - box[0]).max() < 1e-3, where
        white, masked = image[..., 0] > 127, mask[..., 0] > 127
        assert (white & masked).sum() / (white | masked).sum() > 0.8, where
        compared += 1
    return compared


@pytest.mark.parametrize("name", MOVES)
def test_each_operator_takes_its_labels_along(name):
    rng = np.random.default_rng(len(name))
    samples = [square(rng) for _ in range(12)]
    assert check([name], run(functools.partial(followed, [name]), samples)) >= 8


def test_a_thousand_random_chains():
    """100 chains, of each ten samples with random arguments of their own."""
    compared = 0
    for seed in range(100):
        rng = np.random.default_rng(seed)
        names = [str(name) for name in rng.choice(list(MOVES), rng.integers(2, 5))]
        samples = [square(rng) for _ in range(10)]
        compared += check(names, run(functools.partial(followed, names), samples, seed))
    assert compared > 700


def test_nothing_moved_means_that_nothing_changes():
    samples = [square(np.random.default_rng(i)) for i in range(4)]
    outputs = run(lambda x, b: (fn.follow(b, fn.brightness(x, brightness=1.0), ltrb=True), b), samples)
    np.testing.assert_array_equal(outputs[0], outputs[1])


def test_random_arguments_are_those_of_the_operator_with_any_number_of_random_ones_around():
    """Following draws no numbers: the pictures are the same with and without."""
    samples = [square(np.random.default_rng(i)) for i in range(8)]

    def define(follows, images, boxes):
        first = fn.random.uniform(range=[0, 1])
        moved = MOVES["random_resized_crop"](images)
        extra = [fn.follow(boxes, moved)] if follows else []
        return MOVES["random_resized_crop"](moved), first, fn.random.uniform(range=[0, 1]), *extra

    with_, without = (run(functools.partial(define, one), samples) for one in (True, False))
    for a, b in zip(with_, without, strict=False):
        assert all(np.array_equal(x, y) for x, y in zip(a, b, strict=True))


def test_what_was_cut_off_stays_unseen_on_a_larger_canvas():
    picture = np.zeros((100, 100, 3), np.uint8)
    boxes = np.float32([[10, 10, 20, 20], [60, 60, 20, 20], [0, 0, 5, 5]])  # x, y, w, h

    def define(images, boxes):
        moved = fn.paste(
            fn.crop(images, crop=(50, 50), crop_pos_x=0, crop_pos_y=0), fill_value=0, ratio=3.0, paste_x=0, paste_y=0
        )  # fmt: skip
        some, kept = fn.follow(boxes, moved, min_visible=0.5)
        return fn.follow(boxes, moved), some, kept

    every, some, kept = (output[0] for output in run(define, [(picture, boxes)]))
    np.testing.assert_array_equal(every, [[10, 10, 20, 20], [0, 0, 0, 0], [0, 0, 5, 5]])
    np.testing.assert_array_equal(some, every[[0, 2]])
    assert kept.tolist() == [0, 2] and kept.dtype == np.int32


@pytest.mark.parametrize(("least", "left"), [(0.0, 3), (0.24, 3), (0.26, 2), (0.6, 1), (1.0, 1)])
def test_boxes_of_which_less_is_seen_are_left_out_with_their_labels(least, left):
    boxes = np.float32([[10, 10, 20, 20], [50, 10, 20, 20], [50, 50, 20, 20], [70, 70, 20, 20]])

    def define(images, boxes):
        labels = fn.constant(idata=[7, 8, 9, 10])
        moved = fn.crop(images, crop=(60, 60), crop_pos_x=0, crop_pos_y=0)
        return fn.follow(boxes, moved, min_visible=least, labels=[labels, labels * 2])

    moved, labels, twice, kept = (output[0] for output in run(define, [(np.zeros((100, 100, 3), np.uint8), boxes)]))
    assert len(moved) == left
    assert labels.tolist() == [7, 8, 9][:left]
    assert twice.tolist() == [14, 16, 18][:left]
    assert kept.tolist() == list(range(left))


@pytest.mark.parametrize("several", [True, False])
def test_without_a_least_share_all_boxes_and_labels_stay(several):
    boxes = np.float32([[10, 10, 20, 20], [50, 10, 20, 20], [70, 70, 20, 20]])

    def define(images, boxes):
        moved = fn.crop(images, crop=(60, 60), crop_pos_x=0, crop_pos_y=0)
        labels = fn.constant(idata=[7, 8, 9])
        return fn.follow(boxes, moved, labels=[labels, labels * 2] if several else labels)

    moved, *labels = (output[0] for output in run(define, [(np.zeros((100, 100, 3), np.uint8), boxes)]))
    np.testing.assert_array_equal(moved, [[10, 10, 20, 20], [50, 10, 10, 20], [0, 0, 0, 0]])
    assert [one.tolist() for one in labels] == [[7, 8, 9], [14, 16, 18]][: 1 + several]


@pytest.mark.parametrize("ratio", [True, False])
@pytest.mark.parametrize("ltrb", [True, False])
def test_boxes_in_parts_and_in_pixels_and_as_extents(ratio, ltrb):
    box = np.float32([[10, 20, 40, 60]])  # ltrb in pixels of 128 x 96
    given = box if ltrb else np.hstack([box[:, :2], box[:, 2:] - box[:, :2]])
    given = given / np.float32([WIDTH, HEIGHT] * 2) if ratio else given
    picture = np.zeros((HEIGHT, WIDTH, 3), np.uint8)
    [made] = run(
        lambda x, b: fn.follow(b, fn.flip(fn.resize(x, size=[48, 256])), ratio=ratio, ltrb=ltrb), [(picture, given)]
    )  # fmt: skip
    made = made[0] * (np.float32([256, 48] * 2) if ratio else 1)
    made = made if ltrb else np.hstack([made[:, :2], made[:, :2] + made[:, 2:]])
    np.testing.assert_allclose(made, [[256 - 80, 10, 256 - 20, 30]], atol=1e-4)


def test_key_points_know_left_from_right_and_what_is_seen():
    points = np.float32([[[10, 20, 2], [90, 20, 1], [50, 70, 2], [0, 0, 0]]])  # eyes, nose, not there

    def define(images, points):
        flip = fn.random.coin_flip(probability=fn.cast(points[0, 0, 2] > 1, dtype=types.FLOAT) * 0 + 1)
        moved = fn.crop(fn.flip(images, horizontal=flip), crop=(50, 60), crop_pos_x=0, crop_pos_y=0)
        return fn.follow(points, moved, kind="points", flip_pairs=[(0, 1)]), fn.follow(points, moved, kind="points")

    paired, plain = (output[0] for output in run(define, [(np.zeros((100, 100, 3), np.uint8), points)]))
    np.testing.assert_array_equal(plain, [[[90, 20, 0], [10, 20, 1], [50, 70, 0], [0, 0, 0]]])
    np.testing.assert_array_equal(paired, [[[10, 20, 1], [90, 20, 0], [50, 70, 0], [0, 0, 0]]])


def test_a_picture_that_is_turned_half_round_is_not_mirrored():
    points = np.float32([[[10, 20], [90, 20]]])
    [turned] = run(
        lambda x, p: fn.follow(p, fn.flip(x, vertical=1), kind="points", flip_pairs=[0, 1]),
        [(np.zeros((100, 100, 3), np.uint8), points)],
    )  # fmt: skip
    np.testing.assert_allclose(turned[0], [[[90, 80], [10, 80]]], atol=1e-4)


@pytest.mark.parametrize("device", ["cpu", "mixed"])
@pytest.mark.filterwarnings("ignore:.*run on the CPU")
@pytest.mark.parametrize("decoder", ["image", "image_random_crop", "image_crop", "image_slice"])
def test_decoders_that_crop(decoder, device):
    import PIL.Image

    rng = np.random.default_rng(4)
    samples = [square(rng) for _ in range(8)]

    def encoded(picture):
        file = io.BytesIO()
        PIL.Image.fromarray(picture).save(file, "PNG")
        return np.frombuffer(file.getvalue(), np.uint8)

    more = {
        "image": {}, "image_crop": {"crop": (80, 100)}, "image_random_crop": {"random_area": [0.6, 0.9]},
        "image_slice": {"rel_start": [0.1, 0.1], "rel_shape": [0.8, 0.8], "axis_names": "HW"},
    }[decoder]  # fmt: skip

    @pipeline_def(batch_size=8, num_threads=2, device_id=None, seed=5)
    def pipe():
        files, boxes, pictures = fn.external_source(
            lambda: tuple(map(list, zip(*((encoded(p), b, p) for p, b in samples), strict=True))), num_outputs=3
        )
        images = fn.resize(getattr(fn.decoders, decoder)(files, device=device, **more), size=[100, 150])
        return images, fn.follow(boxes, images, ltrb=True), fn.follow(pictures, images, kind="masks")

    compared = 0
    for image, box, mask in zip(*([np.array(one) for one in output] for output in pipe().run()), strict=True):
        if (seen := drawn(image)) is None or min(seen[2:] - seen[:2]) < 8:
            continue
        assert np.abs(box[0] - seen).max() < 2
        assert np.abs(drawn(mask) - seen).max() < 2
        compared += 1
    assert compared >= 5


def test_both_branches_of_an_if():
    rng = np.random.default_rng(8)
    samples = [square(rng) for _ in range(16)]

    def define(images, boxes):
        if fn.random.coin_flip():
            moved = fn.flip(images)
            if fn.random.coin_flip():
                moved = fn.rotate(moved, angle=uniform(-90, 90), fill_value=0)
        else:
            moved = fn.brightness(images, brightness=0.9)
        out = fn.resize(moved, size=[100, 100])
        return out, fn.follow(boxes, out, ltrb=True)

    images, boxes = run(define, samples, enable_conditionals=True)
    for image, box in zip(images, boxes, strict=True):
        assert np.abs(box[0] - drawn(image)).max() < 2


def test_schemes_of_auto_augment_are_followed():
    from penstock.auto_aug import trivial_augment

    rng = np.random.default_rng(8)
    samples = [square(rng) for _ in range(24)]

    def define(images, boxes):
        moved = trivial_augment.trivial_augment_wide(images, shape=[HEIGHT, WIDTH], fill_value=0)
        return moved, fn.follow(images, moved, kind="masks"), fn.follow(boxes, moved, ltrb=True)

    moved, masks, _ = run(define, samples, enable_conditionals=True)
    shown = [(m[..., 0] > 127, k[..., 0] > 127) for m, k in zip(moved, masks, strict=True) if drawn(m) is not None]
    overlaps = [(a & b).sum() / max((a | b).sum(), 1) for a, b in shown]
    assert np.median(overlaps) > 0.9


def test_frames_and_planes_and_padding():
    video = np.zeros((3, 60, 80, 3), np.uint8)
    video[:, 10:30, 20:50] = 255

    @pipeline_def(batch_size=2, num_threads=1, device_id=None, seed=1)
    def pipe():
        frames = fn.external_source(lambda: [video, video], layout="FHWC")
        planes = fn.external_source(lambda: [video[0].transpose(2, 0, 1)] * 2, layout="CHW")
        box = np.float32([[20, 10, 50, 30]])
        flipped, resized = fn.flip(frames), fn.resize(planes, size=[fn.random.uniform(range=[30, 60]), 160.0])
        padded = fn.pad(fn.transpose(resized, perm=[1, 2, 0]), axis_names="HW", shape=[200, 200])
        return (
            flipped, fn.follow(frames, flipped, kind="masks"), fn.follow(box, flipped, ltrb=True),
            fn.follow(box / np.float32([80, 60, 80, 60]), padded, ltrb=True, ratio=True), padded,
        )  # fmt: skip

    for moved, mask, box, parts, padded in zip(
        *([np.array(one) for one in output] for output in pipe().run()), strict=True
    ):
        np.testing.assert_array_equal(moved, mask)
        np.testing.assert_array_equal(box, [[30, 10, 60, 30]])
        assert np.abs(parts[0] * 200 - drawn(padded)).max() < 1.5


def test_source_says_whose_labels_they_are():
    samples = [square(np.random.default_rng(i)) for i in range(3)]

    def define(images, boxes):
        other = fn.external_source(lambda: [np.full((HEIGHT, WIDTH, 3), 1, np.uint8)] * 3, layout="HWC")
        flipped = fn.flip(images)
        mixed = fn.resize(flipped + other, size=[HEIGHT, WIDTH])
        return (
            fn.follow(boxes, mixed, ltrb=True, source=images),
            fn.follow(boxes, mixed, ltrb=True, source=flipped),
            boxes,
        )

    for whole, part, box in zip(*run(define, samples), strict=True):
        np.testing.assert_array_equal(part, box)
        np.testing.assert_allclose(whole, [[WIDTH - box[0, 2], box[0, 1], WIDTH - box[0, 0], box[0, 3]]], atol=1e-4)


def test_each_operator_on_pictures_is_known():
    """A new operator says whether labels can follow: an operator that takes pictures is in one of the lists."""
    known = {*_lineage.KEEPING, *_lineage.MOVING, *_lineage.REFUSED}
    for name, schema in schemas().items():
        if schema.hidden or not any("HWC" in one["layouts"] for one in schema.inputs):
            continue
        assert name in known, name
    assert known <= set(schemas())


def test_the_class_does_what_the_function_does():
    samples = [square(np.random.default_rng(i)) for i in range(2)]

    def define(images, boxes):
        flipped = ops.Flip()(images)
        return ops.Follow(kind="boxes", ltrb=True)(boxes, flipped), fn.follow(boxes, flipped, ltrb=True)

    by_class, by_function = run(define, samples)
    np.testing.assert_array_equal(by_class, by_function)
