"""Processes that run functions together: errors, lateness and death of one come out in all, within time limits."""

import time

import pytest
from jax_processes import GRAPH, ITERATOR, SWAPPED, TWO_STEPS


def test_an_error_in_one_process_comes_out_in_all_and_they_go_on_together(in_processes, numbered):
    results = in_processes(
        GRAPH
        + SWAPPED
        + """
calls = []
def fails_at_its_third(x):
    calls.append(0)
    if process == 0 and len(calls) == 3:
        raise ZeroDivisionError("the user's own")
    return x

def refuse(number):
    def function(x):
        if process == 1 and x[0] == number:
            raise ValueError(f"no {number}")
        return x
    return function

def with_functions(num_shards, shard_id):
    x, y = graph(num_shards, shard_id)
    x = jax_function(swapped, sharding=sharding)(fn.python_function(x, function=refuse(13)))
    x = jax_function(fails_at_its_third, sharding=sharding)(x)
    return fn.python_function(x, function=refuse(9)), y

it = data_iterator(with_functions, sharding=sharding, **names)(batch_size=4)
for _ in range(5):
    tell(attempt(lambda: local(next(it)["x"])))
""",
        numbered(20),
        limit=60,
    )
    # Process 0 reads 0 to 9 and process 1 reads 10 to 19, two at a time; then they swap.
    assert [told[0] for told in results] == [{"0": [10, 11]}, {"2": [0, 1]}]
    before, meanwhile, behind = ([told[i] for told in results] for i in (1, 3, 4))
    assert "RuntimeError: process 1 could not make its part of the batch" in before[0]
    assert "no 13" in before[0]
    assert "no 13" in before[1]
    assert [told[2] for told in results] == [{"0": [14, 15]}, {"2": [4, 5]}]
    assert meanwhile[0].startswith("ZeroDivisionError: the user's own")
    assert "process 0 could not make its part" in meanwhile[1]
    assert "ZeroDivisionError: the user's own" in meanwhile[1]
    assert "process 1 could not make its part" in behind[0]
    assert "no 9" in behind[0]
    assert "no 9" in behind[1]


def test_leaving_a_function_between_two_collectives_is_an_error_in_all_processes(run_in_processes, numbered):
    first, second = run_in_processes(
        ITERATOR
        + """
calls = []
def function(x):
    y = swapped(x)
    calls.append(0)
    if process == 0 and len(calls) == 2:
        raise ZeroDivisionError("the user's own")
    return swapped(y)
"""
        + TWO_STEPS,
        numbered(16),
        limit=60,
    )
    assert first.told == [{"0": [0, 1]}, "ZeroDivisionError: the user's own"]
    # The first one's end may break the connection before the second has come to its own.
    assert second.told[0] == {"2": [8, 9]}
    assert second.status != 0 or "Error" in second.told[1]
    assert "penstock: process 1 waits in the function function on NamedSharding" in second.out
    assert "process 0 left it: ZeroDivisionError: the user's own" in second.out


def test_a_collective_that_one_process_alone_launches_ends_in_an_error_in_all_of_them(run_in_processes, numbered):
    first, second = run_in_processes(
        ITERATOR
        + """
calls = []
def function(x):
    calls.append(0)
    return swapped(x) if process == 0 or len(calls) == 1 else x
"""
        + TWO_STEPS,
        numbered(16),
        limit=60,
        PENSTOCK_STEP_SECONDS="4",
        STAY="8",  # the second one's end would end the collective of the first
    )
    assert first.told == [{"0": [8, 9]}]
    assert first.status == 1
    assert "penstock: process 0 waits in the function function on NamedSharding" in first.out
    assert second.told[0] == {"2": [0, 1]}
    # Who comes first to the end of its time tells the other.
    late, left = "processes [0] did not come to the end of a batch within 4 s", "process 0 could not make its part"
    assert late in second.told[1] or left in second.told[1], second.told


def test_a_process_that_takes_no_more_batches_is_named_within_a_time_limit(in_processes, numbered):
    results = in_processes(
        ITERATOR
        + """
it = iterator_of(swapped)
next(it)
begun = time.monotonic()
time.sleep(4 * process)
tell(attempt(lambda: next(it)))
tell(time.monotonic() - begun)
time.sleep(max(0, begun + 5 - time.monotonic()))
tell(local(next(it)["x"]))
""",
        numbered(16),
        limit=60,
        PENSTOCK_STEP_SECONDS="2",
    )
    (missing, seconds, rows), (late, _, others) = results
    assert missing.startswith("RuntimeError: processes [1] did not come to the function")
    assert "PENSTOCK_STEP_SECONDS" in missing
    assert 2 <= seconds < 4
    assert late.startswith("RuntimeError: process 1 came too late to the function")
    assert (rows, others) == ({"0": [12, 13]}, {"2": [4, 5]})  # the third batches: they go on together


DEATH = """
def function(x):
    if process == int(os.environ["DEAD"]) and it is not None and os.environ["WHERE"] == "in the function":
        os._exit(3)
    return swapped(x)

it = None
it = iterator_of(function)
tell(local(next(it)["x"]))
if process == int(os.environ["DEAD"]):
    time.sleep(1)  # while the others wait
    if os.environ["WHERE"] == "between two batches":
        os._exit(3)
begun = time.monotonic()
try:
    next(it)
except Exception as error:
    tell("".join(traceback.format_exception(error)))
tell(time.monotonic() - begun)
os._exit(4)
"""


@pytest.mark.parametrize("where", ["between two batches", "in the function"])
@pytest.mark.parametrize("processes", [2, 4])
def test_a_process_that_dies_is_named_in_all_others_at_once(run_in_processes, numbered, processes, where):
    dead = processes - 1
    ended = run_in_processes(
        ITERATOR + "import traceback" + DEATH,
        numbered(8 * processes),
        processes,
        limit=90,
        HEARTBEAT="100",
        DEAD=str(dead),
        WHERE=where,
    )
    assert ended[dead].status == 3
    for other in ended[:dead]:
        assert other.status == 4, other.out
        _, error, seconds = other.told
        assert f"process {dead} died" in error
        assert seconds < 15


@pytest.mark.parametrize("processes", [2, 4])
def test_the_others_end_when_the_process_dies_that_all_meet_in(run_in_processes, numbered, processes):
    begun = time.monotonic()
    settings = {"HEARTBEAT": "100", "DEAD": "0", "WHERE": "between two batches"}
    ended = run_in_processes(
        ITERATOR + "import traceback" + DEATH, numbered(8 * processes), processes, limit=90, **settings
    )
    assert time.monotonic() - begun < 60
    for other in ended[1:]:  # JAX's service dies with it, and ends processes as soon as it can: who is first?
        assert other.status != 0
        assert other.status != 4 or "process 0 has ended or died" in other.out


INTERRUPTED = """
import pathlib, signal, threading
signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background job starts with SIGINT ignored
was_interrupted = pathlib.Path(__file__).with_name("was_interrupted")

def interrupted(call):
    begun = time.monotonic()
    threading.Timer(1, os.kill, (os.getpid(), signal.SIGINT)).start()
    try:
        call()
    except KeyboardInterrupt:
        tell(time.monotonic() - begun)
        was_interrupted.touch()
"""


def test_a_wait_for_others_ends_by_ctrl_c_at_once_and_they_go_on_together(in_processes, numbered):
    results = in_processes(
        ITERATOR
        + INTERRUPTED
        + """
it = iterator_of(swapped)
next(it)
if process == 0:
    interrupted(lambda: next(it))
else:
    while not was_interrupted.exists():
        time.sleep(0.01)
    tell(attempt(lambda: next(it)))
tell(local(next(it)["x"]))
tell(it.state_dict()["pipelines"][0]["taken"])
if process == 0:
    interrupted(lambda: iterator_of(swapped))  # which the second does not make
""",
        numbered(16),
        limit=60,
    )
    (taking, rows, taken, making), (told, others, theirs) = results
    assert 1 <= taking < 5  # 1.001 s on a quiet machine
    assert 1 <= making < 5
    assert told.startswith("RuntimeError: process 0 could not make its part of the batch")
    assert "KeyboardInterrupt" in told
    assert (rows, others) == ({"0": [12, 13]}, {"2": [4, 5]})
    assert taken == theirs == 3


def test_ctrl_c_while_a_batch_is_made_loses_it_in_no_process(in_processes, numbered):
    results = in_processes(
        GRAPH
        + SWAPPED
        + "import time"
        + INTERRUPTED
        + """
def slow(x):
    if process == 0 and x[0] == 10:
        time.sleep(8)
    return x

def with_functions(num_shards, shard_id):
    x, y = graph(num_shards, shard_id)
    return fn.python_function(jax_function(swapped, sharding=sharding)(x), function=slow), y

it = data_iterator(with_functions, sharding=sharding, **names)(batch_size=4)
tell(local(next(it)["x"]))
if process == 0:
    interrupted(lambda: next(it))
tell(local(next(it)["x"]))
tell(local(next(it)["x"]))
tell(it.state_dict()["pipelines"][0]["taken"])
""",
        numbered(16),
        limit=60,
    )
    (first, seconds, *behind), others = results
    assert 1 <= seconds < 8  # before the sleep ends
    assert [first, *behind] == [{"0": [8, 9]}, {"0": [10, 11]}, {"0": [12, 13]}, 3]
    assert others == [{"2": [0, 1]}, {"2": [2, 3]}, {"2": [4, 5]}, 3]
