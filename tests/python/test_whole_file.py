"""Several threads, pipelines and processes write one file at one time: it is that of one of them, and none fails."""

import os
import threading

import numpy as np
import pytest

from penstock import Pipeline, fn
from penstock._whole_file import whole_file


def at_once(functions):
    errors = []

    def guarded(function):
        try:
            function()
        except BaseException as error:  # noqa: BLE001 - compared below
            errors.append(error)

    threads = [threading.Thread(target=guarded, args=[function]) for function in functions]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return errors


def test_writers_do_not_meet(tmp_path):
    path = tmp_path / "file"

    def write(letter):
        for _ in range(50):
            with whole_file(path, "w") as file:
                file.write(letter * 10_000)

    assert at_once([lambda letter=letter: write(letter) for letter in "abcd"]) == []
    text = path.read_text()
    assert text == text[0] * 10_000
    assert os.listdir(tmp_path) == ["file"]


def test_an_error_leaves_the_old_file(tmp_path):
    path = tmp_path / "file"
    path.write_text("old")
    with pytest.raises(KeyError), whole_file(path, "w") as file:
        file.write("new")
        raise KeyError
    assert path.read_text() == "old"
    assert os.listdir(tmp_path) == ["file"]


def test_pipelines_dump_pictures_to_one_folder(tmp_path):
    """As a validation pipeline beside the training one does: names repeat, files are whole."""
    picture = np.full((8, 8, 3), 7, np.uint8)

    def run():
        with Pipeline(batch_size=1, num_threads=2) as pipe:
            source = fn.external_source(lambda: [picture], layout="HWC")
            pipe.set_outputs(fn.dump_image(source, folder=str(tmp_path)))
            for _ in range(300):
                pipe.run()

    assert at_once([run, run, run]) == []
    files = list(tmp_path.iterdir())
    assert {file.suffix for file in files} == {".ppm"}
    assert {file.read_bytes() for file in files} == {b"P6\n8 8\n255\n" + picture.tobytes()}
