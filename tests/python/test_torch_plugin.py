"""The parts of the PyTorch plugin that are not about epochs."""

import threading

import numpy as np
import oracle
import pytest

import penstock
from penstock import Pipeline, _core, fn


def ragged_pipe(module=penstock, rank=1):
    def source(i):
        rows = [np.arange(1, 4), np.arange(i, i + 1), np.zeros(2, np.int64)]
        return [row.reshape(-1, *[1] * (rank - 1)) for row in rows]

    pipe = module.Pipeline(batch_size=3, num_threads=1, device_id=None)
    with pipe:
        data = module.fn.external_source(source)
        pipe.set_outputs(data, data, module.fn.external_source(lambda _: np.ones((3, 2), np.float32)))
    return pipe


@pytest.mark.parametrize("library", ["penstock", "nvidia.dali"])
def test_ragged_outputs_come_as_lists_and_sparse_tensors(torch, library):
    module = penstock if library == "penstock" else oracle.dali()
    if library == "penstock":
        from penstock.plugin.pytorch import DALIRaggedIterator
    else:
        from nvidia.dali.plugin.pytorch import DALIRaggedIterator
    kinds = [DALIRaggedIterator.SPARSE_LIST_TAG, DALIRaggedIterator.SPARSE_COO_TAG, DALIRaggedIterator.DENSE_TAG]
    iterator = DALIRaggedIterator([ragged_pipe(module)], ["list", "coo", "dense"], output_types=kinds)
    next(iterator)
    [batch] = next(iterator)
    assert [part.tolist() for part in batch["list"]] == [[1, 2, 3], [1], [0, 0]]
    assert batch["coo"].is_sparse
    assert batch["coo"].to_dense().tolist() == [[1, 2, 3], [1, 0, 0], [0, 0, 0]]
    assert batch["coo"].coalesce().values().tolist() == [1, 2, 3, 1, 0, 0]
    assert batch["dense"].tolist() == [[1, 1]] * 3


def test_sparse_tensors_of_higher_rank_hold_every_element(torch):
    del torch
    from penstock.plugin.pytorch import DALIRaggedIterator

    iterator = DALIRaggedIterator(ragged_pipe(rank=2), ["a", "b", "c"], output_types=["sparse_coo"] * 2 + ["dense"])
    [batch] = next(iterator)
    assert batch["a"].shape == (3, 3, 1)
    assert batch["a"].to_dense()[0].tolist() == [[1], [2], [3]]


def test_mistakes_about_ragged_outputs_are_named(torch):
    del torch
    from penstock.plugin.pytorch import DALIGenericIterator, DALIRaggedIterator

    with pytest.raises(AssertionError, match="Only DENSE_TAG"):
        DALIRaggedIterator(ragged_pipe(), ["a", "b", "c"], output_types=["dense", "list", "dense"])
    with pytest.raises(AssertionError, match="2 entries for 3 outputs"):
        DALIRaggedIterator(ragged_pipe(), ["a", "b", "c"], output_types=["dense"] * 2)
    with pytest.raises(RuntimeError, match="output 'a' are no single tensor"):
        next(DALIGenericIterator(ragged_pipe(), ["a", "b", "c"]))


@pytest.mark.parametrize("policy", ["FILL", "DROP", "PARTIAL"])
def test_classification_is_data_and_label_under_every_policy(numbered, torch, policy):
    from penstock.plugin.pytorch import DALIClassificationIterator, LastBatchPolicy

    with Pipeline(batch_size=2) as pipe:
        pipe.set_outputs(*fn.readers.file(file_root=numbered(5), name="Reader", pad_last_batch=True))
    iterator = DALIClassificationIterator(pipe, reader_name="Reader", last_batch_policy=LastBatchPolicy[policy])
    expected = {"FILL": [[0, 1], [2, 3], [4, 4]], "DROP": [[0, 1], [2, 3]], "PARTIAL": [[0, 1], [2, 3], [4]]}
    batches = [batch for [batch] in iterator]
    assert [batch["data"].flatten().tolist() for batch in batches] == expected[policy]
    assert all(batch["label"].dtype == torch.int32 and len(batch["label"]) == len(batch["data"]) for batch in batches)


def test_all_has_defaults_where_no_gpu_is(pictures, torch):
    del torch
    from penstock.plugin.pytorch import DALIClassificationIterator

    @penstock.pipeline_def
    def pipeline():
        jpegs, labels = fn.readers.file(file_root=str(pictures), name="Reader")
        return fn.decoders.image(jpegs, device="mixed"), labels.gpu()

    batches = [batch for [batch] in DALIClassificationIterator(pipeline(batch_size=4), reader_name="Reader")]
    assert [label for batch in batches for label in batch["label"].flatten().tolist()] == [0] * 6 + [1] * 6
    assert all(batch["data"].shape == (4, 48, 64, 3) for batch in batches)


def test_tensors_are_copied_into_tensors_that_exist(torch):
    from penstock.plugin.pytorch import feed_ndarray

    with Pipeline(batch_size=2) as pipe:
        pipe.set_outputs(fn.external_source(lambda i: np.full((2, 3), i, np.int16)))
    pipe.run()
    target = torch.zeros(2, 3, dtype=torch.int16)
    assert feed_ndarray(pipe.run()[0], target) is target
    assert target.tolist() == [[1, 1, 1]] * 2
    with pytest.raises(AssertionError, match="element type"):
        feed_ndarray(pipe.run()[0], torch.zeros(2, 3))
    with pytest.raises(AssertionError, match="Shapes do not match"):
        feed_ndarray(pipe.run()[0], torch.zeros(3, 2, dtype=torch.int16))


def test_tensors_of_every_element_type_are_copied(torch):
    from penstock.plugin.pytorch import feed_ndarray, to_torch_type

    with Pipeline(batch_size=2) as pipe:
        numbers = fn.external_source(lambda i: np.ones((2, 3), np.float32))
        pipe.set_outputs(*(fn.cast(numbers, dtype=dtype) for dtype in to_torch_type))
    for output, dtype in zip(pipe.run(), to_torch_type.values(), strict=True):
        assert feed_ndarray(output, torch.zeros(2, 3, dtype=dtype)).tolist() == [[1, 1, 1]] * 2
    assert torch.bfloat16 in to_torch_type.values()


def run_function(batch_size=2, **options):
    from penstock.plugin.pytorch.fn import torch_python_function

    with Pipeline(batch_size=batch_size) as pipe:
        source = fn.external_source(lambda i: np.arange(2 * batch_size, dtype=np.float32).reshape(batch_size, 2) + i)
        made = torch_python_function(source, **options)
        pipe.set_outputs(*(made if isinstance(made, list) else [made]), source)
    return [output.as_array().tolist() for output in pipe.run()]


def test_functions_take_and_give_tensors(torch):
    def twice(x):
        assert isinstance(x, torch.Tensor)
        x *= 2
        return x.requires_grad_()

    assert run_function(function=twice) == [[[0, 2], [4, 6]], [[0, 1], [2, 3]]]


def test_functions_take_batches_and_give_several(torch):
    def function(samples):
        whole = torch.stack(samples)
        return list(whole - whole.mean()), [len(samples)] * len(samples)

    first, second, _ = run_function(function=function, batch_processing=True, num_outputs=2)
    assert first == [[-1.5, -0.5], [0.5, 1.5]]
    assert second == [2, 2]


def test_functions_are_classes_too(torch):
    from penstock.plugin.pytorch import TorchPythonFunction

    with Pipeline(batch_size=1) as pipe:
        pipe.set_outputs(TorchPythonFunction(lambda x: torch.flip(x, [0]))(np.arange(3)))
    assert pipe.run()[0].as_array().tolist() == [[2, 1, 0]]


@pytest.mark.skipif(_core.usable_cores() < 2, reason="needs two workers")
def test_no_pipeline_waits_with_its_next_batch_for_the_slowest(torch):
    del torch
    from penstock.plugin.pytorch import DALIGenericIterator

    calls, second_has_begun, seen = [], threading.Event(), []

    def quick():
        calls.append(0)
        if len(calls) == 2:
            second_has_begun.set()
        return np.zeros(1)

    def slow():
        seen.append(second_has_begun.wait(10))
        return np.zeros(1)

    pipes = [Pipeline(batch_size=1, prefetch_queue_depth=1) for _ in range(2)]
    for pipe, function in zip(pipes, (quick, slow), strict=True):
        with pipe:
            pipe.set_outputs(fn.python_function(function=function))
    with pytest.warns(DeprecationWarning, match="size manually"):
        next(DALIGenericIterator(pipes, ["x"], size=4))
    assert seen[0]
