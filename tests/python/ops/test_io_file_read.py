"""`fn.io.file.read`: files by paths that come as data."""

import numpy as np
import oracle
import pytest

from penstock import Pipeline, fn


def read(paths, **options):
    with Pipeline(batch_size=len(paths), num_threads=2, device_id=None, **options) as pipe:
        given = fn.external_source(lambda: [np.frombuffer(path, np.uint8) for path in paths])
        contents = fn.io.file.read(given)
        pipe.set_outputs(contents, contents.source_info())
    return pipe


@pytest.fixture
def files(tmp_path):
    """Four files: one empty, one with an odd name, one large."""
    made = {b"a": b"letter", b"empty": b"", b"caf\xc3\xa9 \xff": bytes(range(256)), b"large": bytes(3_000_000)}
    for name, data in made.items():
        with open(bytes(tmp_path) + b"/" + name, "wb") as file:
            file.write(data)
    return {bytes(tmp_path) + b"/" + name: data for name, data in made.items()}


def test_contents_and_names(files):
    contents, names = read(list(files)).run()
    for i, (path, data) in enumerate(files.items()):
        assert np.array(contents[i]).tobytes() == data
        assert np.array(names[i]).tobytes() == path
        assert contents[i].source_info() == path.decode(errors="surrogateescape")


def test_what_ends_in_a_zero_and_signed_bytes_are_paths_too(files):
    path, data = next(iter(files.items()))

    def graph(fn, types, math):
        del types, math
        ended = np.frombuffer(path + b"\0\0", np.int8)
        return fn.io.file.read(fn.external_source(lambda: [ended] * 2), use_o_direct=False, dont_use_mmap=True)

    oracle.assert_same(graph, batch_size=2)
    assert oracle.run_ours(graph, batch_size=2)[0][0][1].tobytes() == data


def test_what_cannot_be_read_is_named(files):
    good = next(iter(files))
    missing = good + b".none"
    with pytest.raises(RuntimeError, match=r"\[io.file.read\] .*; sample 1, .*a\.none"):
        read([good, missing]).run()
    with pytest.raises(RuntimeError, match=r"the path is empty; sample 1"):
        read([good, b""]).run()
    pipe = read([good, missing, good], on_error="zero")
    assert pipe.run().valid.tolist() == [True, False, True]
    assert pipe.failures()[0].source.endswith("a.none")


@pytest.mark.parametrize("bad,said", [(np.zeros(3, np.float32), "uint8 or int8, got float"),
                                      (np.zeros((2, 3), np.uint8), "a list of bytes")])  # fmt: skip
def test_what_is_no_path_is_refused(bad, said):
    with Pipeline(batch_size=1, num_threads=1, device_id=None) as pipe:
        pipe.set_outputs(fn.io.file.read(fn.external_source(lambda: [bad])))
    with pytest.raises((TypeError, ValueError), match=said):
        pipe.run()
