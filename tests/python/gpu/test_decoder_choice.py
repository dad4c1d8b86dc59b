"""Whoever decodes, the pixels are the CPU's."""

import io
import pathlib

import numpy as np
import pytest

from penstock import fn, pipeline_def, types

PIL = pytest.importorskip("PIL.Image")
SIZES = [(375, 500), (241, 333), (128, 128), (640, 131), (129, 777), (30, 40)]


def _picture(height, width, seed, mode="RGB"):
    random = np.random.default_rng(seed)
    channels = {"L": 1, "RGB": 3, "CMYK": 4}[mode]
    small = random.integers(0, 255, (height // 16 + 2, width // 16 + 2, channels), dtype=np.uint8)
    bands = [np.asarray(PIL.fromarray(small[..., c]).resize((width, height), PIL.BILINEAR)) for c in range(channels)]
    noisy = np.stack(bands, -1).astype(np.int16) + random.integers(-20, 20, (height, width, channels))
    noisy = noisy.clip(0, 255).astype(np.uint8)
    return PIL.fromarray(noisy[..., 0] if mode == "L" else noisy, mode)


def _encoded(picture, **options):
    file = io.BytesIO()
    picture.save(file, "JPEG", **options)
    return np.frombuffer(file.getvalue(), np.uint8)


def _files():
    """Some of every kind: those that the engine takes, and those that it must leave to others."""
    files = []
    for i, size in enumerate(SIZES):
        for subsampling in (0, 1, 2):
            files.append(_encoded(_picture(*size, i), quality=(50, 90, 96)[i % 3], subsampling=subsampling))
        files.append(_encoded(_picture(*size, i, "L"), quality=90))
    picture = _picture(300, 400, 9)
    exif = PIL.Exif()
    exif[0x0112] = 6
    files += [
        _encoded(picture, progressive=True),
        _encoded(_picture(300, 400, 9, "CMYK")),
        _encoded(picture, restart_marker_blocks=5),
        _encoded(picture, optimize=True, exif=exif),
        _encoded(picture, keep_rgb=True),
    ]
    folder = pathlib.Path(__file__).parents[2] / "data" / "subsampling"
    return files + [np.fromfile(path, np.uint8) for path in sorted(folder.glob("*.jpg"))]


def _decoded(files, device, operator="image", batches=1, **options):
    @pipeline_def(batch_size=len(files), num_threads=4, device_id=0, seed=7)
    def pipeline():
        encoded = fn.external_source(source=lambda: files, batch=True)
        return getattr(fn.decoders, operator)(encoded, device=device, **options)

    pipe = pipeline()
    for _ in range(batches):
        (batch,) = pipe.run()
    batch = batch.as_cpu() if device == "mixed" else batch
    return [np.array(batch[i]) for i in range(len(batch))]


@pytest.fixture(
    params=[{"decoder": name} for name in ("cpu", "cuda", "hardware")] + [{"hw_decoder_load": 0.5}], ids=str
)
def choice(request):
    """Arguments of a decoder."""
    if request.param.get("decoder") == "hardware":
        try:
            _decoded([_encoded(_picture(128, 128, 0))], "mixed", decoder="hardware")
        except (RuntimeError, ValueError) as e:
            if "this GPU has none" not in str(e):  # nvJPEG is missing, or cannot be used: a failure
                raise
            pytest.skip("needs a GPU with a JPEG engine")
    return request.param


def _assert_same(files, choice, operator="image", batches=1, **options):
    expected = _decoded(files, "cpu", operator, batches, **options)
    got = _decoded(files, "mixed", operator, batches, **options, **choice)
    for i, (a, b) in enumerate(zip(expected, got, strict=True)):
        np.testing.assert_array_equal(b, a, err_msg=f"file {i}")


def test_files_of_all_kinds(choice):
    _assert_same(_files(), choice)


@pytest.mark.parametrize("quality", [1, 20, 75, 100])
def test_qualities(choice, quality):
    files = [_encoded(_picture(200, 300, i), quality=quality, subsampling=i % 3) for i in range(6)]
    _assert_same(files, choice)


@pytest.mark.parametrize("output_type", ["RGB", "BGR", "GRAY", "YCbCr"])
def test_colours(choice, output_type):
    _assert_same(_files()[:8], choice, output_type=getattr(types, output_type))


def test_windows(choice):
    _assert_same(_files(), choice, "image_random_crop", random_area=[0.05, 0.7], batches=3)


def test_many_batches_one_after_another(choice):
    """Blocks that the engine writes are used again while earlier batches are still read."""
    torch = pytest.importorskip("torch")
    sets = [[_encoded(_picture(160, 200, 16 * k + i), subsampling=2) for i in range(16)] for k in range(4)]
    counter = iter(range(10_000))

    @pipeline_def(batch_size=16, num_threads=4, device_id=0, prefetch_queue_depth=3)
    def pipeline():
        encoded = fn.external_source(source=lambda: sets[next(counter) % 4], batch=True)
        return fn.decoders.image(encoded, device="mixed", **choice)

    pipe = pipeline()
    expected = [torch.tensor(np.stack(_decoded(files, "cpu"))).cuda() for files in sets]
    wrong, stream = torch.zeros((), dtype=torch.int64, device="cuda"), torch.cuda.Stream()
    with torch.cuda.stream(stream):
        for step in range(80):
            (batch,) = pipe.run()
            tensor = torch.from_dlpack(batch.as_tensor())
            torch.cuda._sleep(4_000_000)
            wrong += (tensor != expected[step % 4]).sum()
            del tensor, batch
    torch.cuda.synchronize()
    assert int(wrong) == 0


@pytest.mark.parametrize("on_error", ["zero", "skip"])
def test_files_that_are_cut_off(choice, on_error):
    files = [_encoded(_picture(200, 200, i)) for i in range(5)]
    files[2] = files[2][: len(files[2]) // 2]

    def decoded(device, **options):
        @pipeline_def(batch_size=5, num_threads=2, device_id=0, on_error=on_error)
        def pipeline():
            return fn.decoders.image(fn.external_source(source=lambda: files, batch=True), device=device, **options)

        (batch,) = pipeline().run()
        return [np.asarray((batch.as_cpu() if device == "mixed" else batch)[i]) for i in range(len(batch))]

    for a, b in zip(decoded("cpu"), decoded("mixed", **choice), strict=True):
        np.testing.assert_array_equal(b, a)


def test_names_are_checked():
    with pytest.raises((ValueError, RuntimeError), match='unknown decoder "gpu"'):
        _decoded([_encoded(_picture(20, 20, 0))], "mixed", decoder="gpu")
