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


def test_a_folder_of_pictures_is_described(pictures, capsys, tmp_path):
    status, text = inspected(capsys, pictures, "--picture", tmp_path / "sheet.png")
    assert status == 0
    for line in ("a folder of pictures", "samples: 12,", "formats: jpg 12", "labels: 2, from 0 to 1, of 6 to 6",
                 "0 (cat): 6", "damaged: none", "12 pictures in"):  # fmt: skip
        assert line in text
    assert (tmp_path / "sheet.png").read_bytes().startswith(b"\x89PNG")


def test_wrong_checksums_are_found(tmp_path, capsys):
    path = tmp_path / "all.tfrecord"
    records.write_tfrecords(path, [{"image": picture(i), "label": i % 3} for i in range(8)])
    assert inspected(capsys, path)[0] == 0
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.write_bytes(data)
    status, text = inspected(capsys, path)
    assert status == 1
    assert "samples: 7," in text and "damaged: 1" in text and "all.tfrecord at index" in text and "checksum" in text


def test_a_shard_that_was_cut_off_is_named_and_the_others_are_read(tmp_path, capsys):
    for shard in range(3):
        members = [
            (f"{i}.{kind}", picture(i) if kind == "jpg" else b"%d" % i) for i in range(4) for kind in ("jpg", "cls")
        ]
        records.write_tar(tmp_path / f"{shard}.tar", members)
    whole = (tmp_path / "1.tar").read_bytes()
    (tmp_path / "1.tar").write_bytes(whole[: len(whole) // 2 - 100])
    status, text = inspected(capsys, tmp_path)
    assert status == 1
    assert "WebDataset in 3 files" in text and "samples: 8," in text
    assert "damaged: 1" in text and "1.tar: " in text and "cut off" in text


def test_pictures_that_are_none_are_counted(tmp_path, capsys):
    pa, pq = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    files = [picture(0), picture(1)[:30], b"text, no picture", picture(3, 10, 10)]
    pq.write_table(pa.table({"image": files, "label": [0, 1, 1, 7]}), tmp_path / "p.parquet")
    status, text = inspected(capsys, tmp_path / "p.parquet")
    assert status == 1
    assert 'Parquet in 1 file (pictures in "image", labels in "label")' in text
    assert "formats: jpg 3, bin 1" in text and "labels: 3, from 0 to 7, of 1 to 2" in text
    assert "damaged: 1" in text and "row group 0 row 1" in text and "10 to 24 high" in text


def test_a_limit_ends_early(pictures, capsys):
    assert "samples: 5," in inspected(capsys, pictures, "--limit", 5)[1]


def test_what_is_no_data_set_is_said(tmp_path, capsys):
    (tmp_path / "notes.txt").write_text("nothing")
    for path, words in ((tmp_path / "notes.txt", "no data set that is known"), (tmp_path / "none", "does not exist"),
                        (tmp_path, "neither pictures")):  # fmt: skip
        assert cli.main(["inspect", str(path)]) == 1
        assert words in capsys.readouterr().err
