"""Arrays that lend their memory to later batches: which outputs they are, and what is offered to whom."""

from types import SimpleNamespace

import pytest

from penstock.plugin.jax import _handoff, _programs

GPUS = 3, 1


def address(name, run, gpu):
    return f"{name} of run {run} on {gpu}"


class Array:
    """What a run of the program made: `shards` say where they lie, elsewhere than the engine is told with `moved`."""

    def __init__(self, name, run, moved):
        self.text = f"{name} of run {run}"
        spot = lambda gpu: moved or address(name, run, gpu)  # noqa: E731
        self.addressable_shards = [
            SimpleNamespace(device=gpu, data=SimpleNamespace(unsafe_buffer_pointer=lambda gpu=gpu: spot(gpu)))
            for gpu in sorted(GPUS)
        ]

    def __repr__(self):
        return self.text


class Mailbox:
    """Tells where results lie, if the program has come to them."""

    number = 0

    def __init__(self):
        self.run, self.put_there, self.comes = 1, [], True

    def clear(self):
        """A run failed."""

    def put(self, gpu, batches):
        self.put_there.append((gpu, batches))
        places = [(address(name, self.run, gpu), 100, "a stream") for name in "xy"]
        return SimpleNamespace(results=places if self.comes else [])


@pytest.fixture
def lending(jax, monkeypatch):
    """A program of two outputs on two GPUs, as `take`, and what it was given and offered."""
    mailbox, offered = Mailbox(), []

    def run():
        if lending.fault:
            raise lending.fault
        arrays = [Array(name, mailbox.run, lending.moved) for name in "xy"]
        mailbox.run += 1
        return arrays

    monkeypatch.setattr(_programs._core, "JaxMailbox", lambda: mailbox)
    monkeypatch.setattr(_programs, "number_of", lambda device: device)
    program = _programs._Program(
        [jax.ShapeDtypeStruct((), "int32")] * 2,
        [True, True],
        SimpleNamespace(gpus=GPUS, compiled=lambda take, goes: run),
    )

    def take(x, y):
        """The arrays for a batch whose outputs have lenders on each GPU, and what the program got for each GPU."""
        mailbox.put_there.clear()
        offered.clear()
        batches = [[f"x of {gpu}", f"y of {gpu}"] for gpu in GPUS]
        arrays, lending.wanted = program(batches, list(zip(x, y, strict=True)))
        return repr(arrays), list(mailbox.put_there)

    def lend():
        mailbox.put_there.clear()
        program.lend(lending.wanted, lambda *memory: offered.append(memory))
        return list(mailbox.put_there)

    lending = SimpleNamespace(take=take, lend=lend, offered=offered, mailbox=mailbox, program=program)
    lending.moved = lending.fault = None
    return lending


OWN, UNSEEN = [True, True], [None, None]
COPIED = [(3, ["x of 3", "y of 3"]), (1, ["x of 1", "y of 1"])]
NOTHING = [(3, [None, None]), (1, [None, None])]


def test_a_batch_that_is_copied_has_memory_lent_to_a_later_one(lending):
    assert lending.take(OWN, UNSEEN) == ("[x of run 1, y of run 1]", COPIED)
    assert lending.lend() == NOTHING
    [(number, places, lender)] = lending.offered
    assert number == 0
    assert places == [(address("x", 2, gpu), 100, "a stream") for gpu in GPUS]
    assert lender[0] is lending.program
    assert repr(lender[1]) == "x of run 2"


def test_an_array_that_has_lent_the_memory_is_the_output(lending):
    lending.take(OWN, UNSEEN)
    lending.lend()
    [(_, _, lender)] = lending.offered
    arrays, put = lending.take([lender, lender], UNSEEN)
    assert arrays == "[x of run 2, y of run 3]"
    assert put == [(3, [None, "y of 3"]), (1, [None, "y of 1"])]
    lending.lend()
    [(number, _, lender)] = lending.offered
    assert (number, repr(lender[1])) == (0, "x of run 4")


def test_nothing_runs_for_a_batch_all_of_which_has_been_lent(lending):
    lending.take(OWN, OWN)
    lending.lend()
    (_, _, x), (_, _, y) = lending.offered
    assert lending.take([x, x], [y, y]) == ("[x of run 2, y of run 2]", [])
    lending.lend()
    assert [(number, repr(lender[1])) for number, _, lender in lending.offered] == [
        (0, "x of run 3"),
        (1, "y of run 3"),
    ]


def test_arrays_that_lent_parts_of_an_output_alone_are_not_it(lending):
    lending.take(OWN, UNSEEN)
    lending.lend()
    [(_, _, lender)] = lending.offered
    others = (object(), lender[1]), (lending.program, Array("x", 9, None))
    for x in ([lender, True], [lender, others[1]], [others[0], others[0]], [None, lender]):
        arrays, put = lending.take(x, UNSEEN)
        assert "run 2" not in arrays
        assert put == COPIED
        lending.lend()
        assert not lending.offered


def test_an_output_that_is_there_twice_is_two_arrays(lending):
    lending.take(OWN, OWN)
    lending.lend()
    (_, _, lender), _ = lending.offered
    arrays, put = lending.take([lender, lender], [lender, lender])
    assert arrays == "[x of run 2, y of run 3]"
    assert put == [(3, [None, "y of 3"]), (1, [None, "y of 1"])]


@pytest.mark.parametrize("why", ["XLA copies what it got", "XLA comes to it later", "JAX's memory is short"])
def test_nothing_is_lent_that_cannot_be(jax, lending, why):
    lending.take(OWN, OWN)
    if why == "XLA copies what it got":
        lending.moved = "elsewhere"
    elif why == "XLA comes to it later":
        lending.mailbox.comes = False
    else:
        lending.fault = jax.errors.JaxRuntimeError("RESOURCE_EXHAUSTED")
    assert lending.lend() == NOTHING
    lending.moved, lending.mailbox.comes, lending.fault = None, True, None
    assert lending.lend() == []
    assert not lending.offered
    assert lending.take(OWN, OWN)[1] == COPIED


def test_memory_goes_to_the_first_batch_that_cannot_have_begun():
    offered = []
    engine = SimpleNamespace(depth=lambda: 5, offer=lambda *memory: offered.append(memory))
    pipes = [SimpleNamespace(engine=engine)] * 2
    batches = [SimpleNamespace(iteration=iteration) for iteration in (7, 7)]
    _handoff._offer_to(pipes, batches)(1, [("here", 100, "a"), ("there", 100, "b")], "the lender")
    assert offered == [(13, 1, "here", 100, "a", "the lender"), (13, 1, "there", 100, "b", "the lender")]
    assert _handoff._offer_to([], batches) is None


def test_whoever_takes_the_batch_goes_before_arrays_lend_their_memory(jax, monkeypatch):
    """Half of what is left between batches is his, a millisecond at most."""
    begun, lent, done = [1.0, 1.0008, 2.0], [0.0002, 0.0004, 0], []
    times = (time for one, took in zip(begun, lent, strict=True) for time in (one, one + 0.0001, one + 0.0001 + took))
    monkeypatch.setattr(_handoff.time, "perf_counter", lambda: next(times))
    engine = SimpleNamespace(ready=lambda within: done.append(round(within, 6)))
    handoff = _handoff.Handoff(runs=[SimpleNamespace(engine=engine)])
    handoff._programs = SimpleNamespace(are_due=lambda: True, lend=lambda: done.append("lend"))
    for _ in begun:
        handoff.lend()
    assert done == [0.001, "lend", 0.0003, "lend", 0.001, "lend"]
    handoff._programs = SimpleNamespace(are_due=lambda: False)
    handoff.lend()
    assert len(done) == 6


def test_arrays_that_lend_are_made_as_jax_was_told_where_the_iterator_was(jax):
    """Or their program would be compiled anew, and under a mesh refused. What is in them is not looked at."""
    from penstock.plugin.jax._settings import Settings

    with jax.enable_x64(True):
        handoff = _handoff.Handoff(runs=[SimpleNamespace(engine=SimpleNamespace(ready=lambda within: None))])
        assert isinstance(handoff._settings, Settings)
    seen = []
    config, mesh = jax.config, jax.sharding.get_abstract_mesh
    look = lambda: seen.append((config.jax_enable_x64, config.jax_debug_nans, mesh().empty))  # noqa: E731
    handoff._programs = SimpleNamespace(are_due=lambda: True, lend=look)
    with jax.set_mesh(jax.make_mesh((1,), ("batch",))), jax.debug_nans(True):
        handoff.lend()
    assert seen == [(True, False, True)]
