"""noise.*: distributions are DALI's; numbers follow from seed, epoch and sample alone."""

import numpy as np
import oracle
import pytest

from penstock import Pipeline, fn

GRAY = np.full((200, 150, 3), 100, np.uint8)
GRAPHS = {
    "gaussian": lambda fn, x: fn.noise.gaussian(x, mean=5.0, stddev=20.0),
    "shot": lambda fn, x: fn.noise.shot(x, factor=3.0),
    "shot of few events": lambda fn, x: fn.noise.shot(x, factor=40.0),
    "salt and pepper": lambda fn, x: fn.noise.salt_and_pepper(x, prob=0.2, salt_vs_pepper=0.7),
    "own salt": lambda fn, x: fn.noise.salt_and_pepper(x, prob=0.5, salt_val=200.0, pepper_val=3.0, per_channel=True),
}


def given(fn, array, layout="HWC"):
    return fn.external_source(source=lambda: [array] * 4, layout=layout, batch=True)


def distance(a, b):
    """Kolmogorov and Smirnov's: the largest difference between two distributions."""
    values = np.unique(np.concatenate([a, b]))
    share = [np.searchsorted(np.sort(x), values, side="right") / len(x) for x in (a, b)]
    return np.abs(share[0] - share[1]).max()


@pytest.mark.parametrize("dtype", [np.uint8, np.float32, np.int16])
@pytest.mark.parametrize("name", GRAPHS)
def test_distribution_equals_dalis(name, dtype):
    def graph(fn, types, math):
        return GRAPHS[name](fn, given(fn, GRAY.astype(dtype)))

    mine, his = (np.concatenate([x.ravel() for x in run(graph)[0][0]]) for run in (oracle.run_ours, oracle.run_dali))
    assert mine.dtype == his.dtype
    assert distance(mine, his) < 1.63 * np.sqrt(2 / mine.size) * 1.2  # 1 % and a margin
    assert mine.mean() == pytest.approx(his.mean(), abs=4 * his.std() * np.sqrt(2 / his.size))


def numbers(make, array=GRAY, layout="HWC", batch_size=4, iterations=1, **options):
    pipe = Pipeline(batch_size=batch_size, num_threads=2, device_id=None, seed=3, **options)
    with pipe:
        pipe.set_outputs(make(fn.external_source(source=lambda info: array, layout=layout, batch=False)))
    return np.concatenate([np.stack([np.array(x) for x in pipe.run()[0]]) for _ in range(iterations)])


@pytest.mark.parametrize("name", GRAPHS)
def test_batches_do_not_change_the_noise(name):
    four = numbers(lambda x: GRAPHS[name](fn, x), batch_size=4, iterations=3)
    six = numbers(lambda x: GRAPHS[name](fn, x), batch_size=6, iterations=2)
    np.testing.assert_array_equal(four, six)
    assert (four[0] != four[1]).any()


@pytest.mark.parametrize("name", GRAPHS)
def test_a_crop_behind_noise_is_that_part_of_the_whole(name):
    whole = numbers(lambda x: GRAPHS[name](fn, x))
    part = numbers(lambda x: fn.crop(GRAPHS[name](fn, x), crop=(33, 41), crop_pos_x=0.3, crop_pos_y=0.8))
    y, x = round(0.8 * (200 - 33)), round(0.3 * (150 - 41))
    np.testing.assert_array_equal(part, whole[:, y : y + 33, x : x + 41])


def test_neighbours_are_independent():
    x = numbers(lambda x: fn.noise.gaussian(x, stddev=1.0), np.zeros((400, 400), np.float32), "HW").reshape(-1, 400)
    for shifted in (x[:, 1:] * x[:, :-1], x[1:] * x[:-1], x[:, 2:] * x[:, :-2], x[:, 4:] * x[:, :-4]):
        assert abs(shifted.mean()) < 4 / np.sqrt(shifted.size)


@pytest.mark.parametrize(("layout", "axis"), [("HWC", -1), ("CHW", 0), ("", -1)])
def test_salt_and_pepper_spare_or_take_whole_pixels(layout, axis):
    array = np.moveaxis(GRAY, -1, axis)
    x = numbers(lambda x: fn.noise.salt_and_pepper(x, prob=0.3), array, layout)
    pixels = np.moveaxis(x, axis if axis < 0 else axis + 1, -1)
    assert (pixels == pixels[..., :1]).all()
    assert set(np.unique(x)) == {0, 100, 255}
    assert (x != 100).mean() == pytest.approx(0.3, abs=0.01)


@pytest.mark.parametrize("mean", [0.5, 9.0, 11.0, 300.0, 5e4])
def test_shot_noise_has_mean_and_variance_of_poisson(mean):
    x = numbers(lambda x: fn.noise.shot(x, factor=1.0), np.full((300, 300), mean, np.float32), "HW")
    error = np.sqrt(mean / x.size)
    assert x.mean() == pytest.approx(mean, abs=5 * error)
    assert x.var() == pytest.approx(mean, rel=5 * np.sqrt((2 + 1 / mean) / x.size))
    assert (x == np.round(x)).all()


def test_no_events_and_no_factor():
    x = numbers(lambda x: fn.noise.shot(x, factor=2.0), np.full((4, 4), -3, np.int32), "HW")
    assert (x == 0).all()
    assert (numbers(lambda x: fn.noise.shot(x, factor=0.0)) == 100).all()


def test_arguments_may_differ_by_sample():
    def make(x):
        return fn.noise.gaussian(
            x, stddev=fn.external_source(source=lambda info: np.float32(info.idx_in_epoch), batch=False)
        )

    spread = numbers(make, np.zeros((100, 100), np.float32), "HW").std(axis=(1, 2))
    assert spread == pytest.approx([0, 1, 2, 3], abs=0.1)


@pytest.mark.parametrize(
    ("make", "match"),
    [
        (lambda x: fn.noise.gaussian(x, stddev=-1.0), "`stddev` must not be negative"),
        (lambda x: fn.noise.shot(x, factor=-1.0), "`factor` must not be negative"),
        (lambda x: fn.noise.salt_and_pepper(x, prob=1.5), r"`prob` must lie in \[0, 1\]"),
        (lambda x: fn.noise.salt_and_pepper(x, salt_vs_pepper=-0.5), "`salt_vs_pepper`"),
    ],
)
def test_impossible_noise_is_refused(make, match):
    with pytest.raises(Exception, match=match):
        numbers(make)
