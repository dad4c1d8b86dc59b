"""Where epochs end that a source feeds: by one count, whatever was asked for ahead, in every framework, and as in DALI.

Scripts of calls run on iterators of PyTorch and of JAX, of pipelines that differ in how far they work ahead.
"""

import contextlib
import importlib
import logging
import threading
import time
import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracle import dali

BATCH, LENGTH = 2, 3  # samples in a batch, batches in an epoch of a source


class Restarting:
    """An iterator that begins again by itself behind each end."""

    def __init__(self):
        self._next = 0

    def __iter__(self):
        return self

    def __next__(self):
        number, self._next = self._next, self._next + 1
        if number == LENGTH:
            self._next = 0
            raise StopIteration
        return [np.array([number])] * BATCH


def by_number(number):
    if number >= LENGTH:
        raise StopIteration
    return [np.array([number])] * BATCH


def by_sample(info):
    if info.idx_in_epoch >= LENGTH * BATCH:
        raise StopIteration
    return np.array([info.iteration])


def generator():
    for number in range(LENGTH):
        yield by_number(number)


class Counted:
    """A callable without a parameter, which counts by itself and begins again behind each end."""

    def __init__(self):
        self._restarting = Restarting()

    def __call__(self):
        return next(self._restarting)


SOURCES = {
    "a callable by batch": lambda: {"source": by_number},
    "a callable by sample": lambda: {"source": by_sample, "batch": False},
    "a generator": lambda: {"source": generator, "cycle": "raise"},
    "an iterator that restarts": lambda: {"source": Restarting()},
    "a callable that counts": lambda: {"source": Counted()},
    "a list": lambda: {"source": list(generator())},
    "a callable by batch, ahead": lambda: {"source": by_number, "parallel": True, "prefetch_queue_depth": 2},
    "a callable by sample, ahead": lambda: {"source": by_sample, "batch": False, "parallel": True},
    "a generator, ahead": lambda: {"source": generator, "cycle": "raise", "parallel": True},
    "an iterator that restarts, ahead": lambda: {"source": Restarting(), "parallel": True, "prefetch_queue_depth": 3},
}


def iterator_of(plugin, kind, library="penstock", depth=2, pipelined=True, pipeline=None, checkpoint=None, **options):
    module = importlib.import_module(library)
    pipe = (pipeline or module.Pipeline)(
        batch_size=BATCH, num_threads=1, device_id=None, prefetch_queue_depth=depth, exec_pipelined=pipelined,
        enable_checkpointing=checkpoint is not None, checkpoint=checkpoint or None,
    )  # fmt: skip
    with pipe:
        pipe.set_outputs(module.fn.external_source(**SOURCES[kind]()))
    peeks = plugin == "plugin.jax" and library == "penstock"  # DALI's needs clu
    name, of = ("plugin.jax.clu", "DALIPeekableIterator") if peeks else (plugin, "DALIGenericIterator")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return getattr(importlib.import_module(f"{library}.{name}"), of)(pipe, ["x"], **options)


def number(batch):
    return int(np.asarray((batch[0] if isinstance(batch, list) else batch)["x"])[0, 0])


def told(iterator, script, pace=0):
    """What a script of calls gives: numbers of batches, and None for an epoch's end."""
    events = []
    for call, argument in script:
        if call == "loop":
            events.append([])
            for batch in iterator:
                time.sleep(pace)
                events[-1].append(number(batch))
                if len(events[-1]) == argument:
                    break
        elif call == "next":
            batch = next(iterator, None)
            time.sleep(pace)
            events.append(batch if batch is None else number(batch))
        elif call == "reset":
            iterator.reset()
        elif call == "peek" and hasattr(iterator, "peek"):
            try:
                seen = number(iterator.peek())
            except StopIteration:
                seen = None  # which tells of the end, as next does
            events.append(seen if seen is None else number(next(iterator)))
            assert seen == events[-1]
        elif call == "peek":
            events += told(iterator, [("next", None)])
        elif call == "look" and hasattr(iterator, "peek") and not iterator._auto_reset:
            with contextlib.suppress(StopIteration):
                iterator.peek()
        elif call == "resume" and iterator._runs[0].feeders[0].source.can_seek:
            iterator.load_state_dict(iterator.state_dict())
    return events


LOOPS = st.tuples(st.just("loop"), st.sampled_from([1, 2, 3, 99, 99]))
CALLS = st.one_of(LOOPS, st.tuples(st.sampled_from(["next", "reset", "peek", "look", "resume"]), st.none()))
SIZES = [-1, BATCH, 2 * BATCH, 2 * BATCH + 1, LENGTH * BATCH - 1, LENGTH * BATCH, 5 * BATCH]


@pytest.fixture(autouse=True)
def quiet():
    logging.disable(logging.WARNING)  # of reset in the middle
    yield
    logging.disable(logging.NOTSET)


@settings(max_examples=60, deadline=None)
@given(
    kind=st.sampled_from(sorted(SOURCES)),
    size=st.sampled_from(SIZES),
    options=st.fixed_dictionaries(
        {"auto_reset": st.booleans(), "prepare_first_batch": st.booleans(), "last_batch_padded": st.booleans()}
    ),
    policy=st.sampled_from(["FILL", "DROP"]),
    script=st.lists(CALLS, min_size=1, max_size=7),
)
def test_whatever_was_asked_ahead_scripts_give_the_same_in_both_frameworks(kind, size, options, policy, script):
    pytest.importorskip("torch")
    pytest.importorskip("jax")
    from penstock.plugin.base_iterator import LastBatchPolicy

    options = {**options, "size": size, "last_batch_policy": LastBatchPolicy[policy]}
    if size < 0:
        options["last_batch_padded"] = False
    expected = told(iterator_of("plugin.pytorch", kind, depth=1, pipelined=False, **options), script)
    for plugin in ("plugin.pytorch", "plugin.jax"):
        for depth, pace in ((1, 0), (2, 0.002), (4, 0)):
            assert told(iterator_of(plugin, kind, depth=depth, **options), script, pace) == expected, (plugin, depth)


# DALI's loops go on with an epoch that was left; so do those of penstock.dali.
AS_DALI = st.one_of(LOOPS, st.tuples(st.sampled_from(["next", "peek"]), st.none()))
BY_THEMSELVES = [kind for kind in sorted(SOURCES) if "list" not in kind and "ahead" not in kind]


@settings(max_examples=40, deadline=None)
@given(
    kind=st.sampled_from(BY_THEMSELVES),
    batches=st.sampled_from([-1, 2, 3]),  # beyond the source's end DALI stands still for good
    options=st.fixed_dictionaries({"auto_reset": st.booleans(), "prepare_first_batch": st.booleans()}),
    script=st.lists(AS_DALI, min_size=1, max_size=7),
    plugin=st.sampled_from(["plugin.pytorch", "plugin.jax"]),
)
def test_scripts_give_what_they_give_with_dali(kind, batches, options, script, plugin):
    dali()
    pytest.importorskip(plugin.removeprefix("plugin.").removeprefix("py"))
    from penstock.dali._choices import Pipeline as AsDali

    if batches < 0:  # near the end a loop of DALI's begins anew or goes on: that depends on what was asked ahead
        loops = script[0][0] == "loop"
        script = [(call, argument and 99) for call, argument in script if (call == "loop") == loops]
    if batches < 0 and not options["auto_reset"]:
        script = script[:1]  # behind an end DALI has nothing more to say
    options["size"] = batches * BATCH if batches > 0 else -1
    theirs = told(iterator_of(plugin, kind, "nvidia.dali", **options), script)
    assert told(iterator_of(plugin, kind, pipeline=AsDali, **options), script) == theirs


PLUGINS = pytest.mark.parametrize("plugin", ["plugin.pytorch", "plugin.jax"])


@pytest.fixture(autouse=True)
def framework(request):
    plugin = getattr(request.node, "callspec", None) and request.node.callspec.params.get("plugin")
    if plugin:
        pytest.importorskip(plugin.removeprefix("plugin.").removeprefix("py"))


WHOLE = ("loop", 99)


@PLUGINS
@pytest.mark.parametrize("kind", [kind for kind in SOURCES if "list" not in kind])
@pytest.mark.parametrize("depth", [1, 3])
def test_an_epoch_that_is_full_where_its_source_ends_is_followed_by_a_full_one(plugin, kind, depth):
    for batches in (LENGTH, -1):
        iterator = iterator_of(plugin, kind, depth=depth, size=batches * BATCH if batches > 0 else -1)
        assert told(iterator, [WHOLE] * 4) == [[0, 1, 2]] * 4


@PLUGINS
def test_what_a_full_epoch_leaves_of_its_sources_begins_the_next_one(plugin):
    for kind in ("a callable by sample", "an iterator that restarts, ahead"):
        assert told(iterator_of(plugin, kind, size=2 * BATCH), [WHOLE] * 4) == [[0, 1], [2, 0], [1, 2], [0, 1]]
        assert told(iterator_of(plugin, kind, size=9 * BATCH), [WHOLE] * 3) == [[0, 1, 2]] * 3


@PLUGINS
@pytest.mark.parametrize("left", [1, 2, 3])
@pytest.mark.parametrize("size", [-1, LENGTH * BATCH])
def test_a_loop_that_was_left_loses_no_batch_of_a_source_that_cannot_begin_anew(plugin, left, size):
    for kind in ("a list", "a callable that counts", "an iterator that restarts, ahead"):
        first, second, *_ = told(iterator_of(plugin, kind, depth=4, size=size), [("loop", left), WHOLE], pace=0.01)
        again = [] if "list" in kind else [0, 1, 2]
        assert first + second == [0, 1, 2] if left < LENGTH else second == again


@PLUGINS
@pytest.mark.parametrize("size", [-1, LENGTH * BATCH])
@pytest.mark.parametrize("auto_reset", [False, True])
@pytest.mark.parametrize("prepare", [False, True])
@pytest.mark.parametrize("taken", range(7))
def test_a_restored_iterator_gives_no_empty_epoch(plugin, size, auto_reset, prepare, taken):
    options = {"size": size, "auto_reset": auto_reset, "prepare_first_batch": prepare}
    for kind in ("a callable by sample", "a callable by batch, ahead"):
        iterator, given = iterator_of(plugin, kind, checkpoint=b"", **options), 0
        while given < taken:
            for _ in iterator:
                given += 1
                if given == taken:
                    break
        [state] = iterator.checkpoints()
        begun = taken % LENGTH
        expected = [list(range(begun, LENGTH)), [0, 1, 2]]
        assert told(iterator_of(plugin, kind, checkpoint=state, **options), [WHOLE] * 2) == expected


@PLUGINS
@pytest.mark.parametrize("parallel", [False, True])
def test_without_exec_pipelined_a_source_is_not_asked_ahead(plugin, parallel):
    asked, lock = [], threading.Lock()

    def source(number):
        with lock:  # which cannot be copied
            asked.append(number)
        return by_number(number % LENGTH)

    from penstock import Pipeline, fn

    pipe = Pipeline(batch_size=BATCH, exec_pipelined=False, prefetch_queue_depth=3)
    with pipe:
        ahead = {"parallel": True, "prefetch_queue_depth": 1} if parallel else {}
        pipe.set_outputs(fn.external_source(source, **ahead))
    iterator = importlib.import_module(f"penstock.{plugin}").DALIGenericIterator(pipe, ["x"], prepare_first_batch=False)
    for count in range(1, 6):
        next(iterator)
        time.sleep(0.02)
        assert len(asked) == count + parallel  # which is what a source with a queue of its own was asked to do


@PLUGINS
def test_several_pipelines_begin_their_epochs_together(plugin):
    from penstock import Pipeline, fn

    def numbers(length):
        def source(number):
            if number == length:
                raise StopIteration
            return [np.array([number])] * BATCH

        pipe = Pipeline(batch_size=BATCH)
        with pipe:
            pipe.set_outputs(fn.external_source(source))
        return pipe

    with pytest.warns(DeprecationWarning):
        iterator = importlib.import_module(f"penstock.{plugin}").DALIGenericIterator(
            [numbers(5), numbers(3)], ["x"], size=20 * BATCH
        )
    for _ in range(3):
        steps = [part for batch in iterator for part in ([batch] if isinstance(batch, dict) else batch)]
        assert [np.asarray(part["x"]).ravel().tolist()[::BATCH] for part in steps] == (
            [[i, i] for i in range(3)] if plugin == "plugin.jax" else [[i] for i in (0, 0, 1, 1, 2, 2)]
        )


def test_reset_of_a_pipeline_begins_an_epoch_where_all_of_one_was_taken():
    for kind in SOURCES:
        for depth in (1, 2, 5):
            from penstock import Pipeline, fn

            pipe = Pipeline(batch_size=BATCH, prefetch_queue_depth=depth)
            with pipe:
                pipe.set_outputs(fn.external_source(**SOURCES[kind]()))

            def take(pipe=pipe):
                return int(pipe.run()[0].as_array()[0, 0])

            assert take() == 0
            pipe.reset()  # in the middle: nothing happens
            assert [take(), take()] == [1, 2]
            pipe.reset()
            if kind == "a list":
                continue
            assert take() == 0
            pipe.reset()
            assert [take(), take()] == [1, 2]
            with pytest.raises(StopIteration):
                take()


def test_an_iterable_that_can_be_called_is_iterated():
    from penstock import Pipeline, fn

    class Both(Restarting):
        def __call__(self):
            raise AssertionError

    class Makes:
        def __call__(self):
            yield from generator()

    for source in (Both(), Makes()):
        pipe = Pipeline(batch_size=BATCH)
        with pipe:
            pipe.set_outputs(fn.external_source(source))
        assert [int(pipe.run()[0].as_array()[0, 0]) for _ in range(3)] == [0, 1, 2]
