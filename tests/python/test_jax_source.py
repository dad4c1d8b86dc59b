"""Batches that compiled programs pull by themselves."""

import threading

import numpy as np
import pytest

from penstock import Pipeline, _core, fn


@pytest.fixture
def jax(jax):
    if not hasattr(_core, "XLA_FFI_VERSION"):
        pytest.skip("Penstock was built without jaxlib")
    return jax


def source_of(root, batch_size=4, **options):
    from penstock.plugin.jax import source

    with Pipeline(batch_size=batch_size, **options) as pipe:
        data, labels = fn.readers.file(file_root=root, name="Reader", random_shuffle=True, epoch_end="drop")
        pipe.set_outputs(fn.reshape(data, shape=[1]), labels)
    return source(pipe, ["x", "y"])


def pulled(jax, source, steps):
    """The samples that one program of `steps` steps pulls, and the ticket after them."""

    def step(ticket, _):
        batch, ticket = source.next(ticket)
        return ticket, batch["x"]

    @jax.jit
    def program(ticket):
        return jax.lax.scan(step, ticket, length=steps)

    ticket, rows = program(source.ticket())
    return np.asarray(rows)[..., 0].tolist(), int(ticket)


def in_plain_order(root, steps):
    with Pipeline(batch_size=4) as pipe:
        pipe.set_outputs(fn.readers.file(file_root=root, name="Reader", random_shuffle=True, epoch_end="drop")[0])
    return [[int(sample[0]) for sample in pipe.run()[0].as_array()] for _ in range(steps)]


def test_a_scan_pulls_batches_in_order_over_epochs(jax, numbered):
    root = numbered(24)
    source = source_of(root)
    first, ticket = pulled(jax, source, 10)
    second, _ = pulled(jax, source, 3)
    assert ticket == 10
    assert first + second == in_plain_order(root, 13)


def test_state_is_that_after_finished_programs(jax, numbered):
    root = numbered(24)
    source = source_of(root)
    assert source.state_dict() == source_of(root).state_dict()
    pulled(jax, source, 5)
    state = source.state_dict()
    rest, _ = pulled(jax, source, 4)
    other = source_of(root)
    other.load_state_dict(state)
    assert pulled(jax, other, 4)[0] == rest


def test_a_ticket_fits_once(jax, numbered):
    source = source_of(numbered(24))

    @jax.jit
    def twice(ticket):
        first, _ = source.next(ticket)
        second, _ = source.next(ticket)
        return first["x"], second["x"]

    with pytest.raises(jax.errors.JaxRuntimeError, match="ticket 0 was given where 1 comes next"):
        jax.block_until_ready(twice(source.ticket()))
    rows, _ = pulled(jax, source, 2)  # the source goes on
    assert len(rows) == 2


def test_errors_of_the_pipeline_end_the_program(jax):
    from penstock.plugin.jax import source

    def batches(i):
        if i == 3:
            raise StopIteration
        return np.full((2, i if i == 2 else 1), i, np.int64)

    with Pipeline(batch_size=2) as pipe:
        pipe.set_outputs(fn.external_source(batches))
    made = source(pipe, ["x"])
    pull = jax.jit(made.next)
    batch, ticket = pull(made.ticket())
    batch, ticket = pull(ticket)
    assert batch["x"].dtype == np.int32
    assert np.asarray(batch["x"]).tolist() == [[1], [1]]
    with pytest.raises(jax.errors.JaxRuntimeError, match=r"`x` is int64\[2, 2\] in batch 2, the program was compiled"):
        jax.block_until_ready(pull(ticket))
    with pytest.raises(jax.errors.JaxRuntimeError, match="no more data|StopIteration|end"):
        jax.block_until_ready(pull(made.ticket()))
    with pytest.raises(ValueError, match="output_map has 2 names, the pipeline 1 outputs"):
        source(pipe, ["x", "y"])


def source_with_a_negative(place, extents):
    from penstock.plugin.jax import source

    with Pipeline(batch_size=extents[0]) as pipe:
        pipe.set_outputs(fn.external_source(lambda i: np.full(extents, -1 if i == place else 1, np.float32)))
    return source(pipe, ["x"])


@pytest.mark.parametrize("extents", [(4, 3), (256, 4096)], ids=["on the user's thread", "on XLA's"])
def test_where_nan_came_from_is_found_in_a_second_run_with_the_same_batches(jax, extents):
    """JAX runs a program again without `jit`, with the same ticket."""
    source = source_with_a_negative(1, extents)

    def step(ticket):
        batch, following = source.next(ticket)
        return jax.numpy.log(batch["x"]).mean(), following

    with jax.debug_nans(True):
        _, ticket = jax.jit(step)(source.ticket())
        with pytest.raises(FloatingPointError, match=r"invalid value \(nan\) encountered in log"):
            jax.jit(step)(ticket)
    assert int(source.ticket()) == 2
    assert jax.jit(step)(source.ticket())[0] == 0


def test_batches_of_all_steps_of_a_program_come_again(jax):
    def run(steps):
        source = source_with_a_negative(steps - 1, (4, 3))

        def step(ticket, _):
            batch, ticket = source.next(ticket)
            return ticket, jax.numpy.log(batch["x"]).mean()

        jax.block_until_ready(jax.jit(lambda ticket: jax.lax.scan(step, ticket, length=steps))(source.ticket()))

    with jax.debug_nans(True):
        with pytest.raises(FloatingPointError, match="encountered in scan"):
            run(10)
        with pytest.raises(jax.errors.JaxRuntimeError, match="batch 0 is asked for again, .* the last 32 batches are"):
            run(40)


def test_a_ticket_that_a_gpu_has_yet_to_write_is_waited_for_where_it_may_come_again(jax):
    from penstock.plugin.jax._again import Again

    answered = []
    again = Again(lambda ticket: answered.append(int(ticket)) or f"answer {len(answered)}")
    tickets = [np.full((), _core.TICKET_NOT_YET_SEEN, np.int32) for _ in range(2)]
    with jax.debug_nans(True):
        for ticket in tickets:
            timer = threading.Timer(0.05, ticket.fill, (5,))
            timer.start()
            assert again(ticket) == "answer 1"
    assert answered == [5]
    assert again(tickets[0]) == "answer 2"


def test_batches_come_again_as_long_as_jax_looks_for_nan_on_the_thread_that_asked_for_a_ticket(jax):
    from penstock.plugin.jax._again import Again

    again = Again(lambda ticket: object())
    with jax.debug_nans(True):
        again.note()
    for number, looks in enumerate([False, True, False, True]):
        with jax.debug_nans(looks):
            assert (again(np.int32(number)) is again(np.int32(number))) == looks


def test_padding_is_marked(jax, numbered):
    from penstock.plugin.jax import source

    with Pipeline(batch_size=4) as pipe:
        data, labels = fn.readers.file(file_root=numbered(6), epoch_end="pad")
        pipe.set_outputs(fn.reshape(data, shape=[1]), labels)
    made = source(pipe, ["x", "y"])
    first, ticket = jax.jit(made.next)(made.ticket())
    last, _ = jax.jit(made.next)(ticket)
    assert np.asarray(first["valid"]).tolist() == [True] * 4
    assert np.asarray(last["valid"]).tolist() == [True, True, False, False]
    with pytest.raises(ValueError, match='"valid" is the name of the mask of padding'):
        source(pipe, ["x", "valid"])


def test_a_pipeline_of_a_source_has_no_other_user(jax, numbered):
    source = source_of(numbered(8))
    with pytest.raises(RuntimeError, match="Mixing pipeline API type"):
        source._pipe.run()


def test_samples_of_different_shapes_are_named(jax):
    from penstock.plugin.jax import source

    with Pipeline(batch_size=2) as pipe:
        pipe.set_outputs(fn.external_source(lambda i: [np.zeros(1), np.zeros(2)]))
    with pytest.raises(ValueError, match="`ragged` has samples of different shapes"):
        source(pipe, ["ragged"])


RUNNING = """
import os, signal, sys, threading, time
import jax
import numpy as np
from penstock import Pipeline, fn
from penstock.plugin.jax import source

def slow(i):
    time.sleep(0.02)
    return np.full((2, 64, 64), i, np.float32)

with Pipeline(batch_size=2) as pipe:
    pipe.set_outputs(fn.external_source(slow))
made = source(pipe, ["x"])
"""


def test_programs_that_run_at_exit_come_to_their_end(jax, script, tmp_path):
    del jax
    path = tmp_path / "ends.py"
    path.write_text(
        RUNNING
        + """
sys.stderr = sys.stdout

@jax.jit
def steps(total, ticket):
    def step(carry, _):
        batch, ticket = made.next(carry[1])
        return (carry[0] + (batch["x"] @ batch["x"]).mean(), ticket), None
    return jax.lax.scan(step, (total, ticket), length=20)[0]

steps(*steps(np.float32(0), made.ticket()))
"""
    )
    assert script(path, JAX_PLATFORMS="cpu") == ""


def test_ctrl_c_is_not_swallowed_and_loses_no_batch(jax, script, tmp_path):
    del jax
    path = tmp_path / "interrupted.py"
    path.write_text(
        RUNNING
        + """
signal.signal(signal.SIGINT, signal.default_int_handler)
twenty_on = jax.jit(lambda ticket: jax.lax.scan(lambda one, _: (made.next(one)[1], None), ticket, length=20)[0])
ticket = twenty_on(made.ticket()).block_until_ready()
threading.Timer(0.1, os.kill, (os.getpid(), signal.SIGINT)).start()
try:
    try:
        twenty_on(ticket).block_until_ready()
    except jax.errors.JaxRuntimeError:  # JAX makes it of what interrupted the source; it may come out first
        pass
    time.sleep(20)
    print("swallowed")
except KeyboardInterrupt:
    ticket = made.ticket()
    batch, _ = jax.jit(made.next)(ticket)
    print(20 <= ticket < 40, int(batch["x"][0, 0, 0]) - ticket)
"""
    )
    assert script(path, JAX_PLATFORMS="cpu") == "True 0\n"


def test_a_jax_older_than_the_headers_is_told_before_it_breaks(jax, monkeypatch):
    import jaxlib

    from penstock.plugin.jax import _ffi

    assert _ffi._version_of(jaxlib) >= _core.XLA_FFI_VERSION
    _ffi.demand("`source`")
    monkeypatch.setattr(_ffi, "_version_of", lambda _: (0, 0))
    with pytest.raises(RuntimeError, match=r"`source` needs a newer jaxlib: .* has 0\.0\. Upgrade jax"):
        _ffi.demand("`source`")
