import re

import numpy as np
import pytest
from idx import write_idx

from penstock import cli, fn, pipeline_def
from penstock.cli import pack


def read_back(database, count):
    @pipeline_def(batch_size=count, device_id=None)
    def reading():
        return tuple(fn.readers.caffe2(path=str(database)))

    files, labels = reading().run()
    return [np.array(one).tobytes() for one in files], np.array(labels.as_tensor()).ravel().tolist()


def test_tree_is_packed_with_its_folders_as_classes(pictures, tmp_path, capsys):
    (pictures / "cat" / "notes.txt").write_text("no picture")
    assert cli.main(["pack", str(pictures), str(tmp_path / "db")]) == 0
    (pictures / "cat" / "notes.txt").unlink()
    assert "12 pictures packed" in capsys.readouterr().out
    files, labels = read_back(tmp_path / "db", 12)
    assert labels == [0] * 6 + [1] * 6
    assert files[7] == (pictures / "dog" / "1.jpg").read_bytes()


def test_list_says_which_files_and_labels(pictures, tmp_path):
    (tmp_path / "list.txt").write_text("dog/3.jpg 40000\ncat/0.jpg 2\n")
    assert cli.main(["pack", str(pictures), str(tmp_path / "db"), "--labels", str(tmp_path / "list.txt")]) == 0
    files, labels = read_back(tmp_path / "db", 2)
    assert labels == [40000, 2]
    assert files[0] == (pictures / "dog" / "3.jpg").read_bytes()


def test_labels_of_an_idx_file_are_found_beside_it(tmp_path):
    write_idx(tmp_path / "t10k-images-idx3-ubyte", np.zeros((3, 28, 28), np.uint8))
    with pytest.raises(FileNotFoundError, match="t10k-labels-idx1-ubyte"):
        pack._labels_of(tmp_path / "t10k-images-idx3-ubyte")
    write_idx(tmp_path / "t10k-labels-idx1-ubyte", np.array([5, 0, 9], np.uint8))
    assert cli.main(["pack", str(tmp_path / "t10k-images-idx3-ubyte"), str(tmp_path / "db")]) == 0
    assert read_back(tmp_path / "db", 3)[1] == [5, 0, 9]


def test_quality_is_that_of_the_files(tmp_path):
    write_idx(tmp_path / "images", np.random.default_rng(1).integers(0, 256, (2, 28, 28), np.uint8))
    write_idx(tmp_path / "numbers", np.array([1, 2], np.uint8))
    sizes = {}
    for quality in ("20", "90"):
        arguments = [str(tmp_path / "images"), str(tmp_path / quality), "--labels", str(tmp_path / "numbers")]
        assert cli.main(["pack", *arguments, "--quality", quality]) == 0
        files, labels = read_back(tmp_path / quality, 2)
        assert labels == [1, 2]
        sizes[quality] = sum(map(len, files))
    assert sizes["20"] < 0.7 * sizes["90"]


def test_what_is_not_there_ends_with_a_message(tmp_path, capsys):
    assert cli.main(["pack", str(tmp_path / "none"), str(tmp_path / "db")]) == 1
    assert "does not exist" in capsys.readouterr().err


def test_what_cannot_be_packed_is_said_and_leaves_no_folder(pictures, tmp_path, capsys):
    labels = tmp_path / "t10k-labels-idx1-ubyte"
    write_idx(labels, np.array([5], np.uint8))
    write_idx(tmp_path / "images", np.zeros((1, 4, 4), np.uint8))
    for arguments, message in (
        ([str(labels)], "--labels"),
        ([str(pictures / "cat")], f"{pictures / 'cat'}: .*one folder a class"),
        ([str(tmp_path / "images"), "--labels", str(labels), "--quality", "0"], "quality must be 1 to 100, got 0"),
    ):
        source, *options = arguments
        assert cli.main(["pack", source, str(tmp_path / "db"), *options]) == 1
        assert re.search(message, capsys.readouterr().err)
        assert not (tmp_path / "db").exists()
