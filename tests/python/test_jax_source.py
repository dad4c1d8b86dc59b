"""Batches that compiled programs pull by themselves."""

import numpy as np
import pytest

from penstock import Pipeline, _core, fn


@pytest.fixture
def jax(jax):
    if not hasattr(_core, "jax_source_handler"):
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
