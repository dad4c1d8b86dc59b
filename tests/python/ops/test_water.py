"""water and sphere against DALI's, jitter by what it promises."""

import numpy as np
import pytest
from oracle import run_ours
from sampled import check, check_refused, graph_of, noise

PICTURES = [noise((44 + 3 * i, 57 - 2 * i, 3), np.uint8, i) for i in range(4)]
WAVES = {"ampl_x": 5.3, "ampl_y": 3.7, "freq_x": 0.31, "freq_y": 0.17, "phase_x": 0.5, "phase_y": 1.25}


@pytest.mark.parametrize("interp", ["INTERP_LINEAR", "INTERP_NN"])
@pytest.mark.parametrize("options", [{}, WAVES, {"fill_value": 42.0}, {"ampl_x": 0.0, "ampl_y": 0.0}])
def test_water_is_dalis(interp, options):
    check("water", PICTURES, "HWC", interp_type=interp, **options)


@pytest.mark.parametrize("interp", ["INTERP_LINEAR", "INTERP_NN"])
def test_spheres_are_dalis(interp):
    check("sphere", PICTURES, "HWC", interp_type=interp)
    check("sphere", PICTURES, "HWC", interp_type=interp, fill_value=77.0)
    check("sphere", [noise((30, 9, 1), np.uint8, 1)], "HWC", interp_type=interp)


@pytest.mark.parametrize("op", ["water", "sphere"])
def test_floats_are_dalis(op):
    check(op, [noise((31, 40, 2), np.float32, 3)], "HWC", interp_type="INTERP_LINEAR")


@pytest.mark.parametrize("op", ["water", "sphere"])
@pytest.mark.parametrize("interp", ["INTERP_LINEAR", "INTERP_NN"])
def test_masked_samples_are_dalis(op, interp):
    check(op, PICTURES, "HWC", mask=[np.int32(i % 2) for i in range(4)], interp_type=interp)


OPTIONS = {"water": WAVES, "sphere": {}, "jitter": {"nDegree": 6, "seed": 7}}


def run(op, samples, layout="HWC", cut=None, **options):
    whole = graph_of(op, samples, layout, **options)

    def graph(fn, types, math):
        made = whole(fn, types, math)
        return made if cut is None else fn.slice(made, start=cut[0], shape=cut[1], axes=[0, 1])

    return run_ours(graph, len(samples))[0][0]


@pytest.mark.parametrize("op", OPTIONS)
def test_a_crop_gets_that_part_of_the_whole(op):
    whole, parts = run(op, PICTURES, **OPTIONS[op]), run(op, PICTURES, cut=([5, 8], [9, 13]), **OPTIONS[op])
    for part, one in zip(parts, whole, strict=True):
        np.testing.assert_array_equal(part, one[5:14, 8:21])


@pytest.mark.parametrize("op", ["water", "sphere"])
@pytest.mark.parametrize("layout", ["HW", "CHW", "FHWC", "FCHW"])
def test_layouts(op, layout):
    picture = PICTURES[0]
    frames = np.stack([picture, picture[::-1]])
    data = {"HW": picture[..., 0], "CHW": picture.transpose(2, 0, 1), "FHWC": frames,
            "FCHW": frames.transpose(0, 3, 1, 2)}[layout]  # fmt: skip
    whole = np.stack(run(op, [picture, np.ascontiguousarray(picture[::-1])], **OPTIONS[op]))
    wanted = {"HW": whole[0, ..., 0], "CHW": whole[0].transpose(2, 0, 1), "FHWC": whole,
              "FCHW": whole.transpose(0, 3, 1, 2)}[layout]  # fmt: skip
    [made] = run(op, [np.ascontiguousarray(data)], layout, **OPTIONS[op])
    np.testing.assert_array_equal(made, wanted)


def test_jitter_takes_neighbours_evenly():
    rows, columns = np.indices((200, 300))
    picture = np.stack([rows, columns], axis=-1).astype(np.int32)
    [made] = run("jitter", [picture], nDegree=4, seed=3)
    moved = (made - picture)[2:-2, 2:-2].reshape(-1, 2)
    for axis in range(2):
        values, counts = np.unique(moved[:, axis], return_counts=True)
        assert values.tolist() == [-2, -1, 0, 1, 2]
        np.testing.assert_allclose(counts / counts.sum(), 0.2, atol=0.01)
    assert abs(np.corrcoef(moved.T)[0, 1]) < 0.02
    along = moved.reshape(196, 296, 2)[..., 0]
    assert abs(np.corrcoef(along[:, 1:].ravel(), along[:, :-1].ravel())[0, 1]) < 0.02
    assert abs(np.corrcoef(along[1:].ravel(), along[:-1].ravel())[0, 1]) < 0.02
    assert made.min() >= 0
    assert made[..., 0].max() <= 199
    assert made[..., 1].max() <= 299


def test_jitter_differs_by_sample_and_by_frame():
    picture = np.stack(np.indices((20, 30)), axis=-1).astype(np.int32)
    one, other = run("jitter", [picture, picture], seed=3)
    assert (one != other).any()
    [frames] = run("jitter", [np.stack([picture, picture])], "FHWC", seed=3)
    assert (frames[0] != frames[1]).any()


def test_no_jitter_changes_nothing():
    for options in ({"nDegree": 0}, {"nDegree": 1}, {"mask": 0}):
        for made, picture in zip(run("jitter", PICTURES, **options), PICTURES, strict=True):
            np.testing.assert_array_equal(made, picture)


@pytest.mark.parametrize(
    "op, options, words",
    [
        ("water", {"ampl_x": float("nan")}, "`ampl_x` must be finite"),
        ("water", {"freq_y": float("inf")}, "`freq_y` must be finite"),
        ("water", {"interp_type": "INTERP_CUBIC"}, "`interp_type`"),
        ("sphere", {"interp_type": "INTERP_CUBIC"}, "`interp_type`"),
        ("jitter", {"nDegree": -2}, "`nDegree`"),
    ],
)
def test_what_cannot_be_is_refused(op, options, words):
    check_refused(op, ValueError, words, np.ones((4, 6, 3), np.uint8), "HWC", **options)
