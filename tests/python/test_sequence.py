"""readers.sequence beside DALI's: which frames, in which order, and what is refused."""

import io
import warnings

import numpy as np
import oracle
import PIL.Image
import pytest

import penstock
from penstock import Pipeline, fn, types


def picture(value, size=(6, 4), form="PNG"):
    file = io.BytesIO()
    PIL.Image.fromarray(np.full((size[1], size[0], 3), value, np.uint8) + np.uint8([0, 1, 2])).save(file, form)
    return file.getvalue()


@pytest.fixture(scope="module")
def videos(tmp_path_factory):
    """Videos of 5, 4 and 1 frames, one of another size, and what is no frame."""
    root = tmp_path_factory.mktemp("videos")
    for k, (name, frames) in enumerate([("a", 5), ("b", 3), ("c", 1), ("d/deep", 4), ("e", 6)]):
        (root / name).mkdir(parents=True)
        for i in range(frames):
            (root / name / f"{i:02}.png").write_bytes(picture(40 * k + 5 * i, (6 + 2 * k, 4 + k)))
    (root / "b" / "notes.txt").write_text("no picture")
    (root / "b" / "zz.PNG").write_bytes(picture(77, (8, 5)))
    (root / "top.png").write_bytes(picture(1))
    return str(root)


def epoch_of(module, root, **arguments):
    pipe = module.Pipeline(batch_size=1, num_threads=1, device_id=None)
    with warnings.catch_warnings(), pipe:
        warnings.simplefilter("ignore")
        pipe.set_outputs(module.fn.readers.sequence(file_root=root, name="Reader", **arguments))
    pipe.build()
    batches = [pipe.run()[0] for _ in range(pipe.epoch_size("Reader"))]
    assert {one.layout() for one in batches} == {"FHWC"}
    return [np.array(one.at(0)) for one in batches]


CHOICES = [
    {"sequence_length": 1}, {"sequence_length": 2}, {"sequence_length": 3, "step": 2},
    {"sequence_length": 2, "stride": 2}, {"sequence_length": 3, "step": 3, "stride": 2}, {"sequence_length": 6},
    {"sequence_length": 2, "step": 100}, {"sequence_length": 2, "image_type": types.GRAY},
    {"sequence_length": 2, "image_type": types.BGR}, {"sequence_length": 2, "num_shards": 3, "shard_id": 1},
]  # fmt: skip


@pytest.mark.parametrize("arguments", CHOICES, ids=str)
def test_sequences_are_dalis(videos, arguments):
    mine, theirs = epoch_of(penstock, videos, **arguments), epoch_of(oracle.dali(), videos, **arguments)
    assert len(mine) == len(theirs) > 0
    # OpenCV, which DALI reads frames with, rounds gray in another way.
    tolerance = 1 if arguments.get("image_type") == types.GRAY else 0
    for a, b in zip(mine, theirs, strict=True):
        assert (a.shape, a.dtype) == (b.shape, b.dtype)
        np.testing.assert_allclose(a.astype(int), b.astype(int), rtol=0, atol=tolerance)


def test_a_shuffled_epoch_has_each_sequence_once(videos):
    plain = [one.tobytes() for one in epoch_of(penstock, videos, sequence_length=2)]
    shuffled = [one.tobytes() for one in epoch_of(penstock, videos, sequence_length=2, random_shuffle=True)]
    assert sorted(plain) == sorted(shuffled)
    assert plain != shuffled


def test_old_names_make_the_same_reader(videos):
    with Pipeline(1) as pipe:
        pipe.set_outputs(fn.sequence_reader(file_root=videos, sequence_length=2))
    first = np.array(pipe.run()[0].at(0))
    reader = penstock.ops.SequenceReader(file_root=videos, sequence_length=2)
    with Pipeline(1) as pipe:
        pipe.set_outputs(reader())
    np.testing.assert_array_equal(np.array(pipe.run()[0].at(0)), first)


@pytest.mark.parametrize(
    "arguments, message",
    [({"sequence_length": 0}, "`sequence_length` must be positive"), ({"sequence_length": 2, "step": 0}, "`step`"),
     ({"sequence_length": 2, "stride": -1}, "`stride`"), ({"sequence_length": 99}, "has the frames of a sequence: 99"),
     ({"sequence_length": 2, "stride": 1 << 62}, "has the frames of a sequence"),
     ({"sequence_length": 1 << 62}, "has the frames of a sequence")],
)  # fmt: skip
def test_wrong_arguments_are_refused(videos, arguments, message):
    with pytest.raises(ValueError, match=rf"\[readers.sequence\].*{message}"):
        epoch_of(penstock, videos, **arguments)


def test_folders_without_frames_are_refused(tmp_path):
    for root in (tmp_path, tmp_path / "none"):
        with pytest.raises(ValueError, match=r"\[readers.sequence\]"):
            epoch_of(penstock, str(root), sequence_length=1)


def test_frames_that_are_damaged_or_of_another_size_are_named(tmp_path):
    (tmp_path / "v").mkdir()
    for i, content in enumerate([picture(1), picture(2), b"junk", picture(3), picture(4), picture(5, (7, 4))]):
        (tmp_path / "v" / f"{i}.png").write_bytes(content)
    with Pipeline(5, on_error="skip") as pipe:
        pipe.set_outputs(fn.readers.sequence(file_root=str(tmp_path), sequence_length=2))
    assert [int(np.array(one)[0, 0, 0, 0]) for one in pipe.run()[0]] == [1, 3]
    told = {(failure.source.rpartition("/")[2], failure.reason) for failure in pipe.failures()}
    assert {source for source, _ in told} == {"2.png", "5.png"}
    assert any("a frame of" in message for _, message in told)
