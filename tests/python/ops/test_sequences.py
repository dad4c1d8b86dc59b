"""Sequences: their elements, their order, arguments of frames, and axes of any meaning, beside DALI."""

import numpy as np
import oracle
import pytest

from penstock import Pipeline, errors, fn, types

VIDEO = np.random.default_rng(1).integers(0, 255, (5, 24, 31, 3), np.uint8)
VOLUMES = np.random.default_rng(2).random((3, 7, 12, 10, 1), np.float32)


def source(fn, array, layout=None, batch=2):
    return fn.external_source(source=[[array] * batch], cycle=True, batch=True, layout=layout)


def made(make, batch_size=2, **options):
    """Outputs of one batch, each of sample 0."""
    pipe = Pipeline(**{"batch_size": batch_size, "num_threads": 2, "device_id": None, "seed": 3, **options})
    with pipe:
        outputs = make()
        pipe.set_outputs(*(outputs if isinstance(outputs, (list, tuple)) else (outputs,)))
    return [np.array(output[0]) for output in pipe.run()]


# element_extract ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("map_", [[0], [2, 0, 3], [4, 4]])
@pytest.mark.parametrize("layout", ["FHWC", None])
@pytest.mark.parametrize("dtype", [np.uint8, np.int64, np.float16])
def test_elements_equal_dalis(map_, layout, dtype):
    def graph(fn, types, math):
        outputs = fn.element_extract(source(fn, VIDEO.astype(dtype), layout), element_map=map_)
        return tuple(outputs) if len(map_) > 1 else outputs

    oracle.assert_same(graph, batch_size=2)


def test_elements_have_the_layout_of_frames_and_unread_ones_are_not_made():
    pipe = Pipeline(batch_size=2, num_threads=1, device_id=None)
    with pipe:
        first, _, last = fn.element_extract(source(fn, VIDEO, "FHWC"), element_map=[0, 1, 4])
        pipe.set_outputs(fn.flip(last), first)
    last, first = pipe.run()
    assert first.layout() == last.layout() == "HWC"
    np.testing.assert_array_equal(np.array(last[0]), VIDEO[4, :, ::-1])
    np.testing.assert_array_equal(np.array(first[1]), VIDEO[0])
    assert pipe.explain().count("element_extract") < 6


@pytest.mark.parametrize(
    ("map_", "layout", "error", "match"),
    [
        ([5], None, IndexError, "there is no element 5 in a sequence of 5"),
        ([-1], None, errors.ArgumentError, "must not hold negative numbers, got -1"),
        ([], None, errors.ArgumentError, "must name at least one"),
        ([0], "HWCX", errors.ArgumentError, 'must begin with F, got "HWCX"'),
    ],
)
def test_elements_that_are_not_there_are_refused(map_, layout, error, match):
    with pytest.raises(error, match=match):
        made(lambda: fn.element_extract(source(fn, VIDEO, layout), element_map=map_))


# sequence_rearrange ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("order", [[0], [4, 3, 2, 1, 0], [2, 2, 0, 1, 2, 3, 4, 4]])
@pytest.mark.parametrize("array", [VIDEO, VIDEO.astype(np.float32)[:, :2, 0, 0].copy()], ids=["4", "2"])
def test_orders_equal_dalis(order, array):
    oracle.assert_same(lambda fn, types, math: fn.sequence_rearrange(source(fn, array), new_order=order), batch_size=2)


def test_lists_are_sequences_too():
    assert made(lambda: fn.sequence_rearrange(source(fn, np.arange(5)), new_order=[3, 3, 0]))[0].tolist() == [3, 3, 0]


def test_orders_may_differ_by_sample():
    def make():
        order = fn.external_source(source=lambda: [np.int32([1, 0]), np.int32([3])], batch=True)
        return fn.sequence_rearrange(source(fn, VIDEO, "FHWC"), new_order=order)

    np.testing.assert_array_equal(made(make)[0], VIDEO[[1, 0]])


@pytest.mark.parametrize(
    ("order", "error", "match"),
    [
        ([0, 5], IndexError, "names the element 5 of a sequence of 5"),
        ([-1], IndexError, "names the element -1"),
        ([], errors.ArgumentError, "must name at least one"),
    ],
)
def test_orders_of_what_is_not_there_are_refused(order, error, match):
    with pytest.raises(error, match=match):
        made(lambda: fn.sequence_rearrange(source(fn, VIDEO), new_order=order))


# per_frame ------------------------------------------------------------------------------------------------------------


def test_per_frame_changes_the_layout_alone():
    def layout(values, given=None, **options):
        pipe = Pipeline(batch_size=2, num_threads=1, device_id=None)
        with pipe:
            pipe.set_outputs(fn.per_frame(source(fn, values, given), **options))
        (output,) = pipe.run()
        np.testing.assert_array_equal(np.array(output[0]), values)
        return output.layout()

    assert layout(np.float32([1, 2])) == "F"
    assert layout(np.ones((3, 2, 3))) == "F**"
    assert layout(VIDEO, "FHWC") == "FHWC"
    assert layout(VIDEO, "DHWC", replace=True) == "FHWC"
    with pytest.raises(errors.ArgumentError, match='the layout "DHWC" does not begin with F'):
        layout(VIDEO, "DHWC")
    with pytest.raises(errors.ArgumentError, match="got a scalar"):
        layout(np.float32(1))


def of_frames(fn, values):
    return fn.per_frame(source(fn, np.asarray(values, np.float32)))


ANGLES = [0, 10, 40, 90, 200]
MATRICES = np.random.default_rng(3).normal(0, 1, (5, 2, 3)) * [1, 1, 5]
BY_FRAMES = {
    "brightness": lambda fn, x: fn.brightness(x, brightness=of_frames(fn, [0.1, 0.5, 1, 1.5, 2])),
    "two arguments": lambda fn, x: fn.brightness_contrast(
        x, brightness=of_frames(fn, [0.1, 0.5, 1, 1.5, 2]), contrast=of_frames(fn, [1, 2, 3, 0.5, 0])
    ),
    "contrast": lambda fn, x: fn.contrast(x, contrast=of_frames(fn, [0.1, 0.5, 1, 1.5, 2]), contrast_center=100),
    "hue": lambda fn, x: fn.hue(x, hue=of_frames(fn, [0, 20, 100, -50, 4])),
    "saturation": lambda fn, x: fn.saturation(x, saturation=of_frames(fn, [0, 0.5, 1, 1.5, 2])),
    "hsv": lambda fn, x: fn.hsv(x, value=of_frames(fn, [0, 0.5, 1, 1.5, 2]), hue=30),
    "color_twist": lambda fn, x: fn.color_twist(x, hue=of_frames(fn, [0, 20, 100, -50, 4]), contrast=0.5),
    "gaussian_blur": lambda fn, x: fn.gaussian_blur(x, sigma=of_frames(fn, [0.5, 1, 2, 1, 3])),
    "blur by axis": lambda fn, x: fn.gaussian_blur(x, sigma=of_frames(fn, [[0.5, 1], [1, 2], [2, 1], [1, 3], [3, 1]])),
    "laplacian": lambda fn, x: fn.laplacian(x, scale=of_frames(fn, [1, 0.5, 0.25, 2, 0.1])),
    "rotate": lambda fn, x: fn.rotate(x, angle=of_frames(fn, ANGLES), keep_size=True, fill_value=3),
    "rotate on a canvas": lambda fn, x: fn.rotate(x, angle=of_frames(fn, ANGLES), fill_value=3),
    "rotate to a size": lambda fn, x: fn.rotate(x, angle=of_frames(fn, ANGLES), size=[20, 40], fill_value=3),
    "warp_affine": lambda fn, x: fn.warp_affine(x, matrix=of_frames(fn, MATRICES), fill_value=3),
    "warp_affine by transforms": lambda fn, x: fn.warp_affine(
        x, matrix=fn.transforms.rotation(angle=of_frames(fn, ANGLES), center=[15, 12]), fill_value=3
    ),
    "matrices as an input": lambda fn, x: fn.warp_affine(x, of_frames(fn, MATRICES), fill_value=3),
    "combined transforms": lambda fn, x: fn.warp_affine(
        x,
        matrix=fn.transforms.combine(
            of_frames(fn, MATRICES), fn.transforms.rotation(angle=of_frames(fn, ANGLES)), np.eye(2, 3, dtype=np.float32)
        ),
        fill_value=3,
    ),
    "chain of transforms": lambda fn, x: fn.warp_affine(
        x,
        matrix=fn.transforms.translation(
            fn.transforms.scale(scale=of_frames(fn, [[1, 2], [0.5, 1], [1, 1], [2, 2], [3, 1]])), offset=[3, -4]
        ),
        fill_value=3,
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", BY_FRAMES)
def test_frames_with_arguments_of_their_own_equal_dalis(name):
    graph = lambda fn, types, math: BY_FRAMES[name](fn, source(fn, VIDEO, "FHWC"))  # noqa: E731
    ours, theirs = (run(graph, 2)[0][0][0] for run in (oracle.run_ours, oracle.run_dali))
    assert ours.shape == theirs.shape and ours.dtype == theirs.dtype
    gap = np.abs(ours.astype(np.float64) - theirs)
    assert gap.max() <= 3 and (gap <= 1).mean() > 0.999


def test_frames_rotated_into_given_sizes_get_the_largest():
    def graph(fn, types, math):
        sizes, angles = of_frames(fn, [[20, 21], [31, 24]]), of_frames(fn, [10, 50])
        return fn.rotate(source(fn, VIDEO[:2], "FHWC"), angle=angles, size=sizes)

    assert oracle.run_ours(graph, 2)[0][0][0].shape[:3] == (2, 31, 24)


@pytest.mark.parametrize("name", ["translation", "rotation", "scale", "shear", "crop"])
def test_transforms_of_frames_equal_dalis(name):
    arguments = {
        "translation": {"offset": [[1, 2], [3, 4], [5, 6]]},
        "rotation": {"angle": [10, 20, 300]},
        "scale": {"scale": [[1, 2], [3, 4], [5, 6]]},
        "shear": {"shear": [[1, 2], [0.3, 4], [5, 6]]},
        "crop": {"from_end": [[1, 2], [3, 4], [5, 6]]},
    }[name]

    def graph(fn, types, math):
        return getattr(fn.transforms, name)(**{key: of_frames(fn, values) for key, values in arguments.items()})

    oracle.assert_same(graph, batch_size=2, tolerance=1e-5)


def test_each_frame_is_what_it_would_be_alone():
    sigma = [0.5, 1, 2, 1, 3]
    whole = made(lambda: fn.gaussian_blur(source(fn, VIDEO, "FHWC"), sigma=of_frames(fn, sigma)))[0]
    for frame, s, blurred in zip(VIDEO, sigma, whole, strict=True):
        np.testing.assert_array_equal(
            made(lambda f=frame, s=s: fn.gaussian_blur(source(fn, f, "HWC"), sigma=s))[0], blurred
        )


def test_a_crop_behind_frames_is_that_part_of_the_whole():
    whole = made(lambda: fn.rotate(source(fn, VIDEO, "FHWC"), angle=of_frames(fn, ANGLES), fill_value=3))[0]

    def make():
        turned = fn.rotate(source(fn, VIDEO, "FHWC"), angle=of_frames(fn, ANGLES), fill_value=3)
        return fn.crop(turned, crop=(11, 13), crop_pos_x=0, crop_pos_y=0)

    np.testing.assert_array_equal(made(make)[0], whole[:, :11, :13])


def test_volumes_and_samples_of_other_lengths():
    def make():
        videos = fn.external_source(source=lambda: [VIDEO, VIDEO[:2]], batch=True, layout="FHWC")
        angles = fn.external_source(source=lambda: [np.float32(ANGLES), np.float32([7, 8])], batch=True, layout="F")
        volumes = fn.gaussian_blur(source(fn, VOLUMES, "FDHWC"), sigma=of_frames(fn, [1, 2, 0.5]))
        return fn.rotate(videos, angle=angles, keep_size=True), volumes

    turned, blurred = made(make)
    assert turned.shape == VIDEO.shape
    alone = made(lambda: fn.gaussian_blur(source(fn, VOLUMES[1], "DHWC"), sigma=2.0))[0]
    np.testing.assert_array_equal(blurred[1], alone)


CANVASES = {
    "pictures": lambda fn, k: fn.rotate(
        source(fn, np.zeros((5, 7 + k, 9 + 2 * k, 1), np.uint8), "FHWC"), angle=of_frames(fn, ANGLES)
    ),
    "volumes": lambda fn, k: fn.rotate(
        source(fn, np.zeros((5, 4 + k, 7, 6 + k, 1), np.uint8), "FDHWC"), angle=of_frames(fn, ANGLES),
        axis=of_frames(fn, [[1, k, 0], [0, 1, 1], [-1, 0, 2], [k, 1, 1], [1, 1, 1]]),
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", CANVASES)
@pytest.mark.parametrize("k", range(5))
def test_the_canvas_of_frames_that_differ_grows_by_dalis_rule(name, k):
    """As even or odd as most frames want it."""
    ours, theirs = (
        run(lambda fn, types, math: CANVASES[name](fn, k), batch_size=2)[0][0][0].shape
        for run in (oracle.run_ours, oracle.run_dali)
    )
    assert ours == theirs


def test_one_value_holds_for_all_frames_as_in_dali():
    def graph(fn, types, math):
        turned = fn.rotate(source(fn, VIDEO, "FHWC"), angle=of_frames(fn, [7]), keep_size=True, fill_value=0)
        moved = fn.coord_transform(source(fn, np.ones((3, 4, 2), np.float32), "F**"), T=of_frames(fn, [[1, 2]]))
        matrices = fn.transforms.rotation(angle=of_frames(fn, ANGLES), center=of_frames(fn, [[3, 4]]))
        return turned, moved, matrices

    oracle.assert_same(graph, batch_size=2, tolerance=1)


def test_one_value_holds_for_all_frames_of_other_arguments():
    """DALI takes it from the first argument alone."""
    made_of = made(lambda: fn.transforms.rotation(angle=of_frames(fn, [7]), center=of_frames(fn, [[3, 4], [5, 6]])))[0]
    assert made_of.shape == (2, 2, 3)
    assert made(lambda: fn.transforms.rotation(angle=of_frames(fn, [7])))[0].shape == (1, 2, 3)


@pytest.mark.parametrize(
    ("make", "match"),
    [
        (lambda x: fn.rotate(x, angle=of_frames(fn, [1, 2])), "`angle` has values for 2 frames where the input has 5"),
        (lambda x: fn.rotate(x, angle=of_frames(fn, [])), "argument `angle` has no values"),
        (
            lambda x: fn.brightness_contrast(x, brightness=of_frames(fn, [1] * 5), contrast=of_frames(fn, [1] * 4)),
            "`brightness` has values for 5 frames and argument `contrast` for 4",
        ),
    ],
)  # fmt: skip
def test_values_for_other_frames_are_refused(make, match):
    with pytest.raises(errors.ArgumentError, match=match):
        made(lambda: make(source(fn, VIDEO, "FHWC")))


def test_frames_must_come_first():
    with pytest.raises(errors.ArgumentError, match='in the layout "CFHW" frames do not come first'):
        moved = np.ascontiguousarray(np.moveaxis(VIDEO, -1, 0))
        made(lambda: fn.gaussian_blur(source(fn, moved, "CFHW"), sigma=of_frames(fn, [1] * 5)))


# tensor_resize --------------------------------------------------------------------------------------------------------

ARRAY = np.random.default_rng(5).random((9, 14, 11, 6), np.float32)
RESIZES = {
    "two axes": {"sizes": [20, 7], "axes": [1, 2]},
    "negative axes": {"sizes": [20, 7], "axes": [-3, -2]},
    "one axis": {"sizes": [5], "axes": [0]},
    "the last axis": {"sizes": [9], "axes": [3]},
    "three axes": {"sizes": [5, 20, 12], "axes": [0, 1, 2]},
    "axes apart": {"sizes": [5, 20], "axes": [0, 2]},
    "other order": {"sizes": [7, 20], "axes": [2, 1]},
    "all, one as it is": {"sizes": [9, 20, 7, 9]},
    "scales": {"scales": [1.37, 0.61], "axes": [1, 2]},
    "scales, truncated": {"scales": [1.37, 0.61], "axes": [1, 2], "size_rounding": "truncate"},
    "scales, up": {"scales": [1.37, 0.61], "axes": [1, 2], "size_rounding": "ceil"},
    "scales at the start": {"scales": [1.37, 0.61], "axes": [1, 2], "alignment": 0},
    "scales at the ends": {"scales": [1.37, 0.61], "axes": [1, 2], "alignment": [1, 0.25]},
    "names": {"sizes": [20, 7], "axis_names": "HW"},
    "region": {"sizes": [20, 7], "axes": [1, 2], "roi_start": [1.5, 2], "roi_end": [11, 9]},
    "relative region": {"scales": [2, 1.5], "axes": [1, 2], "roi_start": [0.1, 0.2], "roi_end": [0.8, 0.9],
                        "roi_relative": True},
    "cubic": {"sizes": [20, 7], "axes": [1, 2], "interp_type": "INTERP_CUBIC"},
    "no antialias": {"sizes": [6, 5], "axes": [1, 2], "antialias": False},
}  # fmt: skip


@pytest.mark.parametrize("name", RESIZES)
def test_resized_tensors_equal_dalis(name):
    def graph(fn, types, math):
        options = dict(RESIZES[name])
        if "interp_type" in options:
            options["interp_type"] = getattr(types, options["interp_type"])
        return fn.tensor_resize(source(fn, ARRAY, "DHWC"), **options)

    oracle.assert_same(graph, batch_size=2, tolerance=2e-5)


@pytest.mark.parametrize("dtype", [np.uint8, np.int16, np.uint16])
def test_resized_integers_equal_dalis(dtype):
    array = (ARRAY * 250).astype(dtype)
    oracle.assert_same(
        lambda fn, types, math: fn.tensor_resize(source(fn, array), sizes=[20, 17], axes=[1, 2]), 2, tolerance=1
    )
    oracle.assert_same(
        lambda fn, types, math: fn.tensor_resize(source(fn, array), sizes=[5], axes=[3], dtype=types.FLOAT),
        batch_size=2, tolerance=2e-2,
    )  # fmt: skip


def test_axes_that_are_not_named_stay():
    def shape(sizes, **options):
        return made(lambda: fn.tensor_resize(source(fn, ARRAY), sizes=sizes, axes=[1, 2], **options))[0].shape

    assert shape([20, 7], mode="not_larger") == (9, 9, 7, 6)
    assert shape([20, 7], mode="not_smaller", max_size=18) == (9, 18, 14, 6)
    assert shape([20, 0]) == (9, 20, 16, 6)
    assert shape([20, 0], mode="stretch") == (9, 20, 11, 6)


def test_a_vector_is_resized_too():
    graph = lambda fn, types, math: fn.tensor_resize(source(fn, ARRAY[0, 0, :, 0].copy()), sizes=[23])  # noqa: E731
    oracle.assert_same(graph, batch_size=2, tolerance=1e-5)


@pytest.mark.parametrize(
    ("options", "match"),
    [
        ({"axes": [0]}, "give either `sizes` or `scales`"),
        ({"sizes": [1], "scales": [1.0], "axes": [0]}, "`scales`, not both"),
        ({"sizes": [1], "axes": [0], "axis_names": "D"}, "mutually exclusive"),
        ({"sizes": [2, 3, 4, 5]}, "axes 0 to 3 would have to be resized together"),
        ({"sizes": [2, 3], "axes": [1]}, "`size` needs one value for each"),
        ({"sizes": [2], "axes": [7]}, "7"),
        ({"sizes": [2], "axes": [0], "size_rounding": "up"}, '`size_rounding` must be "round"'),
        ({"scales": [float("inf")], "axes": [0]}, "`scales` is out of all range"),
        ({"scales": [2.0], "axes": [0], "roi_start": [1.0]}, "`roi_start` and `roi_end` must be given together"),
    ],
)
def test_resizes_that_cannot_be_are_refused(options, match):
    with pytest.raises(errors.ArgumentError, match=match):
        made(lambda: fn.tensor_resize(source(fn, ARRAY, "DHWC"), **options))


def test_scalars_and_other_types_are_refused():
    with pytest.raises(errors.ArgumentError, match="got a scalar"):
        made(lambda: fn.tensor_resize(source(fn, np.float32(1)), sizes=[2]))
    with pytest.raises(TypeError, match="float64"):
        made(lambda: fn.tensor_resize(source(fn, ARRAY.astype(np.float64)), sizes=[2], axes=[0]))


def test_constants_are_there():
    np.testing.assert_array_equal(made(lambda: fn.constant(fdata=[1, 2], shape=[2, 1]))[0], [[1], [2]])
    assert made(lambda: types.Constant(3, dtype=types.UINT8, device="cpu"))[0] == 3
