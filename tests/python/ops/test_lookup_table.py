"""lookup_table: values as DALI's, for all types of keys and values."""

import numpy as np
import oracle
import pytest

from penstock import Pipeline, fn, types

KEYS, VALUES = [0, 2, 3, 4, 5, 3, 200], [0.2, 400.0, 0.5, -3.7, 0.7, 0.1, 77.5]


@pytest.mark.parametrize("key", [np.uint8, np.int8, np.int16, np.uint16, np.int32, np.int64])
@pytest.mark.parametrize("value", ["FLOAT", "UINT8", "INT16", "INT64", "FLOAT16"])
def test_values_equal_dalis(key, value):
    low = -3 if np.issubdtype(key, np.signedinteger) else 0
    array = np.arange(low, 120).astype(key).reshape(3, -1)

    def graph(fn, types, math):
        keys = fn.external_source(source=lambda: [array] * 4, batch=True)
        dtype = getattr(types, value)
        return fn.lookup_table(keys, keys=KEYS, values=VALUES, default_value=9.4, dtype=dtype)

    oracle.assert_same(graph)


def run(make, array):
    pipe = Pipeline(batch_size=1, num_threads=1, device_id=None)
    with pipe:
        pipe.set_outputs(
            make(fn.external_source(source=lambda: [array], batch=True, layout="HWC" if array.ndim == 3 else "HW"))
        )
    return np.array(pipe.run()[0][0])


def test_a_crop_behind_a_table_is_that_part_of_the_whole():
    array = np.random.default_rng(0).integers(0, 256, (30, 40, 3)).astype(np.uint8)
    table = np.random.default_rng(1).integers(0, 256, 256)

    def make(x):
        looked_up = fn.lookup_table(x, keys=list(range(256)), values=table.astype(float).tolist(), dtype=types.UINT8)
        return fn.crop(looked_up, crop=(7, 9))

    made = run(make, array)
    np.testing.assert_array_equal(made, table[array][12:19, 16:25])


def test_no_keys_give_the_default():
    assert (run(lambda x: fn.lookup_table(x, default_value=2.5), np.ones((2, 2), np.uint8)) == 2.5).all()


@pytest.mark.parametrize(
    ("make", "array", "match"),
    [
        (lambda x: fn.lookup_table(x, keys=[1, 2], values=[1.0]), np.uint8([[1]]), "as many numbers, got 2 and 1"),
        (lambda x: fn.lookup_table(x, keys=[65536], values=[1.0]), np.uint8([[1]]), r"must lie in \[0, 65535\]"),
        (lambda x: fn.lookup_table(x, keys=[1], values=[1.0]), np.float32([[1]]), "keys are integers, got float"),
    ],
)
def test_what_is_no_table_is_refused(make, array, match):
    with pytest.raises(Exception, match=match):
        run(make, array)
