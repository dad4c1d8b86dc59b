"""Pipelines written down, and runs gone on with: serialize, checkpoint, state_dict."""

import numpy as np
import pytest

from penstock import Pipeline, fn


def test_equal_graphs_serialize_equally_and_come_back(numbered):
    root = numbered(6)

    def make(**options):
        with Pipeline(batch_size=3, seed=5, **options) as pipe:
            pipe.set_outputs(fn.readers.file(file_root=root, random_shuffle=True)[0])
        return pipe

    data = make().serialize()
    assert data == make().serialize()
    again = Pipeline.deserialize(data)
    assert again.run()[0].as_array().tolist() == make().run()[0].as_array().tolist()
    assert Pipeline.deserialize(data, batch_size=2).max_batch_size == 2
    with pytest.raises(ValueError, match="either"):
        Pipeline.deserialize()
    with pytest.raises(TypeError, match="filename="):
        make().serialize("graph.bin")


def test_deserialised_external_sources_are_fed_by_name():
    with Pipeline(batch_size=2) as pipe:
        pipe.set_outputs(fn.external_source(name="x"))
    again = Pipeline.deserialize(pipe.serialize())
    again.feed_input("x", np.ones((2, 1)))
    assert again.run()[0].as_array().sum() == 2


def test_a_run_is_resumed_bit_for_bit(numbered):
    root = numbered(11)

    def make(**options):
        with Pipeline(batch_size=3, seed=5, enable_checkpointing=True, **options) as pipe:
            pipe.set_outputs(fn.readers.file(file_root=root, random_shuffle=True)[0])
        return pipe

    first = make()
    for _ in range(5):
        first.run()
    saved = first.checkpoint()
    expected = [first.run()[0].as_array().tolist() for _ in range(5)]
    second = make(checkpoint=saved)
    assert [second.run()[0].as_array().tolist() for _ in range(5)] == expected
    assert second.is_restored_from_checkpoint
    assert len(saved) < 1000


@pytest.mark.parametrize(
    ("batch", "source"), [(True, lambda i: np.full((2, 1), i)), (False, lambda info: np.array([info.idx_in_epoch]))]
)
def test_a_function_that_feeds_a_pipeline_goes_on_behind_the_batches_taken(batch, source):
    def make():
        with Pipeline(batch_size=2, prefetch_queue_depth=3) as pipe:
            pipe.set_outputs(fn.external_source(source, batch=batch))
        return pipe

    first, second = make(), make()
    for _ in range(4):
        first.run()
    second.load_state_dict(first.state_dict())
    for _ in range(3):
        assert second.run()[0].as_array().tolist() == first.run()[0].as_array().tolist()


def test_a_state_of_another_pipeline_is_refused(numbered):
    def make(**reader):
        with Pipeline(batch_size=3, seed=5) as pipe:
            pipe.set_outputs(fn.readers.file(file_root=numbered(6), **reader)[0])
        return pipe

    saved = make().state_dict()
    with pytest.raises(ValueError, match="file"):
        make(random_shuffle=True).load_state_dict(saved)
