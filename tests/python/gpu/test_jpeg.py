"""JPEG decoding on a GPU: every pixel is the CPU's, whatever the file."""

import io
import json
import pathlib

import numpy as np
import pytest

from penstock import fn, packing, pipeline_def, types

PIL = pytest.importorskip("PIL.Image")

SIZES = [(1, 1), (1, 40), (40, 1), (2, 3), (7, 9), (8, 8), (16, 17), (33, 31), (120, 101), (375, 500), (600, 77)]
SUBSAMPLINGS = {"444": 0, "422": 1, "420": 2}


def _picture(height, width, seed, mode="RGB"):
    """Smooth shapes with noise on top, so that blocks of all kinds are in it."""
    random = np.random.default_rng(seed)
    channels = {"L": 1, "RGB": 3, "CMYK": 4}[mode]
    small = random.integers(0, 255, (height // 16 + 2, width // 16 + 2, channels), dtype=np.uint8)
    bands = [PIL.fromarray(small[..., c]).resize((width, height), PIL.BILINEAR) for c in range(channels)]
    smooth = np.stack([np.asarray(band) for band in bands], -1).astype(np.int16)
    noisy = np.clip(smooth + random.integers(-20, 20, smooth.shape), 0, 255).astype(np.uint8)
    return PIL.fromarray(noisy[..., 0] if mode == "L" else noisy, mode)


def _encoded(picture, **options):
    file = io.BytesIO()
    picture.save(file, "JPEG", **options)
    return np.frombuffer(file.getvalue(), np.uint8)


def _decoded(files, device, operator="image", on_error="raise", multiprocessors=0, **options):
    settings = {"device_id": 0, "seed": 7, "on_error": on_error, "multiprocessors": multiprocessors}

    @pipeline_def(batch_size=len(files), num_threads=4, **settings)
    def pipeline():
        encoded = fn.external_source(source=lambda: files, batch=True)
        return getattr(fn.decoders, operator)(encoded, device=device, **options)

    (batch,) = pipeline().run()
    batch = batch.as_cpu() if device == "mixed" else batch
    return [np.array(batch[i]) for i in range(len(batch))], batch


def _assert_same(files, operator="image", on_error="raise", **options):
    expected, _ = _decoded(files, "cpu", operator, on_error, **options)
    got, _ = _decoded(files, "mixed", operator, on_error, decoder="cuda", **options)
    assert len(got) == len(expected)
    for i, (a, b) in enumerate(zip(expected, got, strict=True)):
        np.testing.assert_array_equal(b, a, err_msg=f"file {i}")


@pytest.mark.parametrize("subsampling", SUBSAMPLINGS)
@pytest.mark.parametrize("more", [{}, {"optimize": True}, {"restart_marker_rows": 1}, {"restart_marker_blocks": 3}])
def test_subsampling(subsampling, more):
    files = [
        _encoded(_picture(h, w, i), quality=60 + 3 * i, subsampling=SUBSAMPLINGS[subsampling], **more)
        for i, (h, w) in enumerate(SIZES)
    ]
    _assert_same(files)


def test_every_subsampling_that_the_standard_has():
    """Sampling factors of the three components in the files' names, as no common encoder writes most of them."""
    folder = pathlib.Path(__file__).parents[2] / "data" / "subsampling"
    files = [np.fromfile(path, np.uint8) for path in sorted(folder.glob("*.jpg"))]
    assert files
    _assert_same(files)
    for seed in range(4):
        _assert_same(files, "image_random_crop", random_area=[0.01, 1.0], seed=seed)
    _assert_same(files, output_type=types.GRAY)


@pytest.mark.parametrize("quality", [1, 10, 30, 75, 96, 100])
def test_quality(quality):
    _assert_same([_encoded(_picture(h, w, i), quality=quality) for i, (h, w) in enumerate(SIZES)])


@pytest.mark.parametrize("output_type", ["RGB", "BGR", "GRAY", "YCbCr", "ANY_DATA"])
def test_colours(output_type):
    files = [_encoded(_picture(90, 70, i, mode), quality=90) for i, mode in enumerate(["RGB", "L", "CMYK"])]
    files.append(_encoded(_picture(90, 70, 4), quality=90, keep_rgb=True))
    _assert_same(files, output_type=getattr(types, output_type))


def test_orientations():
    files = []
    for orientation in range(1, 9):
        exif = PIL.Exif()
        exif[0x0112] = orientation
        files.append(_encoded(_picture(50, 83, orientation), quality=90, exif=exif))
    _assert_same(files)
    _assert_same(files, adjust_orientation=False)
    _assert_same(files, "image_crop", crop=(21, 17), crop_pos_x=0.3, crop_pos_y=0.9)


@pytest.mark.parametrize("subsampling", SUBSAMPLINGS)
def test_windows(subsampling):
    picture = _picture(203, 317, 1)
    files = [_encoded(picture, quality=92, subsampling=SUBSAMPLINGS[subsampling])] * 24
    _assert_same(files, "image_random_crop", random_area=[0.01, 1.0])
    for crop, y, x in [((1, 1), 0, 0), ((1, 1), 1, 1), ((17, 203), 0.5, 0.5), ((200, 9), 1, 0.2), ((203, 317), 0, 0)]:
        _assert_same(files[:1], "image_crop", crop=crop, crop_pos_x=x, crop_pos_y=y)


def test_what_the_gpu_does_not_decode_is_decoded_beside_it():
    png = io.BytesIO()
    _picture(31, 41, 2).save(png, "PNG")
    files = [
        _encoded(_picture(64, 64, 0), quality=90),
        _encoded(_picture(99, 64, 1), quality=90, progressive=True),
        np.frombuffer(png.getvalue(), np.uint8),
        _encoded(_picture(64, 99, 3, "CMYK"), quality=90),
    ]
    _assert_same(files)
    _assert_same(files, dtype=types.FLOAT)


def test_large_and_small_in_one_batch():
    sizes = [(1500, 2000), (8, 8), (375, 500), (1, 3000)]
    _assert_same([_encoded(_picture(h, w, i), quality=95, subsampling=0) for i, (h, w) in enumerate(sizes)])


@pytest.mark.parametrize("multiprocessors", [0, 8])
def test_records_in_the_page_cache_are_as_their_copies(tmp_path, multiprocessors):
    folder = tmp_path / "pictures" / "one"
    folder.mkdir(parents=True)
    for i in range(90):
        (folder / f"{i:02}.jpg").write_bytes(_encoded(_picture(230 + i, 240, i), quality=96, subsampling=0).tobytes())
    packing.pack_folder(folder.parent, tmp_path / "db")

    def batches(**reading):
        @pipeline_def(batch_size=90, num_threads=4, device_id=0, seed=3, multiprocessors=multiprocessors)
        def pipeline():
            encoded, labels = fn.readers.caffe2(path=str(tmp_path / "db"), random_shuffle=True, **reading)
            return fn.decoders.image(encoded, device="mixed"), labels

        made = pipeline()
        for _ in range(4):  # scans are copied until what they lie in is pinned
            batch = made.run()[0].as_cpu()
            yield [np.array(batch[i]) for i in range(len(batch))]

    for n, (there, copied) in enumerate(zip(batches(), batches(dont_use_mmap=True), strict=True)):
        for i, (a, b) in enumerate(zip(there, copied, strict=True)):
            np.testing.assert_array_equal(a, b, err_msg=f"batch {n}, picture {i}")


@pytest.mark.parametrize("multiprocessors", [0, 8])
@pytest.mark.parametrize("count", [1, 8, 12, 30, 60])
def test_files_that_thread_blocks_share(count, multiprocessors):
    """Sixteen, eight, four and two of them a file; where multiprocessors are few, each has its own."""
    sizes = [(375, 500), (40, 90), (120, 101), (1200, 1600)] if count < 30 else [(375, 500), (16, 17)]
    files = [
        _encoded(_picture(*sizes[i % len(sizes)], i), quality=70 + i % 29, subsampling=i % 3, optimize=i % 4 == 3)
        for i in range(count)
    ]
    _assert_same(files, multiprocessors=multiprocessors)


@pytest.mark.parametrize("multiprocessors", [0, 32])
def test_batches_that_fill_the_gpu_take_turns_and_stay_what_they_are(multiprocessors):
    batches = [
        [_encoded(_picture(40 + 7 * (i % 9), 200 - 11 * (i % 7), 1000 * b + i), subsampling=i % 3) for i in range(160)]
        for b in range(3)
    ]

    def decoding(device, **options):
        @pipeline_def(batch_size=160, device_id=0, prefetch_queue_depth=3, multiprocessors=multiprocessors)
        def pipeline():
            files = fn.external_source(source=lambda i: batches[i % 3], batch=True)
            return fn.resize(fn.decoders.image(files, device=device, **options), size=[64, 64], antialias=False)

        return pipeline()

    on_cpu, on_gpu = decoding("cpu"), decoding("mixed", decoder="cuda")
    expected = [on_cpu.run()[0].as_array() for _ in range(3)]
    for i in range(12):
        np.testing.assert_allclose(on_gpu.run()[0].as_cpu().as_array(), expected[i % 3], atol=1, err_msg=f"batch {i}")


def test_what_an_encoder_writes_is_not_decoded_twice(tmp_path):
    """What the GPU refuses is decoded again by the CPU, whose pixels are right, too: here nothing is refused."""
    options = [{"subsampling": s, "quality": q} for s in (0, 2) for q in (60, 95)]
    files = [_encoded(_picture(375, 500, i), **o) for i, o in enumerate(options)]
    files += [_encoded(_picture(375, 500, 9), restart_marker_rows=2, **o) for o in options]
    files += [_encoded(_picture(1500, 2000, 10), subsampling=0, quality=95)]
    assert files[-1].size > 2 << 20  # its bits are more than fit in 24
    for count in (1, 3, len(files), 40, 70):
        batch = [files[-1 - i % len(files)] for i in range(count)]

        @pipeline_def(batch_size=count, num_threads=4, device_id=0, prefetch_queue_depth=1)
        def pipeline(batch=batch):
            encoded = fn.external_source(source=lambda: batch, batch=True)
            return fn.decoders.image(encoded, device="mixed", decoder="cuda")

        pipe = pipeline()
        with pipe.trace(tmp_path / "trace.json"):
            pipe.run()
        events = json.loads((tmp_path / "trace.json").read_text())
        events = events["traceEvents"] if isinstance(events, dict) else events
        looks = [e["args"]["sample"] for e in events if "decoders.image" in e["name"] and e["args"].get("batch") == 0]
        assert sorted(s for s in looks if s >= 0) == list(range(count)), f"batch of {count}"


def test_mutated_files_are_treated_as_on_the_cpu():
    """2,000 files with bits turned or cut off: the same pictures come out, and the same samples are left out."""
    random = np.random.default_rng(5)
    originals = [
        _encoded(_picture(60, 70, 0), quality=90, subsampling=s, **more)
        for s in (0, 2)
        for more in ({}, {"restart_marker_rows": 1})
    ]
    mutated = []
    for i in range(2000):
        file = originals[i % len(originals)].copy()
        scan = file.tobytes().index(b"\xff\xda")
        if i % 5 == 0:
            file = file[: int(random.integers(scan, len(file)))].copy()
        else:
            for _ in range(int(random.integers(1, 4))):
                file[random.integers(2 if i % 7 == 0 else scan + 14, len(file))] ^= 1 << random.integers(0, 8)
        mutated.append(file)
    for first in range(0, len(mutated), 250):
        _assert_same(mutated[first : first + 250], on_error="skip")


def test_a_damaged_file_is_named():
    files = [_encoded(_picture(60, 70, 0), quality=90), np.frombuffer(b"\xff\xd8\xff no picture", np.uint8)]
    with pytest.raises(RuntimeError, match="Failed to decode"):
        _decoded(files, "mixed", decoder="cuda")


def _epochs(files, device, operator, count=3, **options):
    """`count` batches of the same files, with windows of their own."""

    @pipeline_def(batch_size=len(files), num_threads=4, device_id=0, seed=3, on_error="skip")
    def pipeline():
        encoded = fn.external_source(source=lambda: files, batch=True)
        return getattr(fn.decoders, operator)(encoded, device=device, **options)

    pipe = pipeline()
    batches = [pipe.run()[0] for _ in range(count)]
    if device == "mixed":
        batches = [batch.as_cpu() for batch in batches]
    return [np.array(batch[i]) for batch in batches for i in range(len(batch))]


def _assert_checkpoints_change_nothing(files, operator="image_random_crop", **options):
    if operator == "image_random_crop":
        options["random_area"] = [0.01, 1.0]
    expected = _epochs(files, "cpu", operator, **options)
    got = _epochs(files, "mixed", operator, decoder="cuda", checkpoints=64, **options)
    assert len(got) == len(expected)
    for i, (a, b) in enumerate(zip(expected, got, strict=True)):
        np.testing.assert_array_equal(b, a, err_msg=f"picture {i} of {len(got)}")


@pytest.mark.parametrize("count", [1, 8, 30, 60, 300])
@pytest.mark.parametrize("subsampling", SUBSAMPLINGS)
def test_checkpoints(subsampling, count):
    """Numbers of files that one, two, four and sixteen thread blocks share, in sizes with less than a row of places to
    more rows than threads have places."""
    sizes = [SIZES[(i + 9) % len(SIZES)] for i in range(count)] + [(1500, 2000)] * (count == 8)
    files = [
        _encoded(_picture(h, w, i), quality=60 + i % 37, subsampling=SUBSAMPLINGS[subsampling])
        for i, (h, w) in enumerate(sizes)
    ]
    _assert_checkpoints_change_nothing(files)


def test_checkpoints_of_every_subsampling_colour_orientation_and_of_whole_pictures():
    folder = pathlib.Path(__file__).parents[2] / "data" / "subsampling"
    files = [np.fromfile(path, np.uint8) for path in sorted(folder.glob("*.jpg"))]
    for orientation in range(1, 9):
        exif = PIL.Exif()
        exif[0x0112] = orientation
        files.append(_encoded(_picture(150, 283, orientation), quality=90, exif=exif))
    files.append(_encoded(_picture(200, 300, 1), quality=90, keep_rgb=True))
    files.append(_encoded(_picture(200, 300, 2), quality=90, restart_marker_rows=1))
    files.append(_encoded(_picture(200, 300, 3), quality=90, progressive=True))
    _assert_checkpoints_change_nothing(files)
    _assert_checkpoints_change_nothing(files, output_type=types.GRAY)
    _assert_checkpoints_change_nothing(files, "image")


def test_checkpoints_of_damaged_files():
    random = np.random.default_rng(6)
    original = _encoded(_picture(120, 210, 0), quality=90)
    scan = original.tobytes().index(b"\xff\xda")
    files = []
    for i in range(300):
        file = original.copy() if i % 5 else original[: int(random.integers(scan, len(original)))].copy()
        file[random.integers(scan + 14, len(file))] ^= 1 << random.integers(0, 8)
        files.append(file)
    _assert_checkpoints_change_nothing(files)
    _assert_checkpoints_change_nothing(files, "image")


def test_a_sidecar_of_the_cpu_serves_the_gpu(tmp_path):
    files = [_encoded(_picture(375, 500, i), quality=90, subsampling=2 * (i % 2)) for i in range(12)]
    options = {"random_area": [0.05, 0.3], "checkpoints": 16, "checkpoint_file": str(tmp_path / "places")}
    expected = _epochs(files, "cpu", "image_random_crop", **options)
    size = (tmp_path / "places").stat().st_size
    got = _epochs(files, "mixed", "image_random_crop", decoder="cuda", **options)
    assert (tmp_path / "places").stat().st_size == size > 1000, "all files were known"
    for a, b in zip(expected, got, strict=True):
        np.testing.assert_array_equal(b, a)
