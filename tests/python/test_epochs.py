"""Where epochs of framework iterators end: the worked examples of DALI's accounting."""

import importlib
import logging

import oracle
import pytest

import penstock
from penstock import Pipeline, fn, pipeline_def
from penstock.plugin.base_iterator import LastBatchPolicy


def make_iterator(root, batch_size, shards, policy, module=None, auto_reset=False, **reader):
    module = module or penstock
    pipes = []
    for shard in range(shards):
        pipe = module.Pipeline(batch_size=batch_size, num_threads=1, device_id=None)
        with pipe:
            data, _ = module.fn.readers.file(file_root=root, name="Reader", num_shards=shards, shard_id=shard, **reader)
            pipe.set_outputs(data)
        pipes.append(pipe)
    from_ours = module is penstock
    if from_ours:
        from penstock.plugin import pytorch
    else:
        from nvidia.dali.plugin import pytorch
    return pytorch.DALIGenericIterator(
        pipes, ["x"], reader_name="Reader", auto_reset=auto_reset, last_batch_policy=pytorch.LastBatchPolicy[policy]
    )


def steps(epoch):
    return [[[int(v) for v in part["x"].flatten()] for part in step] for step in epoch]


def run_epochs(iterator, count):
    epochs = []
    for _ in range(count):
        epochs.append(steps(iterator))
        iterator.reset()
    return epochs


ONE_SHARD = {  # N = 7, B = 2
    ("FILL", True): "01 23 45 66|01 23 45 66",
    ("FILL", False): "01 23 45 60|12 34 56|01 23 45 60",
    ("DROP", True): "01 23 45|01 23 45",
    ("DROP", False): "01 23 45|12 34 56|23 45 60",
    ("PARTIAL", True): "01 23 45 6|01 23 45 6",
    ("PARTIAL", False): "01 23 45 6|12 34 56 0|23 45 60 1",
}
THREE_SHARDS = {  # N = 10, B = 2; steps of one batch per pipeline
    ("FILL", True): "01,34,67 22,55,89|34,67,01 55,89,22|67,01,34 89,22,55",
    ("FILL", False): "01,34,67 23,56,89|45,78,01 67,90,23|89,12,45",
    ("DROP", True): "01,34,67|34,67,01|67,01,34",
    ("DROP", False): "01,34,67|45,78,01|89,12,45",
    ("PARTIAL", True): "01,34,67 2,5,89|34,67,01 5,89,2|67,01,34 89,2,5",
    ("PARTIAL", False): "01,34,67 2,5,89|45,78,01 6,90,2|89,12,45 01,3,6",
}
CASES = [(7, 1, *key, text) for key, text in ONE_SHARD.items()] + [
    (10, 3, *key, text) for key, text in THREE_SHARDS.items()
]


@pytest.mark.parametrize("samples,shards,policy,pads,text", CASES)
@pytest.mark.parametrize("library", ["penstock", "nvidia.dali"])
def test_epochs_hold_the_samples_that_dali_gives(numbered, torch, library, samples, shards, policy, pads, text):
    del torch
    module = penstock if library == "penstock" else oracle.dali()
    iterator = make_iterator(numbered(samples), 2, shards, policy, module, pad_last_batch=pads)
    expected = [
        [[[int(c) for c in batch] for batch in step.split(",")] for step in epoch.split()] for epoch in text.split("|")
    ]
    assert run_epochs(iterator, len(expected)) == expected


@pytest.mark.parametrize("policy", ["FILL", "DROP", "PARTIAL"])
@pytest.mark.parametrize("pads,sticks", [(False, False), (False, True), (True, True)])
@pytest.mark.parametrize("samples,shards,batch", [(11, 2, 3), (9, 4, 2), (5, 2, 2), (47, 2, 3)])
def test_lengths_and_epochs_agree_with_dali(numbered, torch, samples, shards, batch, policy, pads, sticks):
    del torch
    root = numbered(samples)
    options = {"pad_last_batch": pads, "stick_to_shard": sticks}
    ours = make_iterator(root, batch, shards, policy, **options)
    theirs = make_iterator(root, batch, shards, policy, oracle.dali(), **options)
    for _ in range(4):
        assert (len(ours), ours.size) == (len(theirs), theirs._size)
        assert run_epochs(ours, 1) == run_epochs(theirs, 1)


@pytest.mark.parametrize(
    "end,text",
    [
        ("pad", "01,34 2,56"),
        ("drop", "01,34"),
        ("partial", "01,34 2,56"),
        ("wrap", "01,34 20,56"),
    ],
)
def test_epoch_end_of_the_reader_decides_when_it_is_given(numbered, torch, end, text):
    del torch
    iterator = make_iterator(numbered(7), 2, 2, "FILL", epoch_end=end, stick_to_shard=True)
    expected = [[[int(c) for c in batch] for batch in step.split(",")] for step in text.split()]
    assert len(iterator) == len(expected)
    for epoch in iterator, iterator:
        got = []
        for step in epoch:
            rows = [part["x"].flatten().tolist() for part in step]
            if end == "pad":
                rows = [
                    [v for v, ok in zip(row, part["valid"], strict=True) if ok]
                    for row, part in zip(rows, step, strict=True)
                ]
            got.append(rows)
        assert got == expected


def test_reader_name_says_whose_epochs_count(numbered, torch):
    del torch
    from penstock.plugin.pytorch import DALIGenericIterator

    roots = {"Short": numbered(4), "Long": numbered(6)}

    def epoch(name):
        with Pipeline(batch_size=2) as pipe:
            pipe.set_outputs(*(fn.readers.file(file_root=root, name=one)[0] for one, root in roots.items()))
        return [int(step[0]["b"][1]) for step in DALIGenericIterator(pipe, ["a", "b"], reader_name=name)]

    assert (epoch("Short"), epoch("Long")) == ([1, 3], [1, 3, 5])


@pytest.mark.parametrize("pads", [True, False])
def test_a_loop_that_was_left_is_followed_by_a_fresh_epoch(numbered, torch, pads):
    del torch
    root = numbered(7)
    whole = make_iterator(root, 2, 1, "PARTIAL", pad_last_batch=pads)
    expected = run_epochs(whole, 3)
    iterator = make_iterator(root, 2, 1, "PARTIAL", pad_last_batch=pads)
    for _ in iterator:
        break
    assert steps(iterator) == expected[1]
    assert steps(iterator) == expected[2]


def test_batches_of_a_loop_stay_valid(numbered, torch):
    del torch
    kept = list(make_iterator(numbered(12), 2, 1, "FILL"))
    assert [int(v) for step in kept for v in step[0]["x"].flatten()] == list(range(12))


def test_reset_in_the_middle_warns_and_does_nothing(numbered, torch, caplog):
    del torch
    iterator = make_iterator(numbered(6), 2, 1, "FILL")
    next(iterator)
    with caplog.at_level(logging.WARNING):
        iterator.reset()
    assert "epoch is not finished" in caplog.text
    assert next(iterator)[0]["x"].flatten().tolist() == [2, 3]


def test_auto_reset_lets_next_go_on_after_the_end(numbered, torch):
    del torch
    iterator = make_iterator(numbered(4), 2, 1, "FILL", auto_reset=True)
    assert len(list(iterator)) == 2
    assert next(iterator)[0]["x"].flatten().tolist() == [0, 1]


def counting_pipe(batches):
    def source(i):
        if i >= batches:
            raise StopIteration
        return [[i]] * 2

    with Pipeline(batch_size=2) as pipe:
        pipe.set_outputs(fn.external_source(source, name="x"))
    return pipe


def test_without_a_reader_epochs_end_with_the_source(torch):
    del torch
    from penstock.plugin.pytorch import DALIGenericIterator

    iterator = DALIGenericIterator(counting_pipe(3), ["x"], auto_reset=True)
    for _ in range(3):
        assert [int(step[0]["x"][0]) for step in iterator] == [0, 1, 2]
    for step in iterator:
        assert int(step[0]["x"][0]) == 0
        break
    assert [int(step[0]["x"][0]) for step in iterator] == [0, 1, 2]


def test_size_cuts_the_last_pipelines_off(torch):
    del torch
    from penstock.plugin.pytorch import DALIGenericIterator

    with pytest.warns(DeprecationWarning, match="reader_name"):
        iterator = DALIGenericIterator(
            [counting_pipe(9) for _ in range(3)], ["x"], size=9, last_batch_policy=LastBatchPolicy.PARTIAL
        )
    assert [[len(part["x"]) for part in step] for step in iterator] == [[2, 2, 2], [2, 1]]


def test_mistakes_are_named(numbered, torch):
    del torch
    from penstock.plugin.pytorch import DALIGenericIterator

    def make(**options):
        return DALIGenericIterator([counting_pipe(1), counting_pipe(1)], ["x"], **options)

    with pytest.raises(AssertionError, match="Size cannot be 0"):
        make(size=0)
    for size in (4.5, "4", [4], None):
        with pytest.raises(TypeError, match="`size` is a whole number of samples, got"):
            make(size=size)
    with pytest.raises(AssertionError, match="Negative size is supported only for a single pipeline"):
        make()
    with pytest.raises(ValueError, match="Wrong type for `last_batch_policy`"):
        make(size=4, last_batch_policy="FILL")
    with pytest.raises(ValueError, match="auto_reset"):
        make(size=4, auto_reset="perhaps")
    with pytest.raises(AssertionError, match="distinct"):
        DALIGenericIterator(counting_pipe(1), ["x", "x"])
    with pytest.raises(RuntimeError, match="seems that there is no data in the pipeline"):
        DALIGenericIterator(counting_pipe(0), ["x"])
    with pytest.raises(
        RuntimeError, match=r"Mixing pipeline API type.*PipelineAPIType.ITERATOR.*PipelineAPIType.BASIC"
    ):
        pipe = counting_pipe(2)
        DALIGenericIterator(pipe, ["x"])
        pipe.run()


def test_checkpoints_continue_in_the_middle_of_an_epoch(numbered, torch):
    del torch
    from penstock.plugin.pytorch import DALIGenericIterator

    root = numbered(11)

    def make(checkpoint=None):
        with Pipeline(batch_size=2, enable_checkpointing=True, checkpoint=checkpoint, seed=1) as pipe:
            pipe.set_outputs(fn.readers.file(file_root=root, random_shuffle=True, name="Reader")[0])
        return DALIGenericIterator(pipe, ["x"], reader_name="Reader")

    iterator = make()
    [initial] = iterator.checkpoints()
    first = [next(iterator), next(iterator)]
    [saved] = iterator.checkpoints()
    rest = [*steps(_Rest(iterator)), "end", *steps(iterator)]
    resumed = make(saved)
    assert [*steps(resumed), "end", *steps(resumed)] == rest
    assert steps([next(make(initial))]) == steps(first[:1])


class _Rest:
    """Iterates without `iter`, which would begin a fresh epoch."""

    def __init__(self, iterator):
        self._iterator = iterator

    def __iter__(self):
        while True:
            try:
                yield next(self._iterator)
            except StopIteration:
                return


@pytest.mark.parametrize("plugin", ["pytorch", "jax"])
def test_what_is_no_pipeline_is_refused_by_name(plugin):
    pytest.importorskip(plugin.removeprefix("py"))
    make = importlib.import_module(f"penstock.plugin.{plugin}").DALIGenericIterator

    @pipeline_def(batch_size=1)
    def forgotten():
        return fn.random.uniform()

    for wrong in (None, 3, [[forgotten()]], (forgotten() for _ in range(2)), [forgotten(), None]):
        with pytest.raises(TypeError, match="a pipeline is expected here, got"):
            make(wrong, ["x"])
    with pytest.raises(TypeError, match=r"a pipeline is expected here, got function.*; call it: forgotten\(\.\.\.\)"):
        make(forgotten, ["x"])
