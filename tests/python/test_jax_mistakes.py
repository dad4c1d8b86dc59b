"""What the iterators for JAX say of mistakes, and how they go on after errors."""


def test_after_an_error_of_one_pipeline_all_go_on_in_step(on_four_devices, numbered):
    steps, end, resumed, again = on_four_devices(
        """
def checked(sample):
    if sample[0] == 14:
        raise KeyError("fourteen")
    return sample

def fragile(num_shards, shard_id):
    x, y = sharded(num_shards, shard_id)
    return fn.python_function(x, function=checked), y

it = data_iterator(fragile, sharding=NamedSharding(mesh, P("batch")), **names)(batch_size=8)
steps = []
states = []
for _ in range(3):
    try:
        steps.append(numbers(next(it)["x"]))
    except RuntimeError as e:
        steps.append("fourteen" in str(e))
    states.append(it.state_dict())
tell(steps), tell(next(it, None))
it.load_state_dict(states[1])  # saved after the error
tell(numbers(next(it)["x"])), tell(next(it, None))
""",
        numbered(24),
    )
    assert steps == [[0, 1, 6, 7, 12, 13, 18, 19], True, [4, 5, 10, 11, 16, 17, 22, 23]]
    assert resumed == steps[2]
    assert end is None
    assert again is None


def test_mistakes_are_named(on_four_devices, numbered):
    messages = on_four_devices(
        """
def attempt(call):
    try:
        call()
    except Exception as e:
        tell(f"{type(e).__name__}: {e}")

sharding = NamedSharding(mesh, P("batch"))
attempt(lambda: data_iterator(sharded, sharding=sharding, devices=jax.devices(), **names))
attempt(lambda: data_iterator(sharded, sharding=sharding, **names)())
attempt(lambda: data_iterator(sharded, sharding=sharding, **names)(batchsize=8))
for wrong in (None, "8", 8.0, 10.5):
    attempt(lambda: data_iterator(sharded, sharding=sharding, **names)(batch_size=wrong))
attempt(lambda: data_iterator(sharded, **names)(num_shards=1, shard_id=0))
for wrong in ([0, 1], [], [jax.devices()[0]] * 2, jax.devices()[0]):
    attempt(lambda: data_iterator(sharded, devices=wrong, **names)(batch_size=8))
sharded_iterator = data_iterator(sharded, sharding=sharding, **names)
attempt(lambda: sharded_iterator(batch_size=8, shard_id=1))
attempt(lambda: sharded_iterator(3, batch_size=8))
attempt(lambda: data_iterator(sharded, devices=jax.devices(), **names)(batch_size=8, device_id=0, num_shards=2))
attempt(lambda: data_iterator(sharded, sharding=sharding, **names)(batch_size=3))
attempt(lambda: data_iterator(sharded, sharding=sharding, **names)(batch_size=10))
attempt(lambda: data_iterator(sharded, sharding={"x": sharding}, **names)(batch_size=8))
def short(num_shards, shard_id):
    return graph(num_shards, shard_id, epoch_end="partial")

attempt(lambda: data_iterator(short, sharding=sharding, **names)(batch_size=8))
attempt(lambda: data_iterator(sharded, sharding=sharding, **names)(batch_size=8, on_error="skip"))
columns = NamedSharding(mesh, P(None, "batch"))
attempt(lambda: next(data_iterator(sharded, sharding=columns, **names)(batch_size=8)))
with Pipeline(batch_size=2) as pipe:
    pipe.set_outputs(*graph())
attempt(lambda: DALIGenericIterator(pipe, ["x", "y"], reader_name="Reader", sharding="batch"))
attempt(lambda: DALIGenericIterator(pipe, ["x", "y"], reader_name="Reader", sharding=sharding))
""",
        numbered(24),
    )
    fragments = [
        "ValueError: Only one of `sharding` and `devices`",
        *["ValueError: batch_size must be a positive number of samples, got None"] * 3,
        "TypeError: batch_size must be a whole number, got '8'",
        "TypeError: batch_size must be a whole number, got 8.0",
        "TypeError: batch_size must be a whole number, got 10.5",
        "ValueError: batch_size must be a positive number of samples, got None",
        *["ValueError: `devices` must be a list of different devices, one at least, of those that jax.devices()"] * 4,
        "ValueError: shard_id=1 cannot be given in the call: `sharding` (or `devices`) sets device_id, shard_id, num_s",
        "ValueError: num_shards=3 cannot be given in the call: ",
        "ValueError: device_id=0, num_shards=2 cannot be given in the call: ",
        "ValueError: batch_size=3 is less than the number of shards, 4",
        "ValueError: batch_size=10 does not divide into 4 equal shards; use 8 or 12",
        "ValueError: `sharding` names no sharding for ['y']",
        'ValueError: epoch_end="partial" ends shards with batches of different lengths',
        'ValueError: on_error="skip" makes batches of different lengths',
        "IndivisibleError: ",  # JAX's own words, which change
        "AssertionError: `sharding` should be an instance of",
        "AssertionError: the sharding has 4 shards in this process, there are 1 pipelines",
    ]
    assert len(messages) == len(fragments)
    for message, fragment in zip(messages, fragments, strict=True):
        assert fragment in message
