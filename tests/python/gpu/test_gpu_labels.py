"""Operators on boxes and masks with GPUs: what is asked of the GPU lies there afterwards, with the host's values."""

from functools import partial

import cases
import numpy as np
import pytest

from penstock import Pipeline, fn, pipeline_def
from penstock._schema import schemas

torch = pytest.importorskip("torch")
_SAMPLES = 4
_LABELS = ("bb", "box_", "coord_", "connected_components")  # operators on labels that users may ask a GPU for
_OPERATORS = sorted(n for n, s in schemas().items() if n.startswith(_LABELS) and "gpu" in s.devices and not s.hidden)
_ANCHORS = np.random.default_rng(1).random((50, 4), np.float32) * np.float32([0.5, 0.5, 0.5, 0.5]) + np.float32(
    [0, 0, 0.5, 0.5]
)


def test_these_are_operators():
    assert {"bb_flip", "box_encoder", "bbox_paste", "coord_flip", "coord_transform"} <= set(_OPERATORS)


def _results(op, device, place, folder):
    """Arrays of all outputs of one batch."""
    case = cases.cases_of(op)[0]
    with Pipeline(batch_size=_SAMPLES, num_threads=2, seed=5, device_id=0) as pipe:
        nodes = [
            fn.external_source(source=partial(_given, one, place), layout=one.layout or None,
                               device="gpu" if place == "source" else "cpu")
            for one in case.inputs
        ]  # fmt: skip
        nodes = [node.gpu() if place == "copied" else node for node in nodes]
        pipe.set_outputs(*case.apply(nodes, folder, {"device": device} if device else {}))
    outputs = pipe.run()
    kind = "TensorListCPU" if device == "cpu" else "TensorListGPU"
    assert [type(output).__name__ for output in outputs] == [kind] * len(outputs)
    return [[np.asarray((o if device == "cpu" else o.as_cpu())[i]) for i in range(len(o))] for o in outputs]


def _given(one, place):
    samples = [one.make(i, "ragged") for i in range(_SAMPLES)]
    return [torch.from_numpy(np.array(s)).cuda() for s in samples] if place == "source" else samples


@pytest.mark.parametrize("place", ["host", "copied", "source"])
@pytest.mark.parametrize("op", _OPERATORS)
def test_device_gpu_gives_the_values_of_the_host_on_the_gpu(op, place, tmp_path):
    expected = _results(op, "cpu", "host", tmp_path)
    for device in ("gpu", None) if place != "host" else ("gpu",):  # by default it is where the input is
        for mine, theirs in zip(_results(op, device, place, tmp_path), expected, strict=True):
            for a, b in zip(mine, theirs, strict=True):
                assert a.dtype == b.dtype
                np.testing.assert_allclose(a, b, rtol=0, atol=schemas()[op].tolerance or 0)


def test_encoded_boxes_go_on_into_work_of_the_gpu():
    boxes = np.float32([[0.1, 0.1, 0.6, 0.7], [0.3, 0.2, 0.9, 0.9]])

    @pipeline_def(batch_size=3, num_threads=2, device_id=0)
    def pipe(device):
        made, labels = fn.box_encoder(
            boxes, np.int32([3, 4]), anchors=_ANCHORS.ravel().tolist(), offset=True, device=device
        )
        return (made * 2.0 - 1.0).gpu(), (labels + 1).gpu()

    for cpu, gpu in zip(pipe("cpu").run(), pipe("gpu").run(), strict=True):
        np.testing.assert_allclose(gpu.as_cpu().as_array(), cpu.as_cpu().as_array(), rtol=0, atol=1e-6)


def test_labels_of_volumes_follow_where_a_gpu_makes_the_volumes():
    volume = np.random.default_rng(2).integers(0, 255, (8, 9, 10, 1), np.uint8)
    boxes = np.float32([[1, 2, 3, 4, 5, 3]])

    @pipeline_def(batch_size=2, num_threads=2, device_id=0, seed=4)
    def pipe(device):
        volumes = fn.external_source(lambda: [volume] * 2, layout="DHWC")
        given = volumes.gpu() if device == "gpu" else volumes
        moved = fn.resize(fn.flip(given, depthwise=fn.random.coin_flip()), size=[16, 9, 20])
        masks = fn.follow(volumes, moved, kind="masks", device=device)
        return masks.gpu(), fn.follow(boxes, moved, device=device).gpu(), moved.gpu()

    for cpu, gpu in zip(pipe("cpu").run(), pipe("gpu").run(), strict=True):
        assert type(gpu).__name__ == "TensorListGPU"
        np.testing.assert_allclose(
            gpu.as_cpu().as_array().astype(np.float64), cpu.as_cpu().as_array().astype(np.float64), rtol=0, atol=1
        )


@pytest.mark.parametrize("op", ["bb_flip", "bbox_paste"])
@pytest.mark.parametrize("place", ["host", "gpu"])
def test_boxes_that_are_not_finite_are_refused_on_a_gpu(op, place):
    boxes = np.float32([[0.1, 0.1, 0.6, 0.7], [0.3, np.nan, 0.9, 0.9]])
    given = {"ratio": 2.0, "paste_x": 0.0, "paste_y": 0.0} if op == "bbox_paste" else {}

    def run(**options):
        with Pipeline(2, 1, device_id=0, prefetch_queue_depth=1) as pipe:
            source = fn.external_source(
                source=lambda: [torch.from_numpy(boxes).cuda() if place == "gpu" else boxes] * 2,
                device="gpu" if place == "gpu" else "cpu",
            )
            pipe.set_outputs(getattr(fn, op)(source, device="gpu", **given, **options))
        return np.asarray(pipe.run()[0].as_cpu()[0])

    with pytest.raises(RuntimeError, match=rf"\[{op}\] the GPU found a box with a number that is not finite"):
        run()
    assert np.isfinite(run(check_boxes=False)[0]).all()
