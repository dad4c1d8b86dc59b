"""readers.numpy and decoders.numpy beside DALI's: files, types, orders, regions, lying headers."""

import numpy as np
import oracle
import pytest
import records

import penstock
from penstock import Pipeline, fn, types


@pytest.fixture(scope="module")
def tree(tmp_path_factory):
    """Arrays in a root, in folders of it, and deeper, where nobody looks."""
    root = tmp_path_factory.mktemp("arrays")
    names = ["root.npy", "b/x.npy", "b/Y.NPY", "a/0.npy", "a/1.npy", "a/deep/d.npy", "a/notes.txt"]
    for i, name in enumerate(names):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_bytes(records.npy(np.arange(3 + i)))
    (root / "list.txt").write_text("root.npy\nb/x.npy\n\na/0.npy\n")
    (root / "matrix.bin").write_bytes(records.npy(np.arange(24).reshape(4, 6)))
    (root / "fortran.bin").write_bytes(
        records.npy(np.asfortranarray(np.arange(120, dtype=np.float32).reshape(4, 5, 6)))
    )
    return root


def epoch_of(module, **arguments):
    pipe = module.Pipeline(batch_size=1, num_threads=1, device_id=None)
    with pipe:
        pipe.set_outputs(module.fn.readers.numpy(name="Reader", **arguments))
    pipe.build()
    outputs = [pipe.run()[0] for _ in range(pipe.epoch_size("Reader"))]
    arrays = [np.array(output.at(0)) for output in outputs]
    return [(a.dtype, a.shape, a.tolist(), o[0].source_info()) for a, o in zip(arrays, outputs, strict=True)]


def assert_alike(**arguments):
    mine = epoch_of(penstock, **arguments)
    assert mine == epoch_of(oracle.dali(), **arguments)
    return mine


def test_the_files_are_dalis(tree):
    root = str(tree)
    assert len(assert_alike(file_root=root)) == 4
    assert_alike(file_root=root, file_filter="*.NPY")
    assert_alike(file_root=root, file_filter="[01].npy")
    assert_alike(files=["root.npy", "b/x.npy"], file_root=root)
    assert_alike(file_list=root + "/list.txt")
    assert_alike(file_list=root + "/list.txt", file_root=root)
    for shard in range(3):
        assert_alike(file_root=root, num_shards=3, shard_id=shard, pad_last_batch=True)


TYPES = ["bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "f2", "f4", "f8"]


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("order", "CF")
def test_all_types_and_orders_are_dalis(tmp_path, dtype, order):
    array = np.random.default_rng(3).integers(0, 2 if dtype == "bool" else 100, (3, 4, 5)).astype(dtype)
    for i, one in enumerate([array, array[0], array[0, 0], array[:0], array[0, 0, 0]]):
        file = tmp_path / f"{i}.npy"
        file.write_bytes(records.npy(np.array(one, order=order)))
        [(kind, shape, values, _)] = assert_alike(files=[str(file)])
        assert (kind, shape, values) == (one.dtype, one.shape, one.tolist())


REGIONS = [
    {"roi_start": [1, 2], "roi_shape": [2, 3]},
    {"roi_start": [1, 2], "roi_end": [3, 5]},
    {"roi_start": [1, 2]},
    {"roi_end": [3, 5]},
    {"roi_shape": [2, 2]},
    {"roi_shape": [0, 2]},
    {"roi_start": 1, "roi_shape": 2},
    {"roi_start": [], "roi_end": [], "roi_axes": []},
    {"rel_roi_start": [], "roi_shape": [2, 2]},
    {"rel_roi_start": [0.25, 0.5], "rel_roi_shape": [0.5, 0.5]},
    {"rel_roi_start": [0.1, 0.1], "rel_roi_end": [0.6, 0.6]},
    {"rel_roi_start": [0.375, 0.25], "rel_roi_shape": [0.375, 0.25]},
    {"rel_roi_start": [0.13, 0.42], "rel_roi_shape": [0.62, 0.41]},
    {"rel_roi_start": [0.25, 0.5], "roi_shape": [2, 3]},
    {"roi_start": [1, 1], "rel_roi_shape": [0.5, 0.5]},
    {"roi_start": [1, 1], "rel_roi_end": [0.5, 0.5]},
    {"roi_start": [2], "roi_shape": [3], "roi_axes": [1]},
    {"roi_start": [2, 1], "roi_shape": [3, 2], "roi_axes": [1, 0]},
    {"roi_start": [2], "roi_shape": [3], "roi_axes": [-1]},
    {"roi_start": [3, 4], "roi_shape": [3, 3], "out_of_bounds_policy": "pad"},
    {"roi_start": [-1, 4], "roi_shape": [3, 3], "out_of_bounds_policy": "pad", "fill_value": 7.6},
    {"roi_start": [-1, 4], "roi_shape": [3, 3], "out_of_bounds_policy": "trim_to_shape"},
    {"roi_start": [9, 9], "roi_shape": [2, 3], "out_of_bounds_policy": "pad", "fill_value": -1.0},
    {"roi_start": [-9, -9], "roi_shape": [2, 3], "out_of_bounds_policy": "pad"},
    {"roi_start": [5, 7], "roi_shape": [2, 2], "out_of_bounds_policy": "trim_to_shape"},
]


@pytest.mark.parametrize("region", REGIONS, ids=str)
def test_regions_are_dalis(tree, region):
    assert_alike(files=[str(tree / "matrix.bin")], **region)


@pytest.mark.parametrize(
    "region",
    [
        {"roi_start": [0, 1, 1], "roi_shape": [2, 2, 2]},
        {"roi_start": [1, -1, 3], "roi_shape": [2, 7, 5], "out_of_bounds_policy": "pad", "fill_value": -1.0},
        {"roi_start": [2, 5], "roi_end": [4, 6], "roi_axes": [0, 2]},
    ],
)
def test_regions_of_fortrans_order_are_dalis(tree, region):
    assert_alike(files=[str(tree / "fortran.bin")], **region)


@pytest.mark.parametrize("order", "CF")
def test_regions_of_large_arrays_are_what_numpy_cuts_out(tmp_path, order):
    array = np.arange(60 * 70 * 80, dtype=np.int32).reshape(60, 70, 80)
    (tmp_path / "a.npy").write_bytes(records.npy(np.array(array, order=order)))
    regions = [((3, 4, 5), (50, 2, 70)), ((0, 0, 79), (60, 70, 1)), ((59, 0, 0), (1, 70, 80)), ((0,) * 3, array.shape)]
    for start, shape in regions:
        with Pipeline(1) as pipe:
            pipe.set_outputs(fn.readers.numpy(files=[str(tmp_path / "a.npy")], roi_start=start, roi_shape=shape))
        cut = array[tuple(slice(a, a + n) for a, n in zip(start, shape, strict=True))]
        np.testing.assert_array_equal(pipe.run()[0].as_array()[0], cut)


@pytest.mark.parametrize("extent", [11, 15, 17, 30, 45])
@pytest.mark.parametrize("start", [0.0, 0.1, 0.3])
@pytest.mark.parametrize("end", [0.7, 0.9])
def test_parts_of_an_extent_are_rounded_as_dalis(tmp_path, extent, start, end):
    """0.9 of 15 is 13.5, which is rounded up, though 0.9 is a little less as a float."""
    np.save(tmp_path / "array.npy", np.arange(extent))
    files = [str(tmp_path / "array.npy")]
    assert_alike(files=files, rel_roi_start=[start], rel_roi_end=[end])
    assert_alike(files=files, rel_roi_start=[start], rel_roi_shape=[end - start])
    assert_alike(files=files, rel_roi_end=[end])


def test_a_region_may_be_given_for_each_sample(tree):
    starts = [np.array([i % 3, i]) for i in range(4)]
    with Pipeline(4) as pipe:
        start = fn.external_source([starts], cycle=True)
        pipe.set_outputs(fn.readers.numpy(files=[str(tree / "matrix.bin")], roi_start=start, roi_shape=[1, 2]))
    matrix = np.arange(24).reshape(4, 6)
    for array, (row, column) in zip(pipe.run()[0], starts, strict=True):
        np.testing.assert_array_equal(np.array(array), matrix[row : row + 1, column : column + 2])


@pytest.mark.parametrize(
    "arguments,message",
    [
        ({"roi_start": [3, 4], "roi_shape": [3, 3]}, "Slice can't be placed out of bounds"),
        ({"roi_start": [1, 1, 1]}, "expected shape 2 but got 3 values"),
        ({"roi_start": [1, 1], "roi_axes": [1, 1]}, "occurs more than once"),
        ({"roi_start": [1], "roi_axes": [5]}, "Axis 5 out of range"),
        ({"roi_start": [2, 2], "roi_end": [1, 1]}, "end coordinates can't be before start"),
        ({"roi_shape": [-1, 2]}, "out of range"),
        ({"roi_start": [1, 1], "rel_roi_start": [0.1, 0.1]}, "mutually exclusive"),
        ({"roi_shape": [1, 1], "rel_roi_end": [0.5, 0.5]}, "mutually exclusive"),
        ({"out_of_bounds_policy": "x"}, "Not supported out_of_bounds_policy: x"),
        ({"rel_roi_start": [float("nan"), 0.0]}, "out of all range"),
        ({"roi_start": [2**60, 0]}, "out of all range"),
    ],
)
def test_regions_that_cannot_be_are_refused(tree, arguments, message):
    with Pipeline(1) as pipe, pytest.raises((ValueError, RuntimeError), match=rf"\[readers.numpy\] .*{message}"):
        pipe.set_outputs(fn.readers.numpy(files=[str(tree / "matrix.bin")], **arguments))
        pipe.build()
        pipe.run()


def _changed(old, new):
    data = records.npy(np.arange(6, dtype=np.int32).reshape(2, 3))
    assert old in data
    return data.replace(old, new + b" " * (len(old) - len(new)) if len(new) < len(old) else new, 1)


HOSTILE = {
    "empty": b"", "short": b"\x93NUMPY\1\0", "text": b"no array at all, but text",
    "version": _changed(b"Y\1\0", b"Y\4\0"),
    "long header": _changed(b"\1\0v\0", b"\2\0\xff\xff"), "cut": records.npy(np.arange(6))[:-1],
    "cut header": records.npy(np.arange(6))[:60], "large shape": _changed(b"(2, 3), }", b"(999999, 3), }"),
    "overflowing shape": _changed(b"(2, 3), }   ", b"(99999999999, 99999999999), }"),
    "zero and huge": _changed(b"(2, 3), }   ", b"(0, 9223372036854775807), }"),
    "negative": _changed(b"(2, 3)", b"(2,-3)"), "no shape": _changed(b"'shape'", b"'sharp'"),
    "big endian": _changed(b"<i4", b">i4"), "text elements": _changed(b"<i4", b"<U4"),
    "complex": records.npy(np.zeros(2, np.complex64)), "records": records.npy(np.zeros(2, [("a", "i4")])),
    "unclosed": _changed(b"}", b" "), "nine dimensions": records.npy(np.zeros((1,) * 9)),
}  # fmt: skip


@pytest.mark.parametrize("kind", HOSTILE)
def test_lying_headers_are_named_and_others_still_come(tmp_path, kind):
    for i in range(3):
        (tmp_path / f"{i}.npy").write_bytes(HOSTILE[kind] if i == 1 else records.npy(np.arange(4)))
    with Pipeline(3, on_error="skip") as pipe:
        pipe.set_outputs(fn.readers.numpy(file_root=str(tmp_path)))
    assert len(pipe.run()[0]) == 2
    assert pipe.failures()[0].source.endswith("1.npy")
    with Pipeline(1) as pipe:
        pipe.set_outputs(fn.decoders.numpy(fn.external_source([[np.frombuffer(HOSTILE[kind], np.uint8)]])))
    with pytest.raises((ValueError, RuntimeError), match=r"\[decoders.numpy\]"):
        pipe.run()


def test_bytes_behind_the_array_are_refused_by_the_decoder():
    for array in (np.arange(4), np.zeros((0, 3), np.int8), np.float32(1)):
        whole = records.npy(np.asarray(array))
        for data in (whole, whole + whole):
            with Pipeline(1) as pipe:
                pipe.set_outputs(fn.decoders.numpy(fn.external_source([[np.frombuffer(data, np.uint8)]])))
            if data is whole:
                assert np.array_equal(np.array(pipe.run()[0][0]), array)
                continue
            size = np.asarray(array).nbytes
            with pytest.raises(RuntimeError, match=f"Expected data numpy size is {size} bytes.*several arrays"):
                pipe.run()


@pytest.mark.parametrize("version", [(1, 0), (2, 0), (3, 0)])
def test_all_versions_of_the_format_are_read(tmp_path, version):
    with open(tmp_path / "a.npy", "wb") as file:
        np.lib.format.write_array(file, np.arange(3), version=version)
    assert epoch_of(penstock, files=[str(tmp_path / "a.npy")])[0][2] == [0, 1, 2]


@pytest.mark.parametrize("dtype", [None, "FLOAT", "INT16"])
def test_arrays_are_decoded_in_either_order_and_converted(dtype):
    """DALI's own decoder needs a GPU's driver even on the CPU."""
    arrays = [np.array(np.arange(12).reshape(3, 4) - 2.5 + i, order="CF"[i % 2]) for i in range(3)]
    encoded = [np.frombuffer(records.npy(array), np.uint8) for array in arrays]
    with Pipeline(3) as pipe:
        wanted = {} if dtype is None else {"dtype": getattr(types, dtype)}
        pipe.set_outputs(fn.decoders.numpy(fn.external_source([encoded], cycle=True), **wanted))
    for decoded, array in zip(pipe.run()[0], arrays, strict=True):
        decoded = np.array(decoded)
        if dtype == "INT16":  # halves are rounded away from zero
            array = np.trunc(array + np.copysign(0.5, array))
        assert decoded.dtype == {None: np.float64, "FLOAT": np.float32, "INT16": np.int16}[dtype]
        np.testing.assert_array_equal(decoded, array)


def test_no_files_are_told_apart(tmp_path):
    for arguments, message in [
        ({}, "`file_root` argument is required"), ({"files": []}, "empty list"),
        ({"files": ["a"], "file_list": "b"}, "but not both"), ({"file_root": str(tmp_path)}, "No files found"),
        ({"file_root": str(tmp_path / "absent")}, "Failed to open directory"),
        ({"file_list": str(tmp_path / "absent")}, "Cannot open"),
    ]:  # fmt: skip
        with Pipeline(1) as pipe, pytest.raises(ValueError, match=message):
            pipe.set_outputs(fn.readers.numpy(**arguments))
            pipe.build()
