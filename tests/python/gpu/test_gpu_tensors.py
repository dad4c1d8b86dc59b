"""Members of `TensorGPU` and `TensorListGPU` that DALI's users know, beside those of the host's classes."""

import ctypes

import numpy as np
import pytest

from penstock import Pipeline, fn, types

torch = pytest.importorskip("torch")
_SAMPLES = [np.arange(i, i + 12, dtype=np.float32).reshape(3, 4) for i in range(3)]


@pytest.fixture
def batch():
    with Pipeline(batch_size=3, num_threads=1, device_id=0) as pipe:
        pipe.set_outputs(fn.external_source(lambda: _SAMPLES, layout="XY").gpu())
    return pipe.run()[0]


def test_copies_go_to_addresses_in_either_memory(batch):
    host = np.zeros((3, 3, 4), np.float32)
    batch.copy_to_external(ctypes.c_void_p(host.ctypes.data))
    assert (host == np.stack(_SAMPLES)).all()
    device = torch.zeros(3, 3, 4, device="cuda:0")
    stream = torch.cuda.Stream(0)
    batch.copy_to_external(device.data_ptr(), cuda_stream=stream, non_blocking=True)
    stream.synchronize()
    assert (device.cpu().numpy() == np.stack(_SAMPLES)).all()
    one = torch.zeros(3, 4, device="cuda:0")
    torch.cuda.synchronize(0)
    batch[1].copy_to_external(one.data_ptr(), cuda_stream=torch.cuda.current_stream(0).cuda_stream)
    assert (one.cpu().numpy() == _SAMPLES[1]).all()


def test_descriptions_change_and_data_stay(batch):
    assert batch.stream() is None
    assert batch[0].stream() is None
    assert batch.as_tensor().data_ptr() == batch.data_ptr()
    assert batch.as_reshaped_tensor([36]).shape() == [36]
    with pytest.raises(RuntimeError, match="36"):
        batch.as_reshaped_tensor([35])
    batch.set_layout("AB")
    assert (batch.layout(), batch[0].layout()) == ("AB", "AB")
    with pytest.raises(ValueError, match="dimensions"):
        batch.set_layout("ABC")
    batch.reinterpret(types.INT32)
    assert (np.array(batch.as_cpu()[2]) == _SAMPLES[2].view(np.int32)).all()
    with pytest.raises(RuntimeError, match="element size"):
        batch.reinterpret(types.UINT8)
    batch.reset()
    assert len(batch) == 0


def test_tensors_have_them_too(batch):
    tensor = batch[2]
    tensor.set_layout(None)
    assert (tensor.layout(), tensor.get_property("layout"), tensor.get_property("other")) == ("", "", None)
    repeated = type(batch).broadcast(tensor, 4)
    assert [np.array(sample).tolist() for sample in repeated.as_cpu()] == [_SAMPLES[2].tolist()] * 4
    whole = batch.as_reshaped_tensor([1, 36])
    assert whole.squeeze()
    assert not whole.squeeze()
    assert whole.shape() == [36]
    whole.reinterpret(types.UINT32)
    assert np.array(whole.as_cpu()).dtype == np.uint32
