"""Code on virtual devices of JAX, in a process of its own that tells its results as JSON."""

import json

PRELUDE = """
import json, sys
import jax
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P
from penstock import Pipeline, fn, types
from penstock.plugin.jax import DALIGenericIterator, LastBatchPolicy, data_iterator

root, batch_size = sys.argv[1], 8

def graph(num_shards=1, shard_id=0, **options):
    data, labels = fn.readers.file(
        file_root=root, name="Reader", num_shards=num_shards, shard_id=shard_id, **options)
    return fn.reshape(data, shape=[1]), labels

def sharded(num_shards, shard_id):
    return graph(num_shards, shard_id)

names = dict(output_map=["x", "y"], reader_name="Reader")
mesh = Mesh(np.array(jax.devices()), ("batch",))

def numbers(array):
    return [int(v) for v in np.asarray(array).ravel()]

def by_device(array):
    return {shard.device.id: numbers(shard.data) for shard in array.addressable_shards}

def tell(value):
    print(json.dumps(value))
"""


def runner(script, folder):
    """Runs code after the prelude on so many devices (four); returns what it told."""

    def run(code, root, devices=4):
        path = folder / "code.py"
        path.write_text(PRELUDE + code)
        out = script(path, root, JAX_NUM_CPU_DEVICES=str(devices), JAX_PLATFORMS="cpu")
        return [json.loads(line) for line in out.splitlines()]

    return run
