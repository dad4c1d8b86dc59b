import numpy as np
import pytest

from penstock import _sheet, cli

Image = pytest.importorskip("PIL.Image")

SCRIPT = """
import numpy as np
from penstock import fn, pipeline_def, types
from penstock.plugin.jax import data_iterator

def colours(i):
    return [np.full((20, 30, 3), [200, 10 * k, 0], np.uint8) for k in range(4)]

@pipeline_def(batch_size=4, device_id=None)
def marked():
    images = fn.external_source(colours, layout="HWC")
    return fn.crop_mirror_normalize(images, dtype=types.FLOAT, std=[64.0], output_layout="CHW")

def bare(level):
    return fn.external_source(lambda i: [np.full((8, 8), 7 * level, np.uint8)], layout="HW"), np.int32(7)

@data_iterator(output_map=["images"], devices=None)
def decorated(shard_id, num_shards):
    assert (shard_id, num_shards) == (0, 1)
    return fn.external_source(colours, layout="HWC")

def starred(*more, **named):
    assert not more and not named
    return fn.external_source(colours, layout="HWC")

def numbers():
    return fn.external_source(lambda i: [np.zeros(3, np.float32)])
"""


@pytest.fixture
def program(tmp_path):
    path = tmp_path / "program.py"
    path.write_text(SCRIPT)
    return path


def view(what, out, *more):
    status = cli.main(["view", str(what), "-o", str(out), *more])
    return np.asarray(Image.open(out)) if status == 0 else None


@pytest.fixture
def said(monkeypatch):
    """The captions of the sheets that are drawn."""
    captions, draw = set(), _sheet.contact_sheet
    monkeypatch.setattr(_sheet, "contact_sheet", lambda drawn, below: captions.update(below) or draw(drawn, below))
    return captions


def test_folder_becomes_a_sheet_with_the_names_of_its_classes(pictures, tmp_path, capsys, said):
    sheet = view(pictures, tmp_path / "sheet.png")
    assert sheet.ndim == 3
    assert said == {"cat", "dog"}
    assert "12 pictures" in capsys.readouterr().out  # each once


def test_flat_folder_is_drawn_too(pictures, tmp_path):
    assert view(pictures / "cat", tmp_path / "sheet.png") is not None


def test_a_bad_file_is_named_and_the_others_are_drawn(pictures, tmp_path, capsys):
    bad = pictures / "cat" / "bad.jpg"
    bad.write_bytes(b"no picture")
    try:
        assert view(pictures, tmp_path / "sheet.png") is not None
    finally:
        bad.unlink()
    said = capsys.readouterr()
    assert "13 pictures" in said.out
    assert f"{bad}: Failed to decode" in said.err


def test_the_package_runs_as_the_command_does(script, program, tmp_path):
    out = script("-m", "penstock", "view", f"{program}:marked", "-o", tmp_path / "sheet.png")
    assert out == f"4 pictures in {tmp_path / 'sheet.png'}\n"


def test_function_may_take_any_arguments(program, tmp_path):
    assert view(f"{program}:starred", tmp_path / "sheet.png") is not None


def test_packed_pictures_are_drawn_with_their_labels(pictures, tmp_path, said):
    assert cli.main(["pack", str(pictures), str(tmp_path / "db")]) == 0
    assert view(tmp_path / "db", tmp_path / "sheet.png") is not None
    assert said == {0, 1}


def test_marked_pipeline_is_drawn_with_its_floats_stretched(program, tmp_path):
    sheet = view(f"{program}:marked", tmp_path / "sheet.png")
    colours = {tuple(colour) for colour in sheet.reshape(-1, 3)}
    assert {(255, 0, 0), (255, 13, 0), (255, 26, 0), (255, 38, 0)} <= colours  # 10 k of 200, of 255


def test_bare_function_gets_its_arguments(program, tmp_path, capsys):
    assert view(f"{program}:bare", tmp_path / "sheet.png") is None
    assert "--set level=VALUE" in capsys.readouterr().err
    sheet = view(f"{program}:bare", tmp_path / "sheet.png", "--set", "level=11")
    assert (77, 77, 77) in {tuple(colour) for colour in sheet.reshape(-1, 3)}


def test_function_of_an_iterator_is_drawn_as_the_only_shard(program, tmp_path, capsys):
    assert view(f"{program}:decorated", tmp_path / "sheet.png", "--batches", "2") is not None
    assert "8 pictures" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("what", "message"),
    [
        ("{}:numbers", "no output of the pipeline is pictures"),
        ("{}:none", "has no 'none'"),
        ("none.py:f", "there is no script"),
        ("nowhere", "SCRIPT.py:function"),
    ],
)
def test_what_cannot_be_drawn_is_said(program, tmp_path, capsys, what, message):
    assert view(what.format(program), tmp_path / "sheet.png") is None
    assert message in capsys.readouterr().err


def test_pictures_of_all_layouts_look_the_same():
    pixels = np.random.default_rng(1).integers(0, 255, (6, 8, 3), np.uint8)
    chw = np.ascontiguousarray(np.moveaxis(pixels, 2, 0))
    for array, layout in ((pixels, "HWC"), (chw, "CHW"), (chw, ""), (chw[None], "FCHW")):
        np.testing.assert_array_equal(_sheet.as_picture(array, layout), pixels)
    np.testing.assert_array_equal(_sheet.as_picture(pixels[..., 0])[..., 2], pixels[..., 0])
    assert _sheet.as_picture(np.zeros(3)) is None
    assert _sheet.as_picture(np.zeros((4, 5, 6)), "") is None


def test_stretching_bears_what_is_not_finite():
    floats = np.array([[[np.nan], [-1.0]], [[np.inf], [3.0]]], np.float32)
    assert _sheet.as_picture(floats, "HWC")[..., 0].tolist() == [[0, 0], [0, 255]]


def test_caption_stands_under_its_picture():
    black = np.zeros((128, 128, 3), np.uint8)
    plain = _sheet.contact_sheet([black, black], ["", ""])
    said = _sheet.contact_sheet([black, black], ["", "K9"])
    rows, columns = np.nonzero((plain != said).any(axis=2))
    assert rows.min() >= 4 + 128
    assert columns.min() >= plain.shape[1] // 2
    assert len(rows) == sum(bin(row).count("1") for row in bytes.fromhex("111214181412110E11110F01020C"))


def test_large_pictures_are_shrunk_and_small_ones_enlarged():
    assert _sheet.contact_sheet([np.zeros((3000, 4, 3), np.uint8)]).shape[0] < 270
    assert _sheet.contact_sheet([np.zeros((28, 28, 3), np.uint8)]).shape[0] > 100


LABELLED = """
import numpy as np
from penstock import fn

def scene():
    images = fn.reshape(np.zeros((96, 128, 3), np.uint8), layout="HWC")
    boxes = np.float32([[10, 20, 30, 40], [60, 10, 20, 20], [-1, -1, -1, -1]])
    keypoints = np.float32([[[100, 80, 2], [110, 80, 0]]])
    mask = np.zeros((96, 128, 1), np.uint8)
    mask[70:90, 5:25] = 3
    return images, boxes, keypoints, mask

def corners():
    images = np.zeros((96, 128, 3), np.uint8)
    return fn.reshape(images, layout="HWC"), np.float32([[0.25, 0.25, 0.5, 0.75]]), 7
"""


def drawn_on(tmp_path, what, *more, script=LABELLED):
    """Where the first picture of the sheet is not black, as an array of the picture's size."""
    path = tmp_path / "labelled.py"
    path.write_text(script)
    sheet = view(f"{path}:{what}", tmp_path / "sheet.png", *more)
    return None if sheet is None else sheet[4:100, 4:132]


def test_labels_are_drawn_by_the_names_of_the_variables_returned(tmp_path):
    picture = drawn_on(tmp_path, "scene")
    lit = picture.any(axis=2)
    expected = np.zeros((96, 128), bool)
    for x, y, w, h in ((10, 20, 30, 40), (60, 10, 20, 20)):
        expected[y : y + h, x : x + w] = True
        expected[y + 1 : y + h - 1, x + 1 : x + w - 1] = False
    expected[79:82, 99:102] = True
    expected[70:90, 5:25] = True
    np.testing.assert_array_equal(lit, expected)
    assert not np.array_equal(picture[20, 15], picture[10, 65]), "each box has its colour"


def test_labels_are_drawn_by_number_with_corners_and_in_parts(tmp_path):
    lit = drawn_on(tmp_path, "corners", "--boxes", "1", "--ltrb").any(axis=2)
    expected = np.zeros((96, 128), bool)
    expected[24:72, 32:64] = True
    expected[25:71, 33:63] = False
    np.testing.assert_array_equal(lit, expected)
    assert not drawn_on(tmp_path, "corners").any()


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (["--boxes", "9"], "there is no output 9: the pipeline has 4"),
        (["--boxes", "keypoints"], r"output 2 holds no boxes: its samples have shapes such as (1, 2, 3) of float32"),
        (["--masks", "outline"], "there is no output 'outline'; there are 'images', 'boxes', 'keypoints', 'mask'"),
    ],
)
def test_labels_that_are_none_are_said(tmp_path, capsys, more, message):
    assert drawn_on(tmp_path, "scene", *more) is None
    assert message in capsys.readouterr().err


def test_labels_on_large_pictures_are_as_thick_as_on_small_ones(tmp_path):
    script = """
import numpy as np
from penstock import fn
def large():
    pictures = fn.reshape(np.zeros((1000, 1000, 1), np.uint8), layout="HWC")
    boxes = np.float32([[100, 200, 300, 400]])
    return pictures, boxes
"""
    path = tmp_path / "large.py"
    path.write_text(script)
    lit = view(f"{path}:large", tmp_path / "sheet.png")[4:254, 4:254].any(axis=2)
    assert set(np.flatnonzero(lit.any(1))) == set(range(50, 150))
    assert lit.sum() == 2 * 75 + 2 * 98
