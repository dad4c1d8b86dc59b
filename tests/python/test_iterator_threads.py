"""Threads that share an iterator: each batch is given to one of them, and epochs are as long as ever."""

import collections
import importlib
import sys
import threading

import numpy as np
import pytest

from penstock import fn, pipeline_def

THREADS, EPOCHS, SAMPLES, BATCH = 4, 15, 23, 2
ITERATORS = {
    "torch": ("torch", "penstock.plugin.pytorch", "DALIGenericIterator"),
    "jax": ("jax", "penstock.plugin.jax", "DALIGenericIterator"),
    "clu": ("jax", "penstock.plugin.jax.clu", "DALIGenericPeekableIterator"),
}


@pytest.fixture(autouse=True)
def threads_change_often():
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


@pytest.fixture(params=ITERATORS)
def iterator(request):
    framework, module, name = ITERATORS[request.param]
    pytest.importorskip(framework)
    return getattr(importlib.import_module(module), name)


@pytest.fixture
def folder(tmp_path):
    for number in range(SAMPLES):
        np.save(tmp_path / f"{number:02}.npy", np.int32([number]))
    return str(tmp_path)


def from_files(folder):
    @pipeline_def(batch_size=BATCH, num_threads=2, device_id=None)
    def pipe():
        return fn.readers.numpy(file_root=folder, name="files", random_shuffle=False, pad_last_batch=True)

    return pipe()


def from_a_source():
    @pipeline_def(batch_size=BATCH, num_threads=2, device_id=None)
    def pipe():
        batches = [np.int32([[2 * i], [min(2 * i + 1, SAMPLES - 1)]]) for i in range((SAMPLES + 1) // 2)]
        return fn.external_source(batches, cycle="raise")

    return pipe()


def shared_out(batches):
    """What threads took of an epoch, or of several where the end of one begins the next: samples, and how often."""
    taken, errors = [], []

    def work():
        try:
            while True:
                batch = next(batches)
                batch = batch[0] if isinstance(batch, list) else batch
                taken.extend(np.asarray(batch["x"]).ravel().tolist())
        except StopIteration:
            pass
        except BaseException as error:  # noqa: BLE001 - the test's thread looks at it
            errors.append(error)

    threads = [threading.Thread(target=work, daemon=True) for _ in range(THREADS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert not any(thread.is_alive() for thread in threads), "a thread waits for a batch that another has taken"
    assert not errors, errors
    return collections.Counter(taken)


EPOCH = collections.Counter([*range(SAMPLES), SAMPLES - 1])  # the last one fills the last batch


def test_each_batch_of_a_reader_goes_to_one_thread(iterator, folder):
    batches = iterator(from_files(folder), ["x"], reader_name="files")
    for _ in range(EPOCHS):
        assert shared_out(batches) == EPOCH
        batches.reset()


def test_each_batch_of_a_source_goes_to_one_thread(iterator):
    batches = iterator(from_a_source(), ["x"])
    for _ in range(EPOCHS):
        assert shared_out(batches) == EPOCH
        batches.reset()


def test_where_an_end_begins_the_next_epoch_each_thread_meets_one_end(iterator, folder):
    batches = iterator(from_files(folder), ["x"], reader_name="files", auto_reset=True)
    for _ in range(EPOCHS // THREADS):
        assert shared_out(batches) == collections.Counter({k: n * THREADS for k, n in EPOCH.items()})


def test_states_are_saved_between_batches_of_other_threads(iterator, folder):
    batches = iterator(from_files(folder), ["x"], reader_name="files")
    states = []

    def save():
        while not over.is_set():
            states.append(batches.state_dict())

    over = threading.Event()
    saver = threading.Thread(target=save, daemon=True)
    saver.start()
    for _ in range(3):
        assert shared_out(batches) == EPOCH
        batches.reset()
    over.set()
    saver.join(60)
    again = iterator(from_files(folder), ["x"], reader_name="files")
    for state in states[:: max(1, len(states) // 5)]:
        again.load_state_dict(state)
        left = shared_out(again)  # nothing, where the epoch was over
        assert left == collections.Counter({k: n for k, n in EPOCH.items() if left and k >= min(left)}), state
