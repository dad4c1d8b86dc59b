"""Sources whose arrays lie on the GPU: they stay there, unless the host reads them."""

import numpy as np
import pytest

from penstock import Pipeline, fn, types

torch = pytest.importorskip("torch")
_SHAPES = ((6, 8, 3), (5, 9, 3), (4, 4, 3))


def _pictures(shapes=_SHAPES):
    generator = torch.Generator(device="cuda:0").manual_seed(3)
    return [torch.randint(0, 256, shape, dtype=torch.uint8, device="cuda:0", generator=generator) for shape in shapes]


def _run(made, source, device="gpu", device_id=0, **settings):
    with Pipeline(batch_size=3, num_threads=2, device_id=device_id) as pipe:
        outputs = made(fn.external_source(source, device=device, layout="HWC", **settings))
        pipe.set_outputs(*(outputs if isinstance(outputs, tuple) else (outputs,)))
    return [one.as_cpu() if hasattr(one, "as_cpu") else one for one in pipe.run()]


@pytest.mark.parametrize("no_copy", [False, True])
def test_samples_of_any_shape_are_used(no_copy):
    pictures = _pictures()
    (flipped,) = _run(fn.flip, lambda: pictures, no_copy=no_copy)
    for sample, picture in zip(flipped, pictures, strict=True):
        assert (np.asarray(sample) == picture.cpu().numpy()[:, ::-1]).all()


def test_one_tensor_is_a_batch():
    batch = torch.stack(_pictures([(6, 8, 3)] * 3))
    (out,) = _run(lambda x: fn.cast(x, dtype=types.FLOAT) * 0.5, lambda: batch)
    assert (np.asarray(out.as_tensor()) == batch.cpu().numpy() * np.float32(0.5)).all()


def test_they_may_be_outputs():
    pictures = _pictures()
    (out,) = _run(lambda x: x, lambda: pictures)
    assert all((np.asarray(a) == b.cpu().numpy()).all() for a, b in zip(out, pictures, strict=True))


def test_the_host_and_operators_of_whole_batches_have_them_too():
    pictures = _pictures()
    shapes, padded, host = _run(
        lambda x: (x.shape(), fn.pad(x), fn.flip(x, device="cpu")), lambda: pictures, device="cpu"
    )
    assert [tuple(np.asarray(shape)) for shape in shapes] == list(_SHAPES)
    assert all(sample.shape() == [6, 9, 3] for sample in padded)
    assert (np.asarray(host[0]) == pictures[0].cpu().numpy()[:, ::-1]).all()


def test_a_pipeline_without_a_gpu_gets_copies():
    pictures = _pictures()
    (out,) = _run(fn.flip, lambda: pictures, device="cpu", device_id=None)
    assert (np.asarray(out[1]) == pictures[1].cpu().numpy()[:, ::-1]).all()


def test_a_copy_does_not_see_what_is_written_later():
    picture = torch.zeros((64, 64, 3), dtype=torch.uint8, device="cuda:0")

    def source():
        picture.fill_(7)
        return [picture] * 3

    with Pipeline(batch_size=3, num_threads=2, device_id=0) as pipe:
        pipe.set_outputs(fn.external_source(source, device="gpu"))
    pipe.schedule_run()
    picture.fill_(9)
    assert (np.asarray(pipe.share_outputs()[0].as_cpu()[0]) == 7).all()


def test_work_queued_before_comes_first():
    picture = torch.zeros((512, 512, 3), dtype=torch.uint8, device="cuda:0")
    for i in range(20):
        big = torch.randn(2000, 2000, device="cuda:0")
        for _ in range(5):
            big = big @ big
        picture.fill_(i + (big.sum() * 0).nan_to_num().to(torch.uint8))
        (out,) = _run(lambda x: x, lambda: [picture] * 3, no_copy=True)
        assert (np.asarray(out[0]) == i).all()


def test_fed_by_hand_and_from_another_pipeline():
    pictures = _pictures()
    with Pipeline(batch_size=3, num_threads=2, device_id=0) as first:
        first.set_outputs(fn.external_source(lambda: pictures, device="gpu", layout="HWC"))
    with Pipeline(batch_size=3, num_threads=2, device_id=0, prefetch_queue_depth=1) as second:
        second.set_outputs(fn.flip(fn.external_source(name="x", device="gpu", layout="HWC")))
    second.feed_input("x", first.run()[0])
    out = second.run()[0].as_cpu()
    assert (np.asarray(out[2]) == pictures[2].cpu().numpy()[:, ::-1]).all()


def test_strided_arrays_and_mixtures_are_refused():
    with pytest.raises(RuntimeError, match="contiguous"):
        _run(fn.flip, lambda: [picture.transpose(0, 1) for picture in _pictures()])
    with pytest.raises(TypeError, match="no array on a GPU"):
        _run(fn.flip, lambda: [_pictures()[0], np.zeros((2, 2, 3), np.uint8), _pictures()[1]])
