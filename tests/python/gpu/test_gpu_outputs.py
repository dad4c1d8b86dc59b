"""What a pipeline hands out of a GPU's memory is what a CPU would hand out, however its parts came to lie there."""

import numpy as np
import pytest

from penstock import Pipeline, fn
from penstock.plugin.pytorch import DALIGenericIterator as TorchIterator

_PICTURES = [np.random.default_rng(i).integers(0, 255, (40, 50, 3), np.uint8) for i in range(4)]
_ORDER = [3, 1, 2, 0]


def _pipeline(graph, **options):
    with Pipeline(batch_size=len(_PICTURES), num_threads=2, device_id=0, **options) as pipe:
        pipe.set_outputs(*graph(fn.external_source(source=lambda: _PICTURES, layout="HWC").gpu()))
    return pipe


def _expected(graph):
    with Pipeline(batch_size=len(_PICTURES), num_threads=2) as pipe:
        pipe.set_outputs(*graph(fn.external_source(source=lambda: _PICTURES, layout="HWC")))
    return [output.as_array() for output in pipe.run()]


def _permuted(pictures):
    return [fn.permute_batch(fn.resize(pictures, size=[24, 20]), indices=_ORDER)]


def _named_thrice(pictures):
    small = fn.resize(pictures, size=[24, 20])
    return [small, fn.expand_dims(small, axes=[0]), fn.reshape(small, shape=[-1])]


def test_samples_that_lie_apart_become_one_tensor():
    pipe, [expected] = _pipeline(_permuted), _expected(_permuted)
    for _ in range(3):
        [batch] = pipe.run()
        assert not batch.is_dense_tensor()
        whole = batch.as_tensor()
        assert whole.device_id() == 0
        np.testing.assert_allclose(np.asarray(whole.as_cpu()), expected, atol=1)


def test_pytorch_gets_samples_that_lie_apart():
    torch = pytest.importorskip("torch")
    [expected] = _expected(_permuted)
    batches = TorchIterator(_pipeline(_permuted), ["images"])
    for _ in range(3):
        images = next(batches)[0]["images"]
        assert images.device == torch.device("cuda", 0)
        np.testing.assert_allclose(images.cpu().numpy(), expected, atol=1)


def test_a_value_is_handed_out_under_all_of_its_names():
    for name, (found, expected) in enumerate(
        zip(_pipeline(_named_thrice).run(), _expected(_named_thrice), strict=True)
    ):
        np.testing.assert_allclose(found.as_cpu().as_array(), expected, atol=1, err_msg=str(name))
