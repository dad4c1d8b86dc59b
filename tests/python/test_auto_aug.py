"""Automatic augmentation: single augmentations beside DALI's, and which are chosen."""

import importlib

import numpy as np
import oracle
import pytest

from penstock import fn, pipeline_def, types
from penstock.auto_aug import augmentations, auto_augment, rand_augment, trivial_augment
from penstock.auto_aug.core import Policy, augmentation, select, signed_bin

_BINS = 11
_SHAPED = ("translate_x", "translate_y")
_WITHOUT_BINS = ("invert", "equalize", "auto_contrast", "identity")
_ALL = [
    "shear_x", "shear_y", *_SHAPED, "translate_x_no_shape", "translate_y_no_shape", "rotate", "brightness", "contrast",
    "color", "sharpness", "posterize", "solarize", "solarize_add", *_WITHOUT_BINS,
]  # fmt: skip


def _pictures(video=False):
    """22 of them: smooth, so that where an edge is rounded to matters little."""
    y, x = np.mgrid[0:48, 0:64]
    frames = [
        np.stack([x * 3 + i * 2, y * 4 + i, (x + y + 10 * i) % 200 + 20], axis=-1).clip(0, 255).astype(np.uint8)
        for i in range(2 * _BINS)
    ]
    return [np.stack([one, one // 2 + 20]) for one in frames] if video else frames


def _augmented(library, name, video):
    """Sample 2b with bin b, and the one behind it with the bin negated."""
    root = importlib.import_module(library)
    ops, kinds = importlib.import_module(f"{library}.fn"), importlib.import_module(f"{library}.types")
    module = importlib.import_module(f"{library}.auto_aug.augmentations")
    core = importlib.import_module(f"{library}.auto_aug.core")
    pictures = _pictures(video)

    @root.pipeline_def(batch_size=2 * _BINS, num_threads=2, device_id=None, enable_conditionals=True)
    def definition():
        data = ops.external_source(lambda: pictures, layout="FHWC" if video else "HWC")
        number = ops.external_source(lambda: [np.int32(i) for i in range(2 * _BINS)])
        bins = core.signed_bin(number // 2, random_sign=number % 2)
        extra = {"shape": (48, 64)} if name in _SHAPED else {}
        # Where the neighbour is beyond the last pixel's middle, who clamps and who fills differs in the last bit.
        extra |= {"interp_type": kinds.INTERP_NN} if name.startswith(("shear", "trans", "rot")) else {}
        return getattr(module, name)(data, magnitude_bin=bins, num_magnitude_bins=_BINS, **extra)

    pipeline = definition()
    pipeline.build()
    (made,) = pipeline.run()
    return [np.array(one) for one in made]


@pytest.mark.parametrize("video", [False, True], ids=["pictures", "video"])
@pytest.mark.parametrize("name", _ALL)
def test_augmentations_are_dalis(name, video):
    oracle.dali()
    ours, theirs = _augmented("penstock", name, video), _augmented("nvidia.dali", name, video)
    for i, (mine, his) in enumerate(zip(ours, theirs, strict=True)):
        assert mine.shape == his.shape
        assert mine.dtype == his.dtype == np.uint8
        off = np.abs(mine.astype(int) - his)
        if name.startswith(("shear", "trans", "rot")):  # coordinates between two pixels go to either
            assert (off > 2).mean() < 0.03, i
        else:
            assert off.max() <= 1, i


@pytest.mark.parametrize("suite", ["get_rand_augment_suite", "get_rand_augment_non_monotonic_suite"])
@pytest.mark.parametrize("use_shape", [False, True])
def test_suites_are_dalis(suite, use_shape):
    oracle.dali()
    theirs = importlib.import_module("nvidia.dali.auto_aug.rand_augment")
    _assert_same(getattr(rand_augment, suite)(use_shape), getattr(theirs, suite)(use_shape))


def test_the_wide_suite_is_dalis():
    oracle.dali()
    theirs = importlib.import_module("nvidia.dali.auto_aug.trivial_augment")
    _assert_same(trivial_augment.get_trivial_augment_wide_suite(), theirs.get_trivial_augment_wide_suite())


def _assert_same(ours, theirs):
    for mine, his in zip(ours, theirs, strict=True):
        assert (mine.name, mine.mag_range, mine.randomly_negate) == (his.name, his.mag_range, his.randomly_negate)
        if mine.mag_range is not None:
            parameters = [one._map_mags_to_params(one._get_magnitudes(31)) for one in (mine, his)]
            np.testing.assert_allclose(*parameters, rtol=1e-6)
            assert parameters[0].dtype == parameters[1].dtype


@pytest.mark.parametrize("name", ["image_net", "reduced_image_net", "svhn", "reduced_cifar10"])
def test_policies_are_dalis(name):
    oracle.dali()
    theirs = importlib.import_module("nvidia.dali.auto_aug.auto_augment")
    ours, theirs = (getattr(module, f"get_{name}_policy")() for module in (auto_augment, theirs))
    assert (ours.name, ours.num_magnitude_bins) == (theirs.name, theirs.num_magnitude_bins)
    for mine, his in zip(ours.sub_policies, theirs.sub_policies, strict=True):
        assert [one[1:] for one in mine] == [one[1:] for one in his]
        _assert_same([one[0] for one in mine], [one[0] for one in his])


def _marked(number):
    return augmentation(lambda data, _, number=number: data * 10 + number, name=f"a{number}")


def _chosen(definition, batch=1000, batches=2):
    pipeline = pipeline_def(definition, batch_size=batch, num_threads=2, enable_conditionals=True, seed=7)()
    return np.array([int(np.asarray(one)) for _ in range(batches) for one in pipeline.run()[0]])


def _zero():
    return types.Constant(np.int32(0), device="cpu")


def test_rand_augment_draws_each_augmentation_as_often():
    def definition():
        return rand_augment.apply_rand_augment([_marked(i) for i in range(1, 5)], _zero(), n=2, m=3)

    counts = np.unique(_chosen(definition), return_counts=True)
    assert counts[0].tolist() == [10 * i + j for i in range(1, 5) for j in range(1, 5)]
    assert np.abs(counts[1] - 125).max() < 50


def test_auto_augment_draws_sub_policies_and_skips_by_probability():
    policy = Policy("p", 5, [[(_marked(1), 1, None)], [(_marked(2), 0.5, None), (_marked(3), 0.25, None)]])

    def definition():
        return auto_augment.apply_auto_augment(policy, _zero())

    seen = dict(zip(*np.unique(_chosen(definition), return_counts=True), strict=True))
    wanted = {1: 1000, 0: 375, 2: 375, 3: 125, 23: 125}
    assert seen.keys() == wanted.keys()
    assert all(abs(seen[key] - wanted[key]) < 100 for key in wanted)


def test_trivial_augment_draws_magnitudes_and_signs():
    shown = augmentation(lambda data, x: data + x, mag_range=(1, 3), randomly_negate=True,
                         mag_to_param=lambda magnitude: np.int32(round(float(magnitude))))  # fmt: skip

    def definition():
        return trivial_augment.apply_trivial_augment([shown], _zero(), num_magnitude_bins=3)

    seen = dict(zip(*np.unique(_chosen(definition), return_counts=True), strict=True))
    assert seen.keys() == {-3, -2, -1, 1, 2, 3}
    assert all(abs(count - 333) < 100 for count in seen.values())


@pytest.mark.parametrize(
    "scheme",
    [
        lambda data: rand_augment.rand_augment(data, n=2, m=17),
        lambda data: rand_augment.rand_augment(data, n=1, m=3, shape=(48, 64), monotonic_mag=False, excluded=["color"]),
        lambda data: trivial_augment.trivial_augment_wide(data, shape=fn.shapes(data), fill_value=None),
        lambda data: auto_augment.auto_augment(data),
        lambda data: auto_augment.auto_augment_image_net(data, shape=[48, 64], seed=3),
        lambda data: auto_augment.auto_augment(data, "reduced_image_net"),
        lambda data: auto_augment.auto_augment(data, "svhn", max_translate_abs=(5, 8)),
        lambda data: auto_augment.auto_augment(data, "reduced_cifar10", interp_type=types.INTERP_NN),
    ],
)
@pytest.mark.parametrize("video", [False, True], ids=["pictures", "video"])
@pytest.mark.filterwarnings("ignore:`fn.shapes`")
def test_schemes_run_and_repeat(scheme, video):
    pictures = _pictures(video)
    if video and scheme.__code__.co_names[-1:] == ("shapes",):
        pytest.skip("the shape of a video begins with its frames")

    @pipeline_def(batch_size=len(pictures), num_threads=2, enable_conditionals=True)
    def definition():
        return scheme(fn.external_source(lambda: pictures, layout="FHWC" if video else "HWC"))

    first, second = definition(), definition()
    for _ in range(2):
        ours, again = first.run()[0], second.run()[0]
        changed = 0
        for mine, other, given in zip(ours, again, pictures, strict=True):
            np.testing.assert_array_equal(np.asarray(mine), np.asarray(other))
            assert np.asarray(mine).shape == given.shape
            changed += not np.array_equal(np.asarray(mine), given)
        assert changed > len(pictures) // 3


def test_select_gives_each_sample_its_own():
    def definition():
        index = fn.external_source(lambda info: np.int32(info.idx_in_batch % 3), batch=False)
        return select([lambda x: x + 1, lambda x: x * 100, lambda x: -x], index, index)

    assert _chosen(definition, 6, 1).tolist() == [1, 100, -2, 1, 100, -2]


# What is refused ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda x: rand_augment.rand_augment(x, n=-1, m=3), "`n` must be a non-negative integer, got -1"),
        (lambda x: rand_augment.rand_augment(x, n=1, m=31), r"integer from `\[0, 30\]` range. Got 31"),
        (lambda x: rand_augment.rand_augment(x, 1, 3, excluded=["warp"]), "does not contain augmentation with this"),
        (lambda x: rand_augment.apply_rand_augment([], x, 1, 3), "list cannot be empty"),
        (lambda x: rand_augment.apply_rand_augment([_marked(1)], x, 1, 3, angel=1), "`angel` is not used by any"),
        (lambda x: auto_augment.auto_augment(x, "imagenet"), "takes one of the values: `image_net`"),
        (lambda x: auto_augment.auto_augment(x, "reduced_image_net", shape=(1, 1)), "The `shape` argument must not"),
        (lambda x: auto_augment.auto_augment(x, max_translate_rel=0.5), "cannot be used without image shapes"),
        (lambda x: trivial_augment.trivial_augment_wide(x, 0), "must be a positive integer, got 0"),
        (lambda x: augmentations.translate_x(x, magnitude_bin=signed_bin(1), num_magnitude_bins=3), "shape"),
        (lambda x: augmentations.rotate(x, num_magnitude_bins=3), "requires `magnitude_bin`"),
        (lambda x: augmentations.rotate(x, magnitude_bin=signed_bin(1)), "`num_magnitude_bins` argument is missing"),
        (lambda x: trivial_augment.apply_trivial_augment(
            trivial_augment.get_trivial_augment_wide_suite(True), x), "You can get the image shape"),
    ],
)  # fmt: skip
def test_bad_arguments_are_named(call, message):
    def definition():
        return call(_zero())

    with pytest.raises((ValueError, TypeError), match=message):
        _chosen(definition)


@pytest.mark.parametrize(
    ("sub_policies", "message"),
    [
        (3, "must be a list or tuple"),
        ([[(augmentations.invert, 1)]], "as a triple"),
        ([[(0.5, 1, None)]], "Got `0.5`"),
        ([[(augmentations.invert, 2, None)]], r"from `\[0, 1\]` range. Got `2`"),
        ([[(augmentations.rotate, 1, None)]], "the magnitude bin is required"),
        ([[(augmentations.rotate, 1, 5)]], r"`\[0, 4\]` range. Got `5`"),
    ],
)
def test_bad_policies_are_named(sub_policies, message):
    with pytest.raises((ValueError, TypeError), match=message):
        Policy("p", 5, sub_policies)


def test_bad_augmentations_are_named():
    with pytest.raises(TypeError, match="at least two positional"):
        augmentation(lambda data: data)
    with pytest.raises(TypeError, match="already decorated"):
        augmentation(augmentations.rotate)
    uneven = augmentation(lambda data, x: data, mag_range=(0, 2), mag_to_param=lambda m: np.zeros(int(m)))

    def definition():
        return uneven(_zero(), magnitude_bin=_zero(), num_magnitude_bins=3)

    with pytest.raises(ValueError, match="arrays of the same type and shape"):
        _chosen(definition)
