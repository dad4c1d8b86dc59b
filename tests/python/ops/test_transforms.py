"""transforms.*: matrices equal DALI's, and per-sample arguments and inputs combine as there."""

import numpy as np
import oracle
import pytest

import penstock
from penstock import Pipeline, fn

CALLS = {
    "translation": lambda t, *m: t.translation(*m, offset=[3.0, -4.5]),
    "translation in one axis": lambda t, *m: t.translation(offset=[7.0]),
    "scale": lambda t, *m: t.scale(*m, scale=[2.0, 0.25]),
    "scale around a centre": lambda t, *m: t.scale(*m, scale=[2.0, 0.25], center=[5.0, 6.0]),
    "one scale": lambda t, *m: t.scale(*m, scale=3.0, ndim=2),
    "one scale around a centre": lambda t, *m: t.scale(*m, scale=3.0, center=[1.0, 2.0], ndim=2),
    "rotation": lambda t, *m: t.rotation(*m, angle=30.0),
    "rotation around a centre": lambda t, *m: t.rotation(*m, angle=-75.0, center=[10.0, 20.0]),
    "shear": lambda t, *m: t.shear(*m, shear=[0.5, -0.25]),
    "shear by angles": lambda t, *m: t.shear(*m, angles=[30.0, 10.0], center=[4.0, 3.0]),
    "crop": lambda t, *m: t.crop(*m, from_start=[0.1, 0.2], from_end=[0.8, 0.9], to_start=[0, 1], to_end=[2.0, 5.0]),
    "crop by absolute ends": lambda t, *m: t.crop(*m, from_start=[0.8, 0.2], from_end=[0.1, 0.9], absolute=True),
}  # fmt: skip
SOLID = {
    "rotation": lambda t, *m: t.rotation(*m, angle=40.0, axis=[1.0, -2.0, 0.5], center=[1.0, 2.0, 3.0]),
    "shear": lambda t, *m: t.shear(*m, shear=[0.1, 0.2, 0.3, 0.4, 0.5, 0.6], center=[1.0, 2.0, 3.0]),
    "scale": lambda t, *m: t.scale(*m, scale=[2.0, 0.5, 3.0]),
    "crop": lambda t, *m: t.crop(*m, from_end=[4.0, 5.0, 6.0]),
}
MATRIX = np.float32([[1.5, 0.25, 3], [-0.5, 2, 7]])
SOLID_MATRIX = np.float32([[1.5, 0.25, 3, 1], [-0.5, 2, 7, 2], [0.125, 0, 1, 3]])


def given(fn, matrix):
    return fn.external_source(source=lambda info: matrix + np.float32(info.idx_in_epoch), batch=False)


@pytest.mark.parametrize("name", CALLS)
def test_a_matrix_equals_dalis(name):
    oracle.assert_same(lambda fn, types, math: CALLS[name](fn.transforms), tolerance=2e-5)


@pytest.mark.parametrize("name", SOLID)
def test_a_matrix_in_space_equals_dalis(name):
    oracle.assert_same(lambda fn, types, math: SOLID[name](fn.transforms), tolerance=2e-5)
    oracle.assert_same(lambda fn, types, math: SOLID[name](fn.transforms, given(fn, SOLID_MATRIX)), tolerance=5e-5)


@pytest.mark.parametrize("name", [name for name in CALLS if name != "translation in one axis"])
def test_a_given_matrix_is_combined_as_dali_does(name):
    oracle.assert_same(lambda fn, types, math: CALLS[name](fn.transforms, given(fn, MATRIX)), tolerance=5e-5)


@pytest.mark.parametrize("reverse_order", [False, True])
def test_the_order_of_combination_equals_dalis(reverse_order):
    def graph(fn, types, math):
        matrix = given(fn, MATRIX)
        rotated = fn.transforms.rotation(matrix, angle=20.0, reverse_order=reverse_order)
        moved = fn.transforms.translation(offset=[1.0, 2.0])
        return fn.transforms.combine(matrix, rotated, moved, reverse_order=reverse_order)

    oracle.assert_same(graph, tolerance=1e-3)


@pytest.mark.parametrize("angle", [-90.0, 89.9, 90.0])
def test_steep_shears_equal_dalis(angle):
    """In single precision 90 degrees have a tangent."""
    ours, theirs = (
        made(lambda fn, types, math: fn.transforms.shear(angles=[angle, 0.0]), batch_size=1)[0][0][0]
        for made in (oracle.run_ours, oracle.run_dali)
    )
    np.testing.assert_allclose(ours, theirs, rtol=1e-6)


def test_arguments_may_differ_by_sample():
    def graph(fn, types, math):
        angle = fn.external_source(source=lambda info: np.float32(10 * info.idx_in_epoch), batch=False)
        center = fn.external_source(source=lambda info: np.float32([info.idx_in_epoch, 3]), batch=False)
        return fn.transforms.rotation(angle=angle, center=center)

    oracle.assert_same(graph, tolerance=2e-5)


def run(make):
    pipe = Pipeline(batch_size=1, num_threads=1, device_id=None)
    with pipe:
        pipe.set_outputs(make())
    return np.array(pipe.run()[0][0])


def test_a_rotation_is_counter_clockwise_where_the_second_axis_points_up():
    x, y = run(lambda: fn.transforms.rotation(angle=90.0)) @ [1, 0, 1]
    assert (x, y) == pytest.approx((0, 1), abs=1e-6)


@pytest.mark.parametrize(
    ("make", "match"),
    [
        (lambda: fn.transforms.rotation(angle=1.0, axis=[0.0, 0.0, 0.0]), "`axis` must have a length"),
        (lambda: fn.transforms.shear(shear=[1.0, 2.0, 3.0]), "two values for two axes or six for three"),
        (lambda: fn.transforms.shear(shear=[1.0, 2.0], angles=[1.0, 2.0]), "mutually exclusive"),
        (lambda: fn.transforms.shear(angles=[90.5, 0.0]), "between -90 and 90"),
        (lambda: fn.transforms.crop(from_start=[1.0], from_end=[1.0]), "both 1 along axis 0"),
        (
            lambda: fn.transforms.scale(scale=[1.0, 2.0], center=[1.0, 2.0, 3.0]),
            "`scale` needs one value for each of 3",
        ),
        (lambda: fn.transforms.rotation(np.float32([[1, 2], [3, 4]]), angle=1.0), "must be 2 x 3"),
        (lambda: fn.transforms.combine(np.float32([[1, 2]]), np.float32([[1, 0, 0], [0, 1, 0]])), "same shape"),
    ],
)
def test_what_makes_no_matrix_is_refused(make, match):
    with pytest.raises(Exception, match=match):
        run(make)


def test_matrices_have_dalis_layout():
    def layouts(library):
        pipe = library.Pipeline(batch_size=2, num_threads=1, device_id=None)
        with pipe:
            turned = library.fn.transforms.rotation(angle=3.0)
            pipe.set_outputs(turned, library.fn.transforms.combine(turned, turned))
        pipe.build()
        return [output.layout() for output in pipe.run()]

    assert layouts(penstock) == layouts(oracle.dali()) == ["**", "**"]
