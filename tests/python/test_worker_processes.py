"""Parallel sources that processes call: the same batches as from threads, no process left, errors with their lines."""

import contextlib
import os
import signal
import subprocess
import sys
import textwrap
import time
import types

import numpy as np
import pytest

import penstock._pickling
from penstock import Pipeline, fn
from penstock.pipeline.contract import run_of
from penstock.tensors import TensorCPU

LENGTH = 40
METHODS = ["fork", "spawn"]


class Shuffled:
    """As the class of DALI's tutorial: it shuffles when the epoch changes."""

    def __init__(self):
        self.epoch = None

    def __call__(self, info):
        if info.idx_in_epoch >= LENGTH:
            raise StopIteration
        if self.epoch != info.epoch_idx:
            self.epoch = info.epoch_idx
            self.order = np.random.default_rng(info.epoch_idx).permutation(LENGTH)
        return np.array([self.order[info.idx_in_epoch]])


def batches():
    for i in range(5):
        yield [np.full((3, i + 1), 10 * i + j, np.float32) for j in range(4)]


def pipe_of(source, method="fork", batch_size=4, workers=2, num_outputs=None, pickler=None, **options):
    pipe = Pipeline(batch_size=batch_size, py_num_workers=workers, py_start_method=method, py_callback_pickler=pickler)
    with pipe:
        made = fn.external_source(source, num_outputs, parallel=True, **{"batch": False, **options})
        pipe.set_outputs(*(made if num_outputs else [made]))
    return pipe


def epoch_of(pipe):
    seen = []
    try:
        while True:
            [batch] = pipe.run()
            seen.append([np.array(batch[i]) for i in range(len(batch))])
    except StopIteration:
        pipe.reset()
    return seen


def numbers(epoch):
    return [int(sample.ravel()[0]) for batch in epoch for sample in batch]


def children():
    """Processes of this one's that are there, dead ones that nobody waited for among them."""
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        with contextlib.suppress(OSError), open(f"/proc/{pid}/stat") as stat, open(f"/proc/{pid}/cmdline") as line:
            if stat.read().rpartition(")")[2].split()[1] == str(os.getpid()) and "resource_tracker" not in line.read():
                found.append(pid)
    return sorted(found)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("workers", [1, 3])
def test_epochs_come_in_order_and_each_begins_anew(method, workers):
    pipe = pipe_of(Shuffled(), method, workers=workers, prefetch_queue_depth=3)
    for epoch in range(3):
        assert numbers(epoch_of(pipe)) == np.random.default_rng(epoch).permutation(LENGTH).tolist()


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("cycle", ["raise", "quiet", None])
def test_iterables_are_asked_by_one_process_as_by_a_thread(method, cycle):
    def taken(pipe):
        got = []
        for _ in range(12):
            try:
                got.append(pipe.run()[0].as_array().tolist())
            except StopIteration:
                got.append("end")
                pipe.reset()
        return got

    expected = taken(pipe_of(batches, "thread", batch=True, cycle=cycle))
    assert taken(pipe_of(batches, method, batch=True, cycle=cycle)) == expected
    assert ("end" in expected) == (cycle != "quiet")


class BatchOf:
    def __call__(self, info):
        return np.full((4, 2), 100 * info.epoch_idx + info.iteration), np.arange(info.iteration, info.iteration + 4)


def test_batches_with_their_info_and_several_outputs():
    pipe = pipe_of(BatchOf(), "spawn", num_outputs=2, batch=True, batch_info=True)
    for i in range(3):
        first, second = pipe.run()
        assert first.as_array().tolist() == [[i, i]] * 4
        assert second.as_array().tolist() == list(range(i, i + 4))


def process_of(info):
    return np.array([os.getpid(), info.idx_in_epoch])


def test_all_processes_work_and_are_not_this_one():
    pipe = pipe_of(process_of, workers=3, batch_size=6)
    seen = {tuple(row)[0] for _ in range(10) for row in pipe.run()[0].as_array().tolist()}
    assert len(seen) == 3 and os.getpid() not in seen


class OfKind:
    def __init__(self, kind):
        self.kind = kind

    def __call__(self, info):
        array = np.arange(20000, dtype=np.float32).reshape(100, 200) + info.idx_in_epoch
        if self.kind == "transposed":
            return array.T
        if self.kind == "tensor":
            return TensorCPU(array, "HW")
        if self.kind == "torch":
            return __import__("torch").from_numpy(array)
        if self.kind == "small":
            return array[:2, :2]
        if self.kind == "number":
            return 7 + info.idx_in_epoch
        return array


@pytest.mark.parametrize("kind", ["array", "transposed", "tensor", "small", "number", "torch"])
def test_results_are_what_threads_give(kind):
    if kind == "torch":
        pytest.importorskip("torch")
    [expected], [got] = pipe_of(OfKind(kind), "thread").run(), pipe_of(OfKind(kind)).run()
    assert got.dtype == expected.dtype and got.layout() == expected.layout()
    for i in range(4):
        assert np.array_equal(np.array(got[i]), np.array(expected[i]))


def growing(info):
    return np.full((1000 * (1 + info.iteration), 500), info.idx_in_epoch, np.int32)


@pytest.mark.parametrize("method", METHODS)
def test_batches_that_are_held_keep_their_data_and_others_give_their_memory_back(method):
    pipe = pipe_of(growing, method)
    held = [pipe.run()[0] for _ in range(8)]
    for i, batch in enumerate(held):
        assert [int(np.array(batch[j]).max()) for j in range(4)] == [4 * i + j for j in range(4)]
        assert int(np.array(batch[0]).min()) == 4 * i
    del held, batch
    blocks = len(pipe.external_source_shm_statistics()["capacities"])
    for _ in range(6):
        pipe.run()
    assert len(pipe.external_source_shm_statistics()["capacities"]) == blocks


def test_shared_memory_begins_with_the_hint_and_grows():
    pipe = pipe_of(growing, bytes_per_sample_hint=1_500_000)
    found = pipe.external_source_shm_statistics()
    assert found == {"capacities": [3_000_000] * 4, "per_sample_capacities": [1_500_000] * 4}
    pipe.run()
    pipe.run()
    assert max(pipe.external_source_shm_statistics()["capacities"]) >= 2 * 4_000_000
    assert pipe_of(growing, "thread").external_source_shm_statistics()["capacities"] == []


class Unusual(Exception):
    def __init__(self, first, second):
        super().__init__(f"{first} and {second}")


def fails_with(error):
    def source(info):
        if info.idx_in_epoch == 9:
            raise error
        return np.array([info.idx_in_epoch])

    return source


@pytest.mark.parametrize("method", METHODS)
def test_what_a_source_raises_comes_in_its_place_with_the_lines_of_the_source(method):
    pipe = pipe_of(fails_with(KeyError("nine")), method)
    assert [pipe.run()[0].as_array()[0, 0] for _ in range(2)] == [0, 4]
    with pytest.raises(KeyError, match="nine") as caught:
        pipe.run()
    assert "raise error" in str(caught.value.__cause__) and __file__ in str(caught.value.__cause__)
    with pytest.raises(KeyError, match="nine"):  # it is asked for again
        pipe.run()


def test_an_error_that_cannot_be_pickled_comes_as_text():
    pipe = pipe_of(fails_with(Unusual(1, 2)))
    pipe.run(), pipe.run()
    with pytest.raises(RuntimeError, match="Unusual: 1 and 2"):
        pipe.run()


def ends_itself(info):
    os.kill(os.getpid(), signal.SIGKILL)


def test_a_process_that_is_gone_is_told():
    with pytest.raises(RuntimeError, match=r"worker process \d+ .* was ended by signal 9"):
        pipe_of(ends_itself, workers=1).run()


def sleeps(info):
    if info.idx_in_epoch >= 8:  # asked for ahead by threads
        time.sleep(1000)
    return np.array([info.idx_in_epoch])


@pytest.mark.parametrize("way", ["close", "forget"])
@pytest.mark.parametrize("source", [sleeps, process_of])
def test_no_process_is_left_whatever_it_does(way, source):
    pipe = pipe_of(source)
    pipe.run()
    started = {str(pid) for pid in run_of(pipe).processes.pids()}
    assert len(started) == 2 and started <= set(children())
    begun = time.monotonic()
    if way == "close":
        pipe.close()
    del pipe
    assert not started & set(children())
    assert time.monotonic() - begun < 5


def test_ended_processes_are_told():
    pipe = pipe_of(process_of)
    pipe.start_py_workers()
    run_of(pipe).processes.close()
    with pytest.raises(RuntimeError, match="worker processes of this pipeline were ended"):
        pipe.run()


def test_a_state_goes_on_in_the_middle_of_an_epoch():
    pipe = pipe_of(Shuffled(), "spawn")
    epoch_of(pipe)
    pipe.run(), pipe.run()
    state = pipe.state_dict()
    expected = numbers(epoch_of(pipe))
    other = pipe_of(Shuffled())
    other.load_state_dict(state)
    assert numbers(epoch_of(other)) == expected == np.random.default_rng(1).permutation(LENGTH)[8:].tolist()


def by_name(info):
    return np.array([info.idx_in_epoch])


@penstock._pickling.pickle_by_value
def by_value(info):
    return np.array([LENGTH + info.idx_in_epoch + helper(1)])


def helper(n):
    return n


def test_sources_that_no_import_finds_are_spawned_by_value():
    def even(n):
        return n == 0 or odd(n - 1)

    def odd(n):
        return n != 0 and even(n - 1)

    found = by_value.__name__, by_value.__qualname__
    by_value.__name__ = by_value.__qualname__ = "not to be found"
    try:
        assert pipe_of(by_value, "spawn").run()[0].as_array()[0, 0] == LENGTH + 1
        pipe = pipe_of(lambda info: np.array([even(info.idx_in_epoch), by_name(info)[0]]), "spawn")
        assert pipe.run()[0].as_array().tolist() == [[1, 0], [0, 1], [1, 2], [0, 3]]
    finally:
        by_value.__name__, by_value.__qualname__ = found
    with pytest.raises(TypeError, match="functions"):
        penstock._pickling.pickle_by_value(Shuffled())


class Pickler:
    """Gives another source than the one that was given."""

    def dumps(self, value, number=0):
        return b"%d" % number

    def loads(self, data, add=0):
        number = int(data) + add
        return lambda info: np.array([number])


@pytest.mark.parametrize(
    ("pickler", "expected"),
    [(Pickler(), 0), ((Pickler(), {"number": 3}), 3), ((Pickler(), {"number": 3}, {"add": 4}), 7)],
)
def test_the_users_pickler_writes_and_reads_sources(pickler, expected):
    assert pipe_of(by_name, "spawn", pickler=pickler).run()[0].as_array()[0, 0] == expected


def test_arguments_that_do_not_fit():
    with pytest.raises(ValueError, match="py_start_method is one of"):
        Pipeline(py_start_method="forkserver")
    for method in ("fork", "thread", None):
        with pytest.raises(ValueError, match="py_callback_pickler cannot be used"):
            Pipeline(py_start_method=method, py_callback_pickler=Pickler())
    with pytest.raises(ValueError, match="Unsupported py_callback_pickler"):
        pipe_of(by_name, "spawn", pickler=types.SimpleNamespace(dumps=1)).build()
    with pytest.raises(RuntimeError, match="py_num_workers is 0"):
        pipe_of(by_name, workers=0).build()
    with pytest.raises(Exception, match=r"pickle|lock"):
        pipe_of(functools_partial_of_a_lock(), "spawn").build()


def functools_partial_of_a_lock():
    import functools
    import threading

    return functools.partial(lambda lock, info: lock, threading.Lock())


SCRIPT = """
    import signal, sys, time
    import numpy as np
    from penstock import Pipeline, fn

    signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background job starts with SIGINT ignored

    def source(info):
        if info.iteration == 2 and {stuck}:
            time.sleep(1000)
        return np.array([info.idx_in_epoch])

    if __name__ == "__main__":
        pipe = Pipeline(batch_size=4, py_num_workers=3, py_start_method={method!r})
        with pipe:
            pipe.set_outputs(fn.external_source(source, batch=False, parallel=True))
        print("ready", pipe.run()[0].as_array()[0], flush=True)
        {ending}
"""


def script(tmp_path, **parts):
    path = tmp_path / "script.py"
    path.write_text(textwrap.dedent(SCRIPT).format(**parts))
    return subprocess.Popen(
        [sys.executable, path], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
    )


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("stuck", [False, True])
def test_the_program_ends_in_silence(tmp_path, method, stuck):
    with script(tmp_path, method=method, stuck=stuck, ending="") as process:
        out, err = process.communicate(timeout=60)
    assert (process.returncode, out, err) == (0, "ready [0]\n", "")


@pytest.mark.parametrize("method", METHODS)
def test_ctrl_c_ends_a_wait_for_a_process_with_one_traceback(tmp_path, method):
    with script(tmp_path, method=method, stuck=True, ending="[pipe.run() for _ in range(9)]") as process:
        assert process.stdout.readline() == "ready [0]\n"
        time.sleep(0.5)
        os.killpg(process.pid, signal.SIGINT)  # as a terminal does: to all processes
        _, err = process.communicate(timeout=60)
    assert process.returncode in (130, -signal.SIGINT)
    assert err.count("Traceback") == 1 and err.strip().endswith("KeyboardInterrupt") and "worker process" not in err


@pytest.mark.parametrize("method", METHODS)
def test_ctrl_c_is_for_the_parent_alone(method):
    pipe = pipe_of(by_name, method)
    pipe.run()
    for pid in run_of(pipe).processes.pids():
        os.kill(pid, signal.SIGINT)
    assert [pipe.run()[0].as_array()[0, 0] for _ in range(5)] == [4, 8, 12, 16, 20]


def test_processes_end_where_the_parent_was_killed(tmp_path):
    ending = "import penstock.pipeline.contract as c; print(*c.run_of(pipe).processes.pids(), flush=True)"
    ending += "; time.sleep(1000)"
    with script(tmp_path, method="fork", stuck=False, ending=ending) as process:
        process.stdout.readline()
        pids = process.stdout.readline().split()
        assert len(pids) == 3
        process.kill()
        process.wait()
    end = time.monotonic() + 10
    while any(os.path.exists(f"/proc/{pid}") and running(pid) for pid in pids):
        assert time.monotonic() < end
        time.sleep(0.05)


def running(pid):
    try:
        return open(f"/proc/{pid}/stat").read().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def works_in_python(info):
    return np.array([sum(i for i in range(20000)), info.idx_in_epoch])


def test_explain_says_who_calls_a_source_and_whether_threads_wait():
    pipe = pipe_of(works_in_python, "thread", batch_size=16)
    assert "source __external_source_0: thread x 2, calls: 0\n" in pipe.explain()
    for _ in range(5):
        pipe.run()
    share = int(pipe.explain().partition("calls: ")[2].partition("%")[0].split()[-1])
    assert share < 90 and "Python's lock" in pipe.explain()
    assert "process (fork) x 2" in pipe_of(works_in_python).explain()
    plain = Pipeline(batch_size=2)
    with plain:
        plain.set_outputs(fn.external_source(lambda i: np.zeros(2)))
    assert "source" not in plain.explain().replace("external_source", "")
