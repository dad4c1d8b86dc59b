"""Labels that move along with volumes: compared with what is drawn in the moved ones, and with DALI's moved masks."""

import functools

import numpy as np
import oracle
import pytest

from penstock import Pipeline, fn, pipeline_def, types

DEPTH, HEIGHT, WIDTH = 24, 32, 40


def uniform(low, high):
    return fn.random.uniform(range=[low, high])


def cuboid(rng):
    """(volume, box): white on black; left, top, front, right, bottom, back."""
    size = rng.integers(8, 14, 3)
    low = [int(rng.integers(3, extent - s - 3)) for extent, s in zip((WIDTH, HEIGHT, DEPTH), size, strict=True)]
    (x, y, z), (w, h, d) = low, size
    volume = np.zeros((DEPTH, HEIGHT, WIDTH, 1), np.uint8)
    volume[z : z + d, y : y + h, x : x + w] = 255
    return volume, np.float32([[x, y, z, x + w, y + h, z + d]])


def drawn(volume):
    """The box of what is white, or None."""
    white = np.asarray(volume)[..., 0] > 127
    if not white.any():
        return None
    places = [np.flatnonzero(white.any(axes)) for axes in ((0, 1), (0, 2), (1, 2))]
    return np.float32([one[0] for one in places] + [one[-1] + 1 for one in places])


def run(define, samples, seed=3, layout="DHWC"):
    @pipeline_def(batch_size=len(samples), num_threads=2, device_id=None, seed=seed)
    def pipe():
        volumes, boxes = fn.external_source(
            lambda: tuple(map(list, zip(*samples, strict=True))), num_outputs=2, layout=[layout, ""]
        )
        return define(volumes, boxes)

    return [[np.array(one) for one in output] for output in pipe().run()]


def warp(x):
    matrix = fn.transforms.combine(
        fn.transforms.translation(offset=fn.stack(uniform(-3, 3), uniform(-3, 3), uniform(-3, 3))),
        fn.transforms.scale(scale=fn.stack(uniform(0.9, 1.2), uniform(0.9, 1.2), uniform(0.9, 1.2))),
    )
    return fn.warp_affine(x, matrix, fill_value=0, inverse_map=False)


def flips(x):
    return fn.flip(x, horizontal=fn.random.coin_flip(), vertical=fn.random.coin_flip(), depthwise=fn.random.coin_flip())


ALIGNED = {
    "resize": lambda x: fn.resize(x, resize_x=uniform(30, 60), resize_y=uniform(30, 60), resize_z=uniform(18, 40)),
    "not_larger": lambda x: fn.resize(x, size=[30, 50, 60], mode="not_larger"),
    "roi": lambda x: fn.resize(x, size=[24, 32, 40], roi_start=[0.1, 0.05, 0], roi_end=[1, 0.9, 0.95],
                               roi_relative=True),
    "tensor_resize": lambda x: fn.tensor_resize(x, sizes=[20, 44], axes=[0, 2]),
    "crop": lambda x: fn.crop(x, crop=(16, 24, 30), crop_pos_x=uniform(0, 1), crop_pos_z=uniform(0, 1),
                              out_of_bounds_policy="pad"),
    "slice": lambda x: fn.slice(x, rel_start=[0.1, 0.0, 0.2], rel_shape=[0.8, 0.9, 0.8], axis_names="DHW"),
    "slice beyond": lambda x: fn.slice(x, start=[-3, 5], shape=[30, 30], axes=[0, 1], out_of_bounds_policy="pad"),
    "flip": flips,
    "mirrored": lambda x: fn.crop_mirror_normalize(
        x, mirror=fn.random.coin_flip(), crop_d=18, crop_h=26, crop_w=34, crop_pos_z=uniform(0, 1), dtype=types.UINT8,
        output_layout="DHWC", out_of_bounds_policy="pad"
    ),
    "pad": lambda x: fn.pad(x, axis_names="DW", shape=[64, 64]),
    "warp_affine": warp,
    "blurred": lambda x: fn.gaussian_blur(x, sigma=0.4),
}  # fmt: skip
TURNING = {
    "rotate": lambda x: fn.rotate(x, angle=uniform(-90, 90), axis=[0.3, 0.5, 1.0], fill_value=0),
    "rotate in place": lambda x: fn.rotate(x, angle=uniform(-30, 30), axis=[0, 1, 0], fill_value=0, keep_size=True),
    "sheared": lambda x: fn.warp_affine(
        x, fn.transforms.shear(shear=fn.stack(*(uniform(-0.2, 0.2) for _ in range(6)))), fill_value=0, inverse_map=False
    ),
}  # fmt: skip
MOVES = {**ALIGNED, **TURNING}


def corners(box):
    """FLOAT [8, 4]: x, y, z and that the corner is visible."""
    return fn.stack(*(
        fn.stack(box[0, x], box[0, y], box[0, z], np.float32(1)) for x in (0, 3) for y in (1, 4) for z in (2, 5)
    ))  # fmt: skip


def followed(names, volumes, boxes):
    moved = volumes
    for name in names:
        moved = MOVES[name](moved)
    box, kept = fn.follow(boxes, moved, ltrb=True, min_visible=0)
    return (
        moved, fn.follow(volumes, moved, kind="masks"), fn.follow(boxes, moved, ltrb=True), box, kept,
        fn.follow(corners(boxes), moved, kind="points"),
    )  # fmt: skip


def check(names, outputs):
    """How many samples showed enough to compare."""
    compared, turned = 0, bool(set(names) & set(TURNING))
    for volume, mask, box, left, kept, points in zip(*outputs, strict=True):
        where = f"{names} {volume.shape} {box}"
        extents = np.float32(volume.shape[2::-1])
        assert mask.shape == volume.shape, where
        assert (box >= 0).all() and (box <= np.tile(extents, 2)).all(), where
        if points[:, 3].all():  # all of it is seen
            bounds = np.concatenate([points[:, :3].min(0), points[:, :3].max(0)])
            assert np.abs(bounds - box[0]).max() < 2e-3, where
        masked = drawn(mask)
        if masked is None or (masked[3:] - masked[:3]).min() < 6:
            continue
        # A corner of a turned cube is no pixel wide.
        assert np.abs(box[0] - masked).max() < (2.5 if turned else 1.1), f"{where} {masked}"
        assert (box[0] - masked)[:3].max() < 0.6 and (box[0] - masked)[3:].min() > -0.6, f"{where} {masked}"
        assert np.array_equal(box, left) and kept.tolist() == [0], where
        white = volume > 127
        assert (white & (mask > 127)).sum() / (white | (mask > 127)).sum() > 0.7, where
        compared += 1
    return compared


@pytest.mark.parametrize("name", MOVES)
def test_each_operator_takes_labels_of_volumes_along(name):
    rng = np.random.default_rng(len(name))
    samples = [cuboid(rng) for _ in range(10)]
    assert check([name], run(functools.partial(followed, [name]), samples)) >= 6


def test_random_chains_of_volumes():
    """40 chains, of each five samples with random arguments of their own."""
    compared = 0
    for seed in range(40):
        rng = np.random.default_rng(seed)
        names = [str(name) for name in rng.choice(list(ALIGNED if seed % 2 else MOVES), rng.integers(2, 5))]
        samples = [cuboid(rng) for _ in range(5)]
        compared += check(names, run(functools.partial(followed, names), samples, seed))
    assert compared > 120


def speckles(i):
    """A volume and a mask of classes that differ everywhere, so that one wrong pixel shows."""
    rng = np.random.default_rng(i)
    shape = (9 + i, 12, 14, 1)
    return rng.integers(0, 255, shape, np.uint8), rng.integers(0, 200, shape).astype(np.int32)


# No place lies half-way between two pixels, where roundings decide.
WARP = [0.9137, 0.1019, -0.2071, 1.5213, -0.1087, 1.1051, 0.0513, -0.7129, 0.1543, 0.0211, 0.8093, 1.1171]
# Extents stay odd for the same reason: half of an even one lies between two pixels.
EXACT = {
    "flip": flips,
    "crop": lambda x: fn.crop(x, crop=(9, 21, 13), crop_pos_x=uniform(0, 1), crop_pos_z=uniform(0, 1),
                              out_of_bounds_policy="pad"),
    "slice": lambda x: fn.slice(x, start=[2, -3], shape=[11, 9], axes=[0, 1], out_of_bounds_policy="pad"),
    "mirrored": lambda x: fn.crop_mirror_normalize(
        x, mirror=fn.random.coin_flip(), crop_d=7, crop_h=13, crop_w=15, crop_pos_z=uniform(0, 1), dtype=types.UINT8,
        output_layout="DHWC", out_of_bounds_policy="pad"
    ),
    "pad": lambda x: fn.pad(x, axis_names="DW", shape=[25, 25]),
}  # fmt: skip
NEAREST = {
    "resize": lambda x, nearest: fn.resize(x, resize_x=uniform(9, 60), resize_y=20, resize_z=uniform(5, 40), **nearest),
    "roi": lambda x, nearest: fn.resize(x, size=[24, 32, 40], roi_start=[0.103, 0.907, 0.011],
                                        roi_end=[1, 0.053, 0.957], roi_relative=True, **nearest),
    "tensor_resize": lambda x, nearest: fn.tensor_resize(x, sizes=[20, 44], axes=[0, 2], **nearest),
    "warp_affine": lambda x, nearest: fn.warp_affine(x, matrix=WARP, fill_value=0, **nearest),
}  # fmt: skip


def test_masks_of_volumes_are_what_the_nearest_pixels_make_bit_for_bit():
    """60 chains of what moves whole pixels, around one operator that takes the nearest ones."""
    shown = 0
    for seed in range(60):
        rng = np.random.default_rng(seed)
        nearest = list(NEAREST)[seed % len(NEAREST)]
        names = [str(name) for name in rng.choice(list(EXACT), 4)]

        def define(x, b, nearest=nearest, names=names):
            moved = x
            for i, name in enumerate(names):
                moved = EXACT[name](moved)
                moved = NEAREST[nearest](moved, {"interp_type": types.INTERP_NN}) if i == 1 else moved
            return moved, fn.follow(x, moved, kind="masks"), b

        samples = [(rng.integers(1, 255, (11, 15, 17, 1), np.uint8), np.float32([])) for _ in range(4)]
        for moved, mask, _ in zip(*run(define, samples, seed), strict=True):
            np.testing.assert_array_equal(moved, mask, f"{names} {nearest}")
            shown += moved.any()
    assert shown > 150


AS_DALI = {
    "flip": (lambda fn, x, nearest: fn.flip(x, horizontal=1, vertical=0, depthwise=1), 1.0),
    "crop": (lambda fn, x, nearest: fn.crop(x, crop=(6, 7, 9), crop_pos_z=0.3, crop_pos_x=0.9), 1.0),
    "slice": (lambda fn, x, nearest: fn.slice(x, start=[-2, 3], shape=[9, 8], axes=[0, 2], fill_values=0.0,
                                              out_of_bounds_policy="pad"), 1.0),
    "resize": (lambda fn, x, nearest: fn.resize(x, size=[16, 8, 32], **nearest), 1.0),
    "turned roi": (lambda fn, x, nearest: fn.resize(
        x, size=[10, 10, 10], roi_start=[8.0, 1.0, 2.0], roi_end=[1.0, 11.0, 12.0], **nearest), 1.0),
    "rotate": (lambda fn, x, nearest: fn.rotate(x, angle=25.0, axis=[1.0, 0.4, 0.2], fill_value=0.0, **nearest), 0.995),
    "warp_affine": (lambda fn, x, nearest: fn.warp_affine(x, matrix=WARP, fill_value=0.0, **nearest), 0.995),
}  # fmt: skip


@pytest.mark.parametrize("name", AS_DALI)
def test_masks_of_volumes_are_those_that_dali_moves_by_the_nearest_pixel(name):
    """DALI's users give the operator the mask as well; `follow` needs the volume alone."""
    oracle.dali()
    move, alike = AS_DALI[name]
    samples = [speckles(i) for i in range(4)]

    def ours(fn, types, math):
        volumes, masks = fn.external_source(
            lambda: tuple(map(list, zip(*samples, strict=True))), num_outputs=2, layout="DHWC"
        )
        return fn.follow(masks, move(fn, volumes, {}), kind="masks")

    def theirs(fn, types, math):
        masks = fn.external_source(lambda: [mask.astype(np.float32) for _, mask in samples], layout="DHWC")
        return move(fn, masks, {"interp_type": types.INTERP_NN})

    [[mine]], [[his]] = oracle.run_ours(ours), oracle.run_dali(theirs)
    for a, b in zip(mine, his, strict=True):
        assert a.shape == b.shape and a.dtype == np.int32
        assert (a == b).mean() >= alike


@pytest.mark.parametrize("layout", ["CDHW", "FDHWC", "FCDHW"])
def test_volumes_of_other_layouts_and_frames_of_them(layout):
    rng = np.random.default_rng(3)
    shape = [{"C": 2, "F": 3, "D": 5, "H": 6, "W": 7}[letter] for letter in layout]
    volume, mask = rng.integers(0, 255, shape, np.uint8), rng.integers(0, 9, [5, 6, 7], np.uint8)

    @pipeline_def(batch_size=1, num_threads=1, device_id=None)
    def pipe():
        volumes = fn.external_source(lambda: [volume], layout=layout)
        masks = fn.external_source(lambda: [mask], layout="DHW")
        moved = fn.slice(fn.flip(volumes, depthwise=1), start=[1, 2], shape=[4, 3], axis_names="DW")
        return moved, fn.follow(volumes, moved, kind="masks"), fn.follow(masks, moved, kind="masks")

    moved, same, one = (np.array(output[0]) for output in pipe().run())
    np.testing.assert_array_equal(moved, same)
    np.testing.assert_array_equal(one, mask[::-1, :, ::-1][1:5, :, 2:5])


@pytest.mark.parametrize("ltrb", [True, False])
@pytest.mark.parametrize("ratio", [True, False])
def test_boxes_in_volumes_in_parts_and_as_extents(ratio, ltrb):
    box = np.float32([[10, 20, 6, 30, 28, 18], [0, 0, 0, 3, 3, 3]])
    extents = np.float32([WIDTH, HEIGHT, DEPTH] * 2)
    given = box if ltrb else np.hstack([box[:, :3], box[:, 3:] - box[:, :3]])
    volume = np.zeros((DEPTH, HEIGHT, WIDTH, 1), np.uint8)

    def define(x, b):
        moved = fn.flip(fn.resize(x, size=[12, 64, 40]), horizontal=0, depthwise=1)
        return fn.follow(b, moved, ratio=ratio, ltrb=ltrb)

    [[made]] = run(define, [(volume, given / extents if ratio else given)])
    made = made * (np.float32([40, 64, 12] * 2) if ratio else 1)
    made = made if ltrb else np.hstack([made[:, :3], made[:, :3] + made[:, 3:]])
    np.testing.assert_allclose(made, [[10, 40, 3, 30, 56, 9], [0, 0, 10.5, 3, 6, 12]], atol=1e-4)


@pytest.mark.parametrize(("least", "left"), [(0.0, [0, 1]), (0.26, [0]), (0.24, [0, 1])])
def test_boxes_of_whose_volume_less_is_seen_are_left_out(least, left):
    boxes = np.float32([[0, 0, 0, 8, 8, 8], [16, 4, 9, 8, 8, 4], [30, 0, 0, 4, 4, 4]])  # x, y, z, w, h, d

    def define(x, b):
        moved = fn.crop(x, crop=(11, 32, 20), crop_pos_x=0, crop_pos_z=0)
        return fn.follow(b, moved, min_visible=least, labels=np.int32([7, 8, 9]))

    [made], [labels], [kept] = run(define, [(np.zeros((DEPTH, HEIGHT, WIDTH, 1), np.uint8), boxes)])
    whole = np.float32([[0, 0, 0, 8, 8, 8], [16, 4, 9, 4, 8, 2]])
    np.testing.assert_array_equal(made, whole[left])
    assert kept.tolist() == left and labels.tolist() == [7, 8][: len(left)]


def test_a_turned_box_shows_the_share_that_is_left_of_it():
    """An upright box, turned by 45 degrees around its middle, is cut through the middle: of 3 x 4 x 2 a half stays."""
    box = np.float32([[18, 14, 10, 4, 3, 2], [0, 0, 0, 2, 2, 2]])  # x, y, z, w, h, d; the first around (20, 15.5, 11)

    def define(x, b):
        turned = fn.warp_affine(x, fn.transforms.rotation(angle=45.0, axis=[0, 0, 1], center=[20, 15.5, 11]))
        cut = fn.slice(turned, start=[0], shape=[20], axis_names="W")
        return *(fn.follow(b, cut, min_visible=least)[0] for least in (0.49, 0.51)), fn.follow(b, cut)

    [most], [less], [every] = run(define, [(np.zeros((DEPTH, HEIGHT, WIDTH, 1), np.uint8), box)])
    half = np.sqrt(0.5)  # how far a pixel along an edge leads along x and along y
    np.testing.assert_allclose(most[0], [20 - 3.5 * half, 15.5 - 3 * half, 10, 3.5 * half, 6.5 * half, 2], atol=1e-4)
    assert len(most) == len(every) - 1 == 1 and len(less) == 0
    np.testing.assert_array_equal(every, [most[0], np.zeros(6)])


def test_points_in_volumes_turn_with_them():
    """A white pixel, and the point in its middle."""
    volume = np.zeros((DEPTH, HEIGHT, WIDTH, 1), np.uint8)
    volume[9:12, 14:17, 18:21] = 255
    points = np.float32([[[19.5, 15.5, 10.5, 2], [39, 31, 23, 1], [1, 1, 1, 0]]])

    def define(x, p):
        moved = fn.rotate(fn.flip(x, depthwise=1), angle=40, axis=[1, 1, 0], fill_value=0, keep_size=True)
        cut = fn.crop(moved, crop=(20, 28, 36))
        return cut, fn.follow(p, cut, kind="points"), fn.follow(p[:, :, :3], cut, kind="points")

    [moved], [seen], [plain] = run(define, [(volume, points)])
    weights = moved[..., 0].astype(np.float64)
    middle = [(weights * (grid + 0.5)).sum() / weights.sum() for grid in np.indices(weights.shape)[::-1]]
    assert np.abs(plain[0, 0] - middle).max() < 0.3
    np.testing.assert_array_equal(seen[0, :2, :3], plain[0, :2])
    assert seen[0, :, 3].tolist() == [2, 0, 0]
    assert seen[0, 2].tolist() == [0, 0, 0, 0]


@pytest.mark.parametrize("flip, exchanged", [({}, True), ({"horizontal": 0, "depthwise": 1}, True),
                                             ({"horizontal": 1, "depthwise": 1}, False)])  # fmt: skip
def test_left_and_right_change_where_a_volume_is_mirrored(flip, exchanged):
    points = np.float32([[[5, 6, 7], [30, 6, 7]]])
    volume = np.zeros((DEPTH, HEIGHT, WIDTH, 1), np.uint8)

    def define(x, p):
        moved = fn.flip(x, **flip)
        return fn.follow(p, moved, kind="points", flip_pairs=[(0, 1)]), fn.follow(p, moved, kind="points")

    [paired], [plain] = run(define, [(volume, points)])
    np.testing.assert_array_equal(paired, plain[:, ::-1] if exchanged else plain)


WRONG = {
    "boxes of pictures": (lambda x, b: fn.follow(b[:, :4], fn.flip(x)), ValueError,
                          "`data`: boxes on pictures are rows of 4 numbers, those in volumes of 6; got 4 in a volume"),
    "a box turned around": (lambda x, b: fn.follow(b * -1.0, fn.flip(x)), RuntimeError,
                            "along x: that is no box; boxes are read as left, top, front, width, height, depth"),
    "points of pictures": (lambda x, b: fn.follow(b[:, :2], fn.flip(x), kind="points"), ValueError,
                           r"`data`: points in volumes are rows of x, y and z, or of x, y, z and how visible"),
    "polygons": (lambda x, b: fn.follow(b[:, :2], fn.flip(x), kind="polygons", polygons=np.int32([[0, 0, 1]])),
                 ValueError, "outlines on pictures, and this is a volume"),
    "a mask of another size": (lambda x, b: fn.follow(fn.crop(x, crop=(9, 9, 9)), fn.flip(x), kind="masks"),
                               RuntimeError, "a mask of 9 x 9 x 9 pixels does not belong to a volume of 24 x 32 x 40"),
    "a NaN": (lambda x, b: fn.follow(b * np.float32([1, 1, 1, 1, 1, np.nan]), fn.flip(x)), RuntimeError,
              "box 0 goes from 1 to nan along z: that is no box"),
    "a mask without a layout": (lambda x, b: fn.follow(fn.reinterpret(x, layout=""), fn.flip(x), kind="masks"),
                                RuntimeError, "need a layout such as DHW or DHWC"),
}  # fmt: skip


@pytest.mark.parametrize("what", WRONG)
def test_what_does_not_fit_volumes_is_told(what):
    define, error, message = WRONG[what]
    boxes = np.float32([[1, 1, 1, 5, 5, 5]])
    with pytest.raises(error, match=rf"\[follow_(boxes|points|polygons|masks)\](.|\n)*{message}(.|\n)*sample 0"):
        run(define, [(np.zeros((DEPTH, HEIGHT, WIDTH, 1), np.uint8), boxes)])


def test_an_empty_volume_has_empty_masks():
    with Pipeline(batch_size=1, num_threads=1) as pipe:
        volumes = fn.external_source(lambda: [np.zeros((0, 5, 6, 1), np.uint8)], layout="DHWC")
        moved = fn.slice(volumes, start=[-2], shape=[4], axes=[0], out_of_bounds_policy="pad")
        pipe.set_outputs(moved, fn.follow(volumes, moved, kind="masks", fill_value=3))
    moved, mask = (np.array(output[0]) for output in pipe.run())
    assert moved.shape == mask.shape == (4, 5, 6, 1)
    assert (mask == 3).all()
