"""JAX on GPUs: compiled programs that pull batches, functions over several GPUs, in one process and in several."""

import pathlib

import jax_processes
import numpy as np
import pytest

from penstock import Pipeline, _core, fn, types

jax = pytest.importorskip("jax")
if not any(device.platform == "gpu" for device in jax.devices()):
    pytest.skip("JAX has no GPU", allow_module_level=True)
two = pytest.mark.skipif(_core.gpu_count() < 2, reason="needs two GPUs")
EXAMPLES = pathlib.Path(__file__).parents[3] / "examples"


def counting(device, batch_size=4, **options):
    """Batches that count, with the count on the host beside them."""
    counter = iter(range(10**9))
    with Pipeline(batch_size=batch_size, device_id=0, **options) as pipe:
        data = fn.external_source(
            source=lambda: np.full((batch_size, 8, 8, 3), next(counter) % 251, np.uint8), layout="HWC"
        )
        pipe.set_outputs(
            fn.crop_mirror_normalize(data, device=device, dtype=types.FLOAT), fn.cast(data, dtype=types.INT32)
        )
    return pipe


@pytest.mark.parametrize("device", ["gpu", "cpu"])
def test_a_scan_pulls_batches_in_order(device):
    from penstock.plugin.jax import source

    pulls = source(counting(device), ["x", "y"])

    def step(ticket, _):
        batch, ticket = pulls.next(ticket)
        assert batch["x"].shape == (4, 3, 8, 8)
        return ticket, (batch["x"].mean(), batch["x"].std(), batch["y"].mean())

    program = jax.jit(lambda ticket: jax.lax.scan(step, ticket, length=50))
    ticket, first = program(pulls.ticket())
    assert int(ticket) == 50
    _, second = program(pulls.ticket())
    means, deviations, others = (np.concatenate(pair) for pair in zip(first, second, strict=True))
    np.testing.assert_array_equal(means, np.arange(100))
    np.testing.assert_array_equal(others, np.arange(100))
    assert not deviations.any()
    pulls.state_dict()


def test_a_ticket_fits_once():
    from penstock.plugin.jax import source

    pulls = source(counting("gpu"), ["x", "y"])

    @jax.jit
    def twice(ticket):
        return pulls.next(ticket)[0]["x"], pulls.next(ticket)[0]["x"]

    try:
        jax.block_until_ready(twice(pulls.ticket()))
    except jax.errors.JaxRuntimeError as error:
        assert "ticket 0 was given where 1 comes next" in str(error)
    else:
        with pytest.raises(ValueError, match="ticket 0 was given where 1 comes next"):
            pulls.state_dict()


@pytest.mark.parametrize("gpus", [1, pytest.param(2, marks=two)])
def test_pipelines_write_into_arrays_of_jax(gpus, tmp_path, monkeypatch):
    """All batches but the first ones, with two outputs of which one goes another way, and one that is there twice."""
    from penstock.plugin.jax import _programs, data_iterator

    PIL = pytest.importorskip("PIL.Image")
    for i in range(40):
        random = np.random.default_rng(i).integers(0, 255, (40 + i, 60, 3), dtype=np.uint8)
        PIL.fromarray(random).save(tmp_path / f"{i:02}.jpg", quality=90)

    def pictures(device, shard_id=0, num_shards=1):
        files, _ = fn.readers.file(
            files=sorted(map(str, tmp_path.glob("*.jpg"))), shard_id=shard_id, num_shards=num_shards, epoch_end="pad"
        )
        image = fn.decoders.image(files, device="mixed" if device == "gpu" else "cpu")
        small = fn.resize(image, size=(32, 32), device=device)
        return small, fn.cast(small, dtype=types.FLOAT16, device=device), small

    lent, plain = [], _programs._Program._lent
    monkeypatch.setattr(_programs._Program, "_lent", lambda *args: lent.append(plain(*args)) or lent[-1])
    rows = None
    if gpus > 1:
        mesh = jax.sharding.Mesh(np.array(jax.devices()[:gpus]), ("batch",))
        rows = jax.sharding.NamedSharding(mesh, jax.sharding.PartitionSpec("batch"))
    names = ["x", "half", "again"]
    make = data_iterator(lambda shard_id=0, num_shards=1: pictures("gpu", shard_id, num_shards), names, sharding=rows)
    it = make(batch_size=4 * gpus)
    kept = [batch for _ in range(6) for batch in it]
    assert sum(array is not None for array in lent) >= 3 * (len(kept) - 10)
    oracles = []
    for shard in range(gpus):
        with Pipeline(batch_size=4) as pipe:
            pipe.set_outputs(*pictures("cpu", shard, gpus))
        oracles.append(pipe)
    doubled = jax.jit(lambda x: x * 2, donate_argnums=0)
    for batch in kept:
        expected = zip(*(oracle.run() for oracle in oracles), strict=True)
        for name, parts in zip(names, expected, strict=True):
            seen = np.asarray(batch[name])
            np.testing.assert_allclose(seen, np.concatenate([part.as_array() for part in parts]), atol=1)
            np.testing.assert_array_equal(doubled(batch[name]), seen * 2)


@pytest.mark.parametrize("dtype", ["float16", "float32", "int32", "uint8", "bool", "int64", "float64"])
def test_copies_of_every_type_and_length(dtype):
    """By a program that asks for them, those of 64 bits as JAX has them; small ones on the host go along."""
    from penstock.plugin.jax._handoff import Handoff

    with Pipeline(batch_size=4, device_id=0) as pipe:
        on_host = [fn.external_source(name=name) for name in ("host", "large")]
        pipe.set_outputs(on_host[0], *(fn.external_source(name=name).gpu() for name in "xy"), on_host[1])
    handoff, kept = Handoff(along=[True] * 4), []
    for rows in (4, 4, 3, 4):
        x = np.random.default_rng(rows).integers(0, 2, (rows, 2, 3)).astype(dtype)
        large = np.repeat(x, 40_000, axis=1)
        for name, array in (("x", x), ("y", x[:, :, 0]), ("host", x), ("large", large)):
            pipe.feed_input(name, array)
        kept.append((x, large, handoff.arrays(pipe.run())))
    for x, large, (small, copied, other, stays) in kept:
        assert (copied.device, copied.dtype) == (jax.devices()[0], jax.dtypes.canonicalize_dtype(dtype))
        assert isinstance(stays, np.ndarray)
        assert isinstance(small, np.ndarray if x.itemsize == 8 else jax.Array)
        for array, expected in ((small, x), (copied, x), (other, x[:, :, 0]), (stays, large)):
            np.testing.assert_array_equal(array, expected)


@two
def test_copies_lie_on_the_gpu_of_their_pipeline():
    from penstock.plugin.jax import DALIGenericIterator

    pipes = []
    for gpu in range(2):
        with Pipeline(batch_size=2, device_id=gpu) as pipe:
            pipe.set_outputs(fn.external_source(source=[np.full((2, 3), gpu, np.float32)], cycle=True).gpu())
        pipes.append(pipe)
    mesh = jax.sharding.Mesh(np.array(jax.devices()[:2]), ("batch",))
    rows = jax.sharding.NamedSharding(mesh, jax.sharding.PartitionSpec("batch"))
    it = DALIGenericIterator(pipes, ["x"], size=100, sharding=rows)
    for _ in range(5):
        x = next(it)["x"]
        assert [shard.device for shard in x.addressable_shards] == jax.devices()[:2]
        np.testing.assert_array_equal(x, np.repeat([0, 1], 2)[:, None] * np.ones((1, 3)))


@two
def test_one_program_makes_the_arrays_of_two_gpus():
    """The first and the last: with labels from the host, and where an epoch's last batch is cut, a program for each."""
    from penstock.plugin.jax import DALIGenericIterator, LastBatchPolicy

    def counting_on(gpu):
        with Pipeline(batch_size=4, device_id=gpu) as pipe:
            labels = fn.external_source(source=lambda i: np.full((4, 1), 100 * gpu + i, np.int32), batch=True)
            large = fn.external_source(source=lambda i: np.full((4, 40_000), 100 * gpu + i, np.int32), batch=True)
            pipe.set_outputs(fn.cast(labels.gpu(), dtype=types.FLOAT16), labels, large)
        return pipe

    gpus = 0, len(jax.devices()) - 1
    mesh = jax.sharding.Mesh(np.array([jax.devices()[gpu] for gpu in gpus]), ("batch",))
    rows = jax.sharding.NamedSharding(mesh, jax.sharding.PartitionSpec("batch"))
    it = DALIGenericIterator(
        list(map(counting_on, gpus)), ["x", "y", "z"], size=8 * 50 - 5, sharding=rows,
        last_batch_policy=LastBatchPolicy.PARTIAL,
    )  # fmt: skip
    batches = list(it)
    for i, batch in enumerate(batches):
        kept = 3 if i == 49 else 4
        for name, array in batch.items():
            if name == "valid":
                continue
            assert array.sharding == rows
            for shard, gpu in zip(array.addressable_shards, gpus, strict=True):
                assert shard.device == jax.devices()[gpu]
                assert len(shard.data) == kept
                assert (np.asarray(shard.data) == 100 * gpu + i).all()
    assert len(batches) == 50
    assert sorted(over for over, *_ in it._handoff._programs._known) == [False, False, True]


@two
def test_a_function_runs_over_the_gpus_of_one_process():
    from functools import partial

    from jax.sharding import Mesh, NamedSharding, PartitionSpec

    from penstock.plugin.jax import data_iterator
    from penstock.plugin.jax.fn import jax_function

    mesh = Mesh(np.array(jax.devices()[:2]), ("batch",))
    rows = NamedSharding(mesh, PartitionSpec("batch"))

    @jax_function(sharding=rows)
    @jax.jit
    @partial(jax.shard_map, mesh=mesh, in_specs=PartitionSpec("batch"), out_specs=PartitionSpec("batch"))
    def swapped(x):
        return jax.lax.ppermute(x, "batch", [(0, 1), (1, 0)])

    def graph(shard_id):
        data = fn.external_source(source=lambda i: np.full((2, 3), 10 * shard_id + i, np.float32), batch=True)
        return swapped(data).gpu()

    it = data_iterator(graph, output_map=["x"], sharding=rows)(batch_size=4)
    for i in range(3):
        batch = next(it)["x"]
        assert [shard.device for shard in batch.addressable_shards] == jax.devices()[:2]
        np.testing.assert_array_equal(np.asarray(batch)[:, 0], [10 + i, 10 + i, i, i])


def in_processes(commands, **environment):
    each = [{"CUDA_VISIBLE_DEVICES": str(i), **environment} for i in range(len(commands))]
    settings = {"JAX_PLATFORMS": "cuda", "XLA_PYTHON_CLIENT_PREALLOCATE": "false"}
    return jax_processes.run_all(commands, limit=150, each=each, **settings)


@two
def test_two_processes_with_a_gpu_each_mix_their_pictures_and_end():
    port = jax_processes.free_port()
    command = [EXAMPLES / "jax_mixup.py", "--coordinator", f"127.0.0.1:{port}", "--processes", 2, "--process"]
    ended = in_processes([[*command, i] for i in range(2)])
    assert [one.status for one in ended] == [0, 0], "\n----\n".join(one.out for one in ended)
    for one in ended:
        [line] = [line for line in one.out.splitlines() if line.startswith("rows")]
        assert float(line.rsplit("mean ", 1)[1]) == pytest.approx(137.5, abs=1.5), line


@two
def test_processes_with_the_same_gpu_are_told():
    port = jax_processes.free_port()
    command = [EXAMPLES / "jax_mixup.py", "--coordinator", f"127.0.0.1:{port}", "--processes", 2, "--process"]
    ended = in_processes([[*command, i] for i in range(2)], CUDA_VISIBLE_DEVICES="0")
    for one in ended:
        assert one.status == 1
        assert "both use the GPU" in one.out and "start each with GPUs of its own in CUDA_VISIBLE_DEVICES" in one.out


@two
def test_an_error_in_one_process_comes_out_in_both_and_they_go_on(tmp_path):
    path = tmp_path / "code.py"
    path.write_text(
        jax_processes.PRELUDE
        + """
sharding = NamedSharding(Mesh(np.array(jax.devices()), ("batch",)), P("batch"))
total = jax.jit(lambda x: x - x.sum(), out_shardings=sharding)

def refused(x):
    if process == 1 and x[0] == 2:
        raise ValueError("no 2")
    return x

def graph():
    data = fn.external_source(source=lambda i: np.full((2, 1), i, np.float32), batch=True)
    return jax_function(total, sharding=sharding)(fn.python_function(data, function=refused)).gpu()

it = data_iterator(graph, output_map=["x"], sharding=sharding)(batch_size=4)
for _ in range(5):
    tell(attempt(lambda: local(next(it)["x"])))
"""
    )
    port = jax_processes.free_port()
    ended = in_processes([[path, tmp_path, i, 2, port] for i in range(2)])
    assert [one.status for one in ended] == [0, 0], "\n----\n".join(one.out for one in ended)
    for own, one in enumerate(ended):
        expected = [{str(2 * own): [i - 4 * i] * 2} for i in range(5)]
        assert [told for i, told in enumerate(one.told) if i != 2] == expected[:2] + expected[3:]
        assert "no 2" in one.told[2] and ("process 1 could not" in one.told[2]) == (own == 0), one.told[2]
