import numpy as np
import pytest

from penstock import cli, fn, pipeline_def


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
    def write(name, array):
        head = bytes([0, 0, 8, array.ndim]) + np.array(array.shape, ">u4").tobytes()
        (tmp_path / name).write_bytes(head + array.tobytes())

    write("t10k-images-idx3-ubyte", np.zeros((3, 28, 28), np.uint8))
    with pytest.raises(FileNotFoundError, match="t10k-labels-idx1-ubyte"):
        cli.pack._labels_of(tmp_path / "t10k-images-idx3-ubyte")
    write("t10k-labels-idx1-ubyte", np.array([5, 0, 9], np.uint8))
    assert cli.main(["pack", str(tmp_path / "t10k-images-idx3-ubyte"), str(tmp_path / "db")]) == 0
    assert read_back(tmp_path / "db", 3)[1] == [5, 0, 9]


def test_what_is_not_there_ends_with_a_message(tmp_path, capsys):
    assert cli.main(["pack", str(tmp_path / "none"), str(tmp_path / "db")]) == 1
    assert "does not exist" in capsys.readouterr().err
