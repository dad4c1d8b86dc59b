"""Python's values as arguments of operators: what is taken, and how the rest is refused."""

import decimal
import pathlib

import numpy as np
import PIL.Image
import pytest

from penstock import Pipeline, fn, types

PICTURE = np.arange(4 * 5 * 3, dtype=np.uint8).reshape(4, 5, 3)


def made(operator, **arguments):
    with Pipeline(1) as pipe:
        x = fn.external_source(lambda info: PICTURE, batch=False, layout="HWC")
        pipe.set_outputs(operator(x, **arguments))
    return np.array(pipe.run()[0][0])


class Scalar:
    """As torch's and JAX's scalars, which look like integers until they are asked."""

    def __init__(self, value):
        self.value = value

    def __index__(self):
        raise TypeError("only integers can be an index")

    def tolist(self):
        return self.value


@pytest.mark.parametrize(
    "size",
    [
        (2, 3), np.array([2.0, 3.0]), [np.float32(2), np.float32(3)], [np.array(2.0), np.array(3)],
        [Scalar(2.0), Scalar(3.0)], [decimal.Decimal(2), 3], [[2], [np.int64(3)]], np.array([[2, 3]]),
    ],
)  # fmt: skip
def test_numbers_are_taken_however_they_come(size):
    assert np.array_equal(made(fn.resize, size=size), made(fn.resize, size=[2, 3]))


def test_paths_are_strings(tmp_path):
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "x.jpg").write_bytes(b"content")
    for given in ({"file_root": tmp_path}, {"files": [pathlib.Path("a") / "x.jpg"], "file_root": tmp_path}):
        with Pipeline(1) as pipe:
            pipe.set_outputs(fn.readers.file(**given)[0])
        assert bytes(np.array(pipe.run()[0][0])) == b"content"


@pytest.mark.parametrize("listed", [False, True])
def test_names_of_files_may_hold_any_bytes(tmp_path, listed):
    name = b"caf\xe9.jpg"
    (tmp_path / "a").mkdir()
    with open(bytes(tmp_path) + b"/a/" + name, "wb") as file:
        file.write(b"no picture")
    for other in ("b.bmp", "c.bmp"):
        PIL.Image.fromarray(PICTURE).save(tmp_path / "a" / other)
    text = "a/" + name.decode("utf-8", "surrogateescape")
    files = [text, "a/b.bmp", "a/c.bmp"] if listed else None
    with Pipeline(3, on_error="zero") as pipe:
        data = fn.readers.file(file_root=str(tmp_path), files=files)[0]
        pipe.set_outputs(fn.decoders.image(data), data)
    assert "a/b.bmp" in pipe.run()[1].source_info()
    assert pipe.failures()[0].source.endswith(text)
    with Pipeline(3) as pure:
        pure.set_outputs(fn.readers.file(file_root=str(tmp_path), files=files)[0])
    assert text in pure.run()[0].source_info()
    again = Pipeline.deserialize(pipe.serialize(), on_error="raise")
    with pytest.raises(RuntimeError) as refused:
        again.run()
    assert text in str(refused.value)


_ITSELF = []
_ITSELF.append(_ITSELF)


@pytest.mark.parametrize(
    ("value", "error", "text"),
    [
        (2**70, ValueError, "1180591620717411303424 does not fit into 64 bits"),
        ([1, 2**63], ValueError, "9223372036854775808 does not fit into 64 bits"),
        (_ITSELF, ValueError, "lists are nested more than"),
        ([object()], TypeError, "a list may hold numbers or strings, not <class 'object'>"),
        ([1, "a"], TypeError, "a list of strings may not hold <class 'int'>"),
        ([np.float32], TypeError, "a list may hold numbers or strings, not <class 'type'>"),
        ({1: "a"}, TypeError, "names in a dict are strings, not <class 'int'>"),
        ({"a": 1}, TypeError, "got {'a': '1'}"),
    ],
)
def test_what_is_no_argument_is_named(value, error, text):
    with pytest.raises(error) as refused:
        made(fn.resize, size=value)
    assert str(refused.value).startswith("[resize] argument `size`: ")
    assert text in str(refused.value)


@pytest.mark.parametrize("number", [float("inf"), float("-inf"), float("nan"), 1e30, -(2.0**63), 2.0**64, 0.5])
def test_what_is_no_whole_number_of_64_bits_is_refused(number):
    for operator, given in (
        (fn.pad, {"axes": [0], "shape": [number]}),
        (fn.pad, {"axes": [0], "align": number}),
        (fn.jpeg_compression_distortion, {"quality": number}),
        (fn.gaussian_blur, {"window_size": number}),
        (fn.one_hot, {"num_classes": number}),
    ):
        with pytest.raises(TypeError, match=r"expected an? (list of )?integers?, got"):
            made(operator, **given)


@pytest.mark.parametrize("number", [float("inf"), float("-inf"), float("nan")])
def test_windows_that_are_not_finite_are_refused(number):
    for operator, given in (
        (fn.crop, {"crop": (number, 2)}),
        (fn.crop, {"crop": (2, number), "out_of_bounds_policy": "pad"}),
        (fn.crop_mirror_normalize, {"crop_h": 2, "crop_w": number}),
        (fn.random_resized_crop, {"size": 2, "random_area": [0.5, number]}),
        (fn.random_resized_crop, {"size": 2, "random_aspect_ratio": [number, number]}),
    ):
        with pytest.raises(ValueError, match="finite|is out of all range"):
            made(operator, **given)


@pytest.mark.parametrize(
    ("number", "dtype"),
    [
        (np.uint8(200), np.uint8), (np.int8(1), np.int16), (np.int64(2), np.int64), (np.float16(2), np.float16),
        (np.float64(2), np.float32), (2, np.int32), ([1, 2, 3], np.int32), ((1.0, 2.0, 3.0), np.float32),
    ],
)  # fmt: skip
def test_numbers_in_expressions_have_their_types(number, dtype):
    for product in (made(lambda x: x * number), made(lambda x: number * x)):
        assert product.dtype == dtype
        assert np.array_equal(product, (PICTURE * np.asarray(number)).astype(dtype))


def test_a_constant_beyond_32_bits_has_its_type():
    assert made(lambda x: fn.cast(x, dtype=types.INT64) + np.int64(3 << 40))[0, 0, 1] == (3 << 40) + 1
