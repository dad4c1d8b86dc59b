import ctypes
import gc

import numpy as np
import pytest

from penstock import types
from penstock.tensors import TensorCPU, TensorListCPU

NUMERIC = [
    "uint8",
    "uint16",
    "uint32",
    "uint64",
    "int8",
    "int16",
    "int32",
    "int64",
    "float16",
    "float32",
    "float64",
    "bool",
]


@pytest.mark.parametrize("name", NUMERIC)
def test_every_type_survives_the_way_in_and_out(name):
    array = np.arange(6).reshape(2, 3).astype(name)
    tensor = TensorCPU(array, "HW")
    assert tensor.dtype == types.to_dali_type(name)
    assert (tensor.shape(), tensor.layout(), tensor.ndim()) == ([2, 3], "HW", 2)
    for out in (np.asarray(tensor), np.from_dlpack(tensor), np.asarray(memoryview(tensor))):
        assert out.dtype == array.dtype
        np.testing.assert_array_equal(out, array)


def test_bfloat16_goes_through_numpy_and_dlpack(torch):
    ml_dtypes = pytest.importorskip("ml_dtypes")
    array = np.array([1.5, -2, 3], ml_dtypes.bfloat16)
    tensor = TensorCPU(array)
    assert tensor.dtype == types.BFLOAT16
    np.testing.assert_array_equal(np.asarray(tensor), array)
    assert torch.from_dlpack(tensor).dtype == torch.bfloat16
    assert TensorCPU(torch.tensor([1.0, 2.0], dtype=torch.bfloat16)).dtype == types.BFLOAT16


def test_wrapping_shares_memory_and_keeps_the_owner_alive():
    array = np.zeros(4, np.int32)
    tensor = TensorCPU(array)
    array[2] = 7
    assert np.asarray(tensor)[2] == 7
    view = np.asarray(TensorListCPU(np.full((2, 3), 5, np.int16))[1])
    gc.collect()
    np.testing.assert_array_equal(view, [5, 5, 5])


def test_read_only_and_unit_strides_are_taken():
    fixed = np.arange(4)
    fixed.flags.writeable = False
    assert TensorCPU(fixed).shape() == [4]
    assert TensorCPU(np.zeros((8, 5))[:1, ::1]).shape() == [1, 5]


def test_strided_data_is_refused_with_the_axis():
    with pytest.raises(RuntimeError, match="Strided data not supported: dimension 1 has a stride of 2"):
        TensorCPU(np.zeros((4, 4))[:, ::2])


def test_objects_that_are_no_arrays_are_named():
    with pytest.raises(TypeError, match="type dict"):
        TensorCPU({"a": 1})
    with pytest.raises(TypeError, match=r"Object at position 1 cannot be converted to TensorCPU"):
        TensorListCPU([TensorCPU(np.zeros(2)), 3])


def test_lists_keep_one_type_and_name_the_offender():
    with pytest.raises(TypeError, match=r"Tensors cannot have different data types.*position 1"):
        TensorListCPU([TensorCPU(np.zeros(2, np.uint8)), TensorCPU(np.zeros(2, np.float32))])


@pytest.mark.parametrize("make", [TensorCPU, lambda array, layout: TensorListCPU(array[None], layout)])
def test_layouts_must_fit_the_rank(make):
    with pytest.raises(ValueError, match="must have the same number of dimensions"):
        make(np.zeros((2, 2)), "H")


def test_indices():
    batch = TensorListCPU(np.arange(12).reshape(3, 4))
    assert len(batch) == 3
    np.testing.assert_array_equal(np.asarray(batch[-1]), [8, 9, 10, 11])
    with pytest.raises(IndexError, match="TensorListCPU index out of range"):
        batch[3]
    with pytest.raises(RuntimeError, match="Index is out-of-range"):
        batch.at(-1)
    with pytest.raises(RuntimeError, match="Index is out-of-range"):
        batch.at(3)
    assert [sample.shape() for sample in batch] == [[4]] * 3


def test_at_and_as_array_are_copies():
    source = np.arange(6).reshape(2, 3)
    batch = TensorListCPU(source)
    batch.at(0)[:] = 9
    batch.as_array()[:] = 9
    np.testing.assert_array_equal(source, [[0, 1, 2], [3, 4, 5]])


def test_array_shares_the_memory_unless_a_copy_is_asked_for():
    source = np.arange(3)
    tensor = TensorCPU(source)
    assert np.shares_memory(tensor.__array__(copy=False), source)
    assert not np.shares_memory(tensor.__array__(copy=True), source)
    assert tensor.__array__(np.float32).dtype == np.float32


def test_ragged_batches_are_lists_of_samples_only():
    batch = TensorListCPU([TensorCPU(np.zeros((2, 3))), TensorCPU(np.zeros((4, 1)))])
    assert batch.shape() == [(2, 3), (4, 1)]
    assert not batch.is_dense_tensor()
    for dense in (batch.as_tensor, batch.as_array):
        with pytest.raises(RuntimeError, match="Tensors in the list must have the same shape"):
            dense()


def test_empty_batches_become_empty_arrays():
    empty = TensorListCPU(np.zeros((0, 3), np.int16)).as_array()
    assert (empty.shape[0], empty.dtype) == (0, np.int16)
    assert TensorListCPU([]).as_array().dtype == np.float32


def test_separate_samples_of_one_shape_become_one_tensor():
    batch = TensorListCPU([TensorCPU(np.full(2, i)) for i in range(3)])
    assert batch.as_tensor().shape() == [3, 2]
    np.testing.assert_array_equal(batch.as_array(), [[0, 0], [1, 1], [2, 2]])
    assert TensorListCPU.broadcast(TensorCPU(np.ones(2)), 3).as_array().shape == (3, 2)


def test_squeeze_drops_axes_and_their_letters():
    tensor = TensorCPU(np.zeros((1, 3, 1)), "HWC")
    assert tensor.squeeze(-1)
    assert (tensor.shape(), tensor.layout()) == ([1, 3], "HW")
    assert not tensor.squeeze(1)
    assert tensor.squeeze()
    assert (tensor.shape(), tensor.layout()) == ([3], "W")


def test_reinterpret_needs_equal_sizes():
    tensor = TensorCPU(np.array([1.0], np.float32))
    tensor.reinterpret(types.INT32)
    assert np.asarray(tensor)[0] == 0x3F800000
    with pytest.raises(RuntimeError, match="different element size"):
        tensor.reinterpret(types.INT64)


def test_copy_to_external_fills_foreign_memory():
    batch = TensorListCPU(np.arange(4, dtype=np.int32).reshape(2, 2))
    target = (ctypes.c_int32 * 4)()
    batch.copy_to_external(ctypes.cast(target, ctypes.c_void_p))
    assert list(target) == [0, 1, 2, 3]


def test_lists_may_hold_capsules():
    """As `torch.utils.dlpack.to_dlpack` gives them: none of them is asked for another."""
    kept = TensorCPU(np.arange(6, dtype=np.int32).reshape(2, 3))
    made = TensorListCPU([kept.__dlpack__(), np.zeros((2, 3), np.int32), kept.__dlpack__()], "HW")
    assert made.layout() == "HW" and [np.array(one).sum() for one in made] == [15, 0, 15]
    with pytest.raises(TypeError, match="Object at position 1 cannot be converted to TensorCPU"):
        TensorListCPU([kept.__dlpack__(), 1])


def test_dlpack_gives_legacy_capsules_unless_a_version_is_asked_for():
    tensor = TensorCPU(np.zeros(2))
    assert '"dltensor"' in repr(tensor.__dlpack__())
    assert '"dltensor"' in repr(tensor.__dlpack__(max_version=(0, 8)))
    assert '"dltensor_versioned"' in repr(tensor.__dlpack__(max_version=(1, 0)))
    assert tensor.__dlpack_device__() == (1, 0)


def test_dlpack_copies_when_asked_and_refuses_other_devices():
    array = np.zeros(3, np.int32)
    tensor = TensorCPU(array)
    copy = TensorCPU(tensor.__dlpack__(copy=True))
    array[:] = 5
    np.testing.assert_array_equal(np.asarray(copy), [0, 0, 0])
    for request in ({"dl_device": (2, 0)}, {"stream": 7}):
        with pytest.raises(BufferError):
            tensor.__dlpack__(**request)


def test_torch_takes_batches_without_copying(torch):
    numbers = np.arange(24, dtype=np.int64).reshape(2, 3, 4)
    batch = TensorListCPU(numbers.copy())
    tensor = torch.from_dlpack(batch.as_tensor())
    assert tensor.data_ptr() == batch.data_ptr()
    del batch
    gc.collect()
    assert tensor.tolist() == numbers.tolist()
    assert torch.from_dlpack(TensorCPU(np.zeros((0, 3)))).shape == (0, 3)


def test_torch_and_jax_arrays_are_taken_in(torch, jax):
    assert TensorCPU(torch.arange(3)).dtype == types.INT64
    assert np.asarray(TensorCPU(jax.numpy.ones((2, 2)))).sum() == 4
    assert jax.dlpack.from_dlpack(TensorCPU(np.ones(4, np.float32))).sum() == 4


def test_text_shows_what_dali_shows():
    tensor = TensorCPU(np.arange(2, dtype=np.float32), "W")
    facts = 'dtype=DALIDataType.FLOAT,\n    layout="W",\n    device="cpu",\n    shape=(2,))'
    assert repr(tensor) == f"TensorCPU(\n    {facts}"
    assert str(tensor) == f"TensorCPU(\n    [0. 1.],\n    {facts}"
    assert "num_samples=2" in repr(TensorListCPU(np.zeros((2, 2))))


def test_a_list_of_arrays_becomes_a_batch():
    arrays = [np.full((2, 3, 1), i, np.uint8) for i in range(3)]
    batch = TensorListCPU(arrays, "HWC")
    assert batch.layout() == "HWC" and batch.shape() == [(2, 3, 1)] * 3 and batch.is_dense_tensor()
    assert np.array(batch[2]).ravel().tolist() == [2] * 6
    mixed = TensorListCPU([TensorCPU(arrays[0], "HWC"), arrays[1]])
    assert mixed.layout() == "HWC" and len(mixed) == 2


@pytest.mark.parametrize("extents", [(2, 2), (2, 1)], ids=["uniform", "ragged"])
@pytest.mark.parametrize("wrap", [np.asarray, TensorCPU], ids=["arrays", "tensors"])
def test_a_batch_made_of_a_list_lies_in_one_block(extents, wrap):
    arrays = [np.arange(3 * extent, dtype=np.uint8).reshape(extent, 3) for extent in extents]
    batch = TensorListCPU([wrap(array) for array in arrays])
    whole = (ctypes.c_uint8 * sum(array.size for array in arrays)).from_address(batch.data_ptr())
    assert list(whole) == [x for array in arrays for x in array.ravel().tolist()]


def test_a_batch_that_is_not_contiguous_shares_the_memory_of_its_tensors():
    array = np.zeros((2, 3), np.uint8)
    batch = TensorListCPU([TensorCPU(array)] * 2, contiguous=False)
    array[:] = 7
    assert np.array(batch[1]).max() == 7
    with pytest.raises(RuntimeError, match="do not lie side by side"):
        batch.data_ptr()


@pytest.mark.parametrize("item", [[1, 2], 3, "text", None])
def test_what_is_no_array_cannot_be_a_sample(item):
    with pytest.raises(TypeError, match="Object at position 1 cannot be converted to TensorCPU"):
        TensorListCPU([np.zeros(2), item])


def test_long_batches_are_printed_shortened():
    batch = TensorListCPU(np.arange(60000, dtype=np.int32).reshape(300, 200))
    text = str(batch)
    assert len(text) < 5000 and "59999" in text and "\n    ...," in text
    assert "num_samples=300" in repr(batch) and "shape=[(200,), (200,), ..., (200,), (200,)]" in repr(batch)
    assert "..." not in str(TensorListCPU(np.zeros((7, 3), np.float32)))
