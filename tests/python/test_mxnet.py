"""readers.mxnet beside DALI's: labels, records of several parts, indices, damaged files."""

import re

import numpy as np
import oracle
import pytest
import records

import penstock
from penstock import Pipeline, fn, ops

MAGIC = b"\x0a\x23\xd7\xce"
PICTURES = {
    "one label": [(b"picture %d" % i, [float(i)]) for i in range(7)],
    "several labels": [(b"p" * i, [1.5, -2.0, float(i)]) for i in range(1, 6)],
    "several parts": [(b"front" + MAGIC + b"middle" + MAGIC + b"end", [3.0]), (b"whole", [4.0])],
    "an end that is a magic number": [(b"front4bytes." + MAGIC, [3.0]), (b"whole", [4.0])],
}


def delivered(module, steps=4, batch=2, **arguments):
    pipe = module.Pipeline(batch_size=batch, num_threads=1, device_id=None)
    with pipe:
        pipe.set_outputs(*module.fn.readers.mxnet(**arguments))
    pipe.build()
    batches = [pipe.run() for _ in range(steps)]
    return [
        (np.array(data).tobytes(), np.array(label).tolist(), np.array(label).dtype)
        for images, labels in batches
        for data, label in zip(images, labels, strict=True)
    ]


@pytest.mark.parametrize("kind", PICTURES)
def test_pictures_and_labels_are_dalis(tmp_path, kind):
    index = records.write_recordio(tmp_path / "data", PICTURES[kind])
    where = {"path": [str(tmp_path / "data")], "index_path": [str(index)]}
    mine = delivered(penstock, **where)
    assert mine == delivered(penstock, path=str(tmp_path / "data"))
    assert mine[: len(PICTURES[kind])] == [(*one, np.float32) for one in PICTURES[kind]][: len(mine)]
    if "part" not in kind and "end" not in kind:  # DALI leaves out what follows the second part
        assert mine == delivered(oracle.dali(), **where)


def test_records_come_in_the_order_of_their_offsets_and_shards_are_dalis(tmp_path):
    index = records.write_recordio(tmp_path / "data", PICTURES["one label"])
    index.write_text("".join(reversed(index.read_text().splitlines(keepends=True)[::2])))
    for shard in range(3):
        split = {"num_shards": 3, "shard_id": shard, "stick_to_shard": True, "pad_last_batch": True}
        where = {"path": [str(tmp_path / "data")], "index_path": [str(index)], **split}
        assert delivered(penstock, **where) == delivered(oracle.dali(), **where)


def test_the_older_name_is_known(tmp_path):
    records.write_recordio(tmp_path / "data", PICTURES["one label"])
    with Pipeline(7) as pipe:
        images, labels = ops.MXNetReader(path=str(tmp_path / "data"))()
        pipe.set_outputs(labels)
    assert pipe.run()[0].as_array().ravel().tolist() == list(range(7))


@pytest.mark.parametrize("kind", ["magic", "lying length", "position", "short", "labels"])
def test_a_damaged_record_is_named_and_others_still_come(tmp_path, kind):
    path = tmp_path / "data"
    index = records.write_recordio(path, PICTURES["one label"][:4])
    begin = int(index.read_text().splitlines()[1].split()[1])
    data = bytearray(path.read_bytes())
    at, value = {
        "magic": (0, b"XXXX"), "lying length": (4, b"\xff\xff\xff\x1f"), "position": (4, b"\x04\0\0\x40"),
        "short": (4, b"\x03\0\0\0"), "labels": (8, b"\xff\xff\0\0"),
    }[kind]  # fmt: skip
    data[begin + at : begin + at + 4] = value
    path.write_bytes(data)
    with Pipeline(4, on_error="skip") as pipe:
        pipe.set_outputs(*fn.readers.mxnet(path=str(path), index_path=str(index)))
    assert pipe.run()[1].as_array().ravel().tolist() == [0, 2, 3]
    assert pipe.failures()[0].source == f"{path} at index {begin}"
    assert "Invalid RecordIO" in pipe.failures()[0].reason


def test_unusable_files_and_indices_are_named(tmp_path):
    path = tmp_path / "data"
    index = records.write_recordio(path, PICTURES["one label"])
    whole = path.read_bytes()
    for name, content in {"cut": whole[:-3], "none": b"", "junk": b"junk" * 9, "middle": whole[8:]}.items():
        (tmp_path / name).write_bytes(content)
    for name, content in {"words": "a b\n", "hollow": "", "behind": "0\t99999\n", "one": "0\n"}.items():
        (tmp_path / name).write_text(content)
    cases = [({"path": str(tmp_path / name)}, name) for name in ("cut", "none", "junk", "middle", "absent")]
    cases += [({"path": str(path), "index_path": str(tmp_path / name)}, name) for name in ("words", "hollow", "one")]
    cases += [({"path": str(path), "index_path": str(tmp_path / "behind")}, str(path))]
    cases += [({"path": str(path), "index_path": [str(index)] * 2}, "index files needs to match")]
    for arguments, message in cases:
        with (
            Pipeline(1) as pipe,
            pytest.raises((ValueError, RuntimeError), match=rf"(?s)\[readers.mxnet\] .*{re.escape(message)}"),
        ):
            pipe.set_outputs(*fn.readers.mxnet(**arguments))
            pipe.build()
