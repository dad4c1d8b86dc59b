"""Saving and resuming the iterators for JAX, also on other numbers of devices and processes."""

import json

import jax_processes
import pytest

CODE = """
def graph(num_shards, shard_id):
    data, _ = fn.readers.file(file_root=root, name="Reader", num_shards=num_shards, shard_id=shard_id,
                              random_shuffle=True, epoch_end="pad")
    x = fn.reshape(data, shape=[1])
    return x, fn.random.uniform(range=[0.0, 1.0], shape=[1])

mesh = Mesh(np.array(jax.devices()), ("batch",))
make = peekable_data_iterator if os.environ.get("PEEK") else data_iterator
make = make(graph, output_map=["x", "u"], sharding=NamedSharding(mesh, P("batch")), auto_reset=True)
it = make(batch_size=12, seed=3)

def rows(batch):
    return [[local(batch[name]) for name in ("x", "valid")],
            {shard.index[0].start or 0: np.asarray(shard.data).ravel().tolist()
             for shard in batch["u"].addressable_shards}]

if os.environ.get("STATE"):
    it.load_state_dict(json.loads(os.environ["STATE"]))
"""


def pairs(results):
    """(sample, its random number) of all valid rows that processes told, step by step."""
    steps = []
    for told in zip(*results, strict=True):
        step = []
        for (x, valid), u in told:
            for start in x:
                step += [
                    pair
                    for *pair, ok in zip(x[start], u[start], valid[start], strict=True)
                    if ok
                ]  # fmt: skip
        steps.append(step)
    return steps


@pytest.fixture
def run(tmp_path, jax):
    del jax

    def run(code, root, processes, devices, **environment):
        path = tmp_path / "code.py"
        path.write_text(jax_processes.PRELUDE + CODE + code)
        return jax_processes.told(path, root, processes, devices, **environment)

    return run


def test_a_run_goes_on_with_the_same_samples_and_random_numbers_on_any_devices(run, numbered):
    root = numbered(40)
    [saved, *rest] = run(
        """
next(it), next(it)
it._ahead.settle()  # one more batch is taken, which does not count
tell(it.state_dict())
while batch := next(it, None):
    tell(rows(batch))
for batch in it:
    tell(rows(batch))
""",
        root, 1, 2,
    )[0]  # fmt: skip
    assert len(json.dumps(saved)) < 1500
    uninterrupted = pairs([rest])
    assert [sorted(int(x) for x, _ in sum(uninterrupted[2:], []))] == [list(range(40))]
    on = """
for batch in it:
    tell(rows(batch))
for batch in it:
    tell(rows(batch))
"""
    state = json.dumps(saved)
    for processes, devices in [(1, 2), (1, 4), (2, 1), (2, 3)]:
        resumed = pairs(run(on, root, processes, devices, STATE=state))
        assert len(resumed) == len(uninterrupted)
        if processes * devices == 2:
            assert [sorted(step) for step in resumed] == [sorted(step) for step in uninterrupted]
        for part in slice(0, 2), slice(2, None):  # the rest of this epoch, and the next one
            assert sorted(sum(resumed[part], [])) == sorted(sum(uninterrupted[part], []))


def test_orbax_keeps_an_iterator_beside_a_model(run, numbered, tmp_path):
    pytest.importorskip("orbax.checkpoint")
    root = numbered(40)
    orbax = """
import orbax.checkpoint as ocp
from penstock.plugin.jax.orbax import IteratorRestore, IteratorSave
model = {"w": jax.numpy.arange(3.0)}
manager = ocp.CheckpointManager(os.environ["FOLDER"])
"""
    folder = {"FOLDER": str(tmp_path / "kept")}
    save = """
next(it)
manager.save(1, args=ocp.args.Composite(model=ocp.args.StandardSave(model), data=IteratorSave(it)))
manager.wait_until_finished()
tell(rows(next(it)))
"""
    restore = """
restored = manager.restore(1, args=ocp.args.Composite(model=ocp.args.StandardRestore(model), data=IteratorRestore(it)))
assert restored["data"] is it
tell([numbers(restored["model"]["w"]), rows(next(it))])
"""
    [[expected]] = run(orbax + save, root, 1, 2, **folder)
    [[[weights, resumed]]] = run(orbax + restore, root, 1, 2, **folder)
    assert weights == [0, 1, 2]
    assert resumed == expected


def test_peeked_batches_are_not_counted_as_given(run, numbered):
    root = numbered(24)
    [before, state, after] = run(
        """
next(it)
first = rows(it.peek())
state = it.state_dict()
assert it.peek_async().result() is it.peek()
assert it.element_spec["x"].shape == (12, 1)
assert rows(next(it)) == first
tell(first), tell(state), tell(it.state_dict())
""",
        root, 1, 2, PEEK="1",
    )[0]  # fmt: skip
    assert state["pipelines"][0]["taken"] == 1
    assert after["pipelines"][0]["taken"] == 2
    assert run("tell(rows(next(it)))", root, 1, 2, STATE=json.dumps(state)) == [[before]]
