"""What `penstock inspect` finds: indices of other files, names, types of columns, headers of NumPy's, boxes."""

import io
import json
import pathlib
import tarfile

import numpy as np
import pytest
import records

from penstock import _core, cli


def picture(i, height=24, width=32):
    pixels = np.random.default_rng(i).integers(0, 255, (height, width, 3), np.uint8)
    return _core.encode_jpeg(pixels, 90, True)


def inspected(capsys, *arguments):
    status = cli.main(["inspect", *map(str, arguments)])
    return status, capsys.readouterr().out


def write_tar(path, count=6):
    members = [
        (f"{i}.{kind}", picture(i) if kind == "jpg" else b"1%d" % i) for i in range(count) for kind in ("jpg", "cls")
    ]
    records.write_tar(path, members)
    return members


def index_of(members):
    """What DALI's wds2idx writes for an archive of these members, two a sample."""
    lines, at, line = [], 0, []
    for name, data in members:
        line.append(f"{name.split('.')[1]} {at + 512} {len(data)} {name}")
        at += 512 + (len(data) + 511) // 512 * 512
        if len(line) == 2:
            lines.append(" ".join(line))
            line = []
    return f"v1.2 {len(lines)}\n" + "\n".join(lines) + "\n"


def test_an_index_of_another_archive_is_found(tmp_path, capsys):
    members = write_tar(tmp_path / "a.tar")
    (tmp_path / "a.idx").write_text(index_of(members))
    assert inspected(capsys, tmp_path / "a.tar")[0] == 0
    (tmp_path / "a.idx").write_text(index_of(members[:-2]))
    status, text = inspected(capsys, tmp_path / "a.tar")
    assert status == 1
    assert "a.idx: lists 5 samples" in text and "a.tar has 6: it is the index of another file" in text
    other = [(name, data + bytes(700)) for name, data in members]
    (tmp_path / "a.idx").write_text(index_of(other))
    status, text = inspected(capsys, tmp_path / "a.tar")
    assert status == 1
    assert "samples: 6," in text and "damaged: 1" in text and "a.idx: is not the index of" in text
    (tmp_path / "a.idx").write_text("no index")
    assert "a.idx" in inspected(capsys, tmp_path / "a.tar")[1]


def test_an_index_of_another_tfrecord_file_is_found(tmp_path, capsys):
    path = tmp_path / "a.tfrecord"
    sizes = [{"image": picture(i, 24 + 8 * i), "label": i} for i in range(6)]
    records.write_tfrecords(path, sizes)
    lengths = [len(records.example(one)) + 16 for one in sizes]
    places = [f"{sum(lengths[:i])} {length}" for i, length in enumerate(lengths)]
    (tmp_path / "a.idx").write_text("\n".join(places) + "\n")
    assert inspected(capsys, path)[0] == 0
    (tmp_path / "a.idx").write_text("\n".join(places[:4]) + "\n")
    status, text = inspected(capsys, path)
    assert (status, "a.idx: lists 4 samples" in text) == (1, True)
    shifted = [f"{sum(lengths[:i]) + 3} {length - 3}" for i, length in enumerate(lengths)]
    (tmp_path / "a.idx").write_text("\n".join(shifted) + "\n")
    status, text = inspected(capsys, path)
    assert (status, "a.idx: is not the index of" in text) == (1, True)


def test_names_that_lead_out_of_the_folder_are_found(tmp_path, capsys):
    with tarfile.open(tmp_path / "a.tar", "w") as tar:
        for name in ("fine.jpg", "/etc/absolute.jpg", "../up.jpg", "a/../../b.jpg", "dots..jpg"):
            member = tarfile.TarInfo(name)
            data = picture(1)
            member.size = len(data)
            tar.addfile(member, io.BytesIO(data))
    status, text = inspected(capsys, tmp_path / "a.tar", "--data", "jpg")
    assert status == 1
    assert "damaged: 3" in text
    for name in ("/etc/absolute.jpg", "../up.jpg", "a/../../b.jpg"):
        assert f"a.tar:{name}: the name leads out of the folder" in text


def test_columns_of_another_type_are_found(tmp_path, capsys):
    pa, pq = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    files = [picture(i) for i in range(3)]
    pq.write_table(pa.table({"image": files, "label": [0, 1, 2]}), tmp_path / "0.parquet")
    pq.write_table(pa.table({"image": files, "label": ["3", "4", "5"]}), tmp_path / "1.parquet")
    pq.write_table(pa.table({"image": files, "class": [0, 1, 2]}), tmp_path / "2.parquet")
    status, text = inspected(capsys, tmp_path)
    assert status == 1
    assert '1.parquet: column "label" is string, in ' in text and "it is int64" in text
    assert '2.parquet: there is no column "label"; there are image, class' in text


def test_headers_of_arrays_that_lie_are_found(tmp_path, capsys):
    for i in range(40):
        np.save(tmp_path / f"{i:02}.npy", np.arange(i + 1, dtype=np.float32 if i % 2 else np.int16))
    status, text = inspected(capsys, tmp_path)
    assert status == 0
    for line in ("NumPy arrays in 40 files", "samples: 40,", "types: int16 20, float32 20", "damaged: none"):
        assert line in text
    whole = (tmp_path / "11.npy").read_bytes()
    (tmp_path / "03.npy").write_bytes(whole[:-4])
    (tmp_path / "07.npy").write_bytes(whole + bytes(12))
    (tmp_path / "09.npy").write_bytes(whole.replace(b"<f4", b"|O8"))
    (tmp_path / "10.npy").write_bytes(b"no array")
    status, text = inspected(capsys, tmp_path)
    assert status == 1
    assert "damaged: 4" in text and "07.npy: 12 bytes follow the array" in text
    for name in ("03", "09", "10"):
        assert f"{name}.npy: " in text
    assert inspected(capsys, tmp_path / "00.npy")[0] == 0


def coco(folder, **changes):
    found = {
        "images": [{"id": i, "file_name": f"{i}.jpg", "width": 640, "height": 480} for i in range(4)],
        "categories": [{"id": 1, "name": "cat"}],
        "annotations": [
            {"id": i, "image_id": i % 3, "category_id": 1, "bbox": [10.5, 20, 30, 40], "iscrowd": 0} for i in range(6)
        ],
    }
    for name, change in changes.items():
        change(found[name])
    for one in found["images"][:4]:
        (folder / str(one["file_name"])).write_bytes(b"x")
    path = folder / "annotations.json"
    path.write_text(json.dumps(found))
    return path


def test_coco_annotations_that_make_no_sense_are_found(tmp_path, capsys):
    status, text = inspected(capsys, coco(tmp_path))
    assert status == 0
    assert "pictures: 4, 1 of them without annotations" in text and "annotations: 6, 0 of crowds; categories: 1" in text

    def spoil(annotations):
        annotations[0]["bbox"] = [1, 2, 0, 5]
        annotations[1]["bbox"] = [1, 2, 3]
        annotations[2]["bbox"] = [600, 2, 100, 5]
        annotations[3]["image_id"] = 77
        annotations[4]["category_id"] = 9
        annotations[5]["bbox"] = [1, 2, 3, float("nan")]

    def more(images):
        images += [{"id": 3, "file_name": "3.jpg"}, {"id": 8, "file_name": "none.jpg"}, {"id": 9}]

    status, text = inspected(capsys, coco(tmp_path, annotations=spoil, images=more), "--images", tmp_path)
    assert status == 1
    for words in (
        "annotation 0: has a box of no size: 0 x 5", "annotation 1: has no box of four numbers",
        "annotation 2: has a box that reaches out", "annotation 3: is of picture 77, which is not there",
        "annotation 4: is of category 9", "picture 3: 2 pictures have this id", "picture 8: there is no file",
        "picture 9: has no file_name", "annotation 5: has no box",
    ):  # fmt: skip
        assert words in text


@pytest.mark.parametrize("text", ["{", "[1, 2]", '{"images": 7}', '{"images": [7]}', "[" * 100_000])
def test_what_is_no_file_of_annotations_is_said(tmp_path, capsys, text):
    path = tmp_path / "a.json"
    path.write_text(text)
    assert cli.main(["inspect", str(path)]) == 1
    assert capsys.readouterr().err != ""


def test_cut_off_shards_and_wrong_sums_are_found_among_others(tmp_path, capsys):
    for shard in range(3):
        records.write_tfrecords(tmp_path / f"{shard}.tfrecord", [{"image": picture(i), "label": i} for i in range(5)])
    cut, wrong = tmp_path / "0.tfrecord", tmp_path / "2.tfrecord"
    cut.write_bytes(cut.read_bytes()[:-10])
    data = bytearray(wrong.read_bytes())
    data[60] ^= 1
    pathlib.Path(wrong).write_bytes(data)
    status, text = inspected(capsys, tmp_path)
    assert status == 1
    assert "0.tfrecord: " in text and "2.tfrecord at index" in text and "1.tfrecord" not in text
