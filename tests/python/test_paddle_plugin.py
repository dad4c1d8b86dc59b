"""Paddle's iterators, with PyTorch's DLPack in Paddle's place where that is not installed."""

import importlib
import sys
import types

import numpy as np
import pytest

from penstock import fn, pipeline_def
from penstock import types as penstock_types
from penstock.plugin.base_iterator import LastBatchPolicy


@pytest.fixture
def plugin(torch, monkeypatch):
    try:
        importlib.import_module("paddle")
    except ModuleNotFoundError:
        paddle = types.ModuleType("paddle")
        paddle.utils = types.SimpleNamespace(dlpack=types.SimpleNamespace(from_dlpack=torch.utils.dlpack.from_dlpack))
        paddle.to_tensor = lambda data: torch.from_numpy(np.array(data))
        paddle.empty = torch.empty
        monkeypatch.setitem(sys.modules, "paddle", paddle)
        monkeypatch.delitem(sys.modules, "penstock.plugin.paddle", raising=False)
    return importlib.import_module("penstock.plugin.paddle")


@pipeline_def(batch_size=8, num_threads=2, device_id=penstock_types.CPU_ONLY_DEVICE_ID)
def padded(root, epoch_end="pad", shards=1):
    files, labels = fn.readers.file(file_root=root, name="Reader", epoch_end=epoch_end, num_shards=shards)
    return fn.resize(fn.decoders.image(files), size=(8, 9)), labels


@pytest.mark.parametrize("policy", list(LastBatchPolicy))
def test_epochs_are_those_of_other_frameworks(plugin, shared, policy):
    from penstock.plugin.pytorch import DALIClassificationIterator

    def epochs(kind, pipe):
        loader = kind(pipe, reader_name="Reader", last_batch_policy=policy, auto_reset=True)
        return [[(one[0]["data"], one[0]["label"]) for one in loader] for _ in range(2)]

    root = str(shared / "photos")
    expected = epochs(DALIClassificationIterator, pictures_of(root))
    got = epochs(plugin.DALIClassificationIterator, pictures_of(root))
    assert [len(one) for one in got] == [len(one) for one in expected]
    for ours, theirs in zip(got, expected, strict=True):
        for one, other in zip(ours, theirs, strict=True):
            assert all(np.array_equal(np.array(a), np.array(b)) for a, b in zip(one, other, strict=True))


def pictures_of(root):
    @pipeline_def(batch_size=8, num_threads=2, device_id=penstock_types.CPU_ONLY_DEVICE_ID)
    def pipe():
        files, labels = fn.readers.file(file_root=root, name="Reader")
        return fn.resize(fn.decoders.image(files), size=(8, 9)), labels

    return pipe()


def test_padding_is_marked_and_names_may_have_tags(plugin, shared):
    loader = plugin.DALIGenericIterator(padded(str(shared / "photos")), [("data", "tag"), "label"])
    *_, [last] = loader
    assert set(last) == {"data", "label", "valid"}
    assert 0 < int(np.array(last["valid"]).sum()) < 8 and len(last["valid"]) == len(last["data"]) == 8
    with pytest.raises(AssertionError, match="distinct"):
        plugin.DALIGenericIterator(padded(str(shared / "photos")), ["data", "data"])


def test_a_rank_without_samples_gets_no_rows_of_what_samples_are(plugin, pictures):
    pipe = padded(str(pictures), "partial", shards=20)  # of 12 pictures
    [[batch]] = plugin.DALIGenericIterator(pipe, ["data", "label"])
    assert {name: tuple(one.shape) for name, one in batch.items()} == {"data": (0, 8, 9, 3), "label": (0, 1)}
    assert [str(one.dtype).split(".")[-1] for one in batch.values()] == ["uint8", "int32"]
