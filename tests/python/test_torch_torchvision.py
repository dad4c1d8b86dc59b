"""`from_torchvision`: folders and transforms of torchvision's on the engine, compared pixel by pixel."""

import re
import shutil

import numpy as np
import pytest

torch = pytest.importorskip("torch")
torchvision = pytest.importorskip("torchvision")
from torchvision.transforms import InterpolationMode, v2  # noqa: E402
from torchvision.transforms import transforms as v1  # noqa: E402

from penstock.torch import from_torchvision  # noqa: E402

IMAGENET = {"mean": [0.485, 0.456, 0.406], "std": [0.229, 0.224, 0.225]}
FLOAT = v2.ToDtype(torch.float32, scale=True)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Eight noisy pictures with soft shapes, upright and lying, of odd and even sizes, in two classes; one is gray."""
    image = pytest.importorskip("PIL.Image")
    root, random = tmp_path_factory.mktemp("folder"), np.random.default_rng(0)
    for i, (height, width) in enumerate(
        [(90, 120), (121, 90), (75, 75), (100, 67), (67, 101), (128, 64), (99, 99), (70, 81)]
    ):
        path = root / ("cats", "dogs")[i % 2] / f"{i}.jpg"
        path.parent.mkdir(exist_ok=True)
        small = image.fromarray(random.integers(0, 255, (9, 9, 3), np.uint8)).resize((width, height), image.BICUBIC)
        noise = random.integers(-12, 12, (height, width, 3))
        made = image.fromarray((np.array(small) + noise).clip(0, 255).astype(np.uint8))
        (made.convert("L") if i == 3 else made).save(path, quality=92)
    return root


def both(folder, transform):
    """Pairs of pictures (ours, torchvision's), as they come out of one-sample batches."""
    dataset = torchvision.datasets.ImageFolder(folder, transform=transform)
    for i, (images, labels) in enumerate(from_torchvision(dataset)):
        theirs, label = dataset[i]
        assert labels.dtype == torch.int64
        assert labels.tolist() == [label]
        assert (images.dtype, images.shape[1:]) == (theirs.dtype, theirs.shape)
        yield images[0], theirs


def units(transform):
    """How much of a result's difference is one step of 8-bit pixels."""
    for one in getattr(transform, "transforms", [transform])[::-1]:
        if isinstance(one, (v1.Normalize, v2.Normalize)):
            return 255 * 0.225
    return 255 if any("scale=True" in str(one) or isinstance(one, v1.ToTensor) for one in transform.transforms) else 1


BILINEAR = [
    v1.Compose([v1.Resize(64), v1.CenterCrop(48), v1.ToTensor(), v1.Normalize(**IMAGENET)]),
    v2.Compose([v2.Resize(48), v2.CenterCrop((41, 32)), v2.ToImage(), FLOAT, v2.Normalize(**IMAGENET)]),
    v2.Compose([v2.Resize((50, 70)), v2.ToImage(), FLOAT]),
    v2.Compose([v2.ToImage(), v2.Resize(150, max_size=170), FLOAT]),
    v2.Compose([v2.PILToTensor(), v2.Resize(40, antialias=False)]),
    v2.Compose([v2.Grayscale(), v2.Resize([33]), v2.ToImage()]),
    v2.Compose([v2.Grayscale(3), v2.ToImage(), v2.ToDtype(torch.float32)]),
    v2.Compose([v2.ColorJitter(brightness=(1.3, 1.3)), v2.ToImage()]),
    v2.Compose([v2.ColorJitter(saturation=(0.5, 0.5)), v2.ToImage()]),
]
SHARP = [
    v2.Compose([v2.Resize(48, interpolation=InterpolationMode.BICUBIC), v2.ToImage()]),
    v2.Compose([v2.Resize(48, interpolation=InterpolationMode.LANCZOS), v2.PILToTensor()]),
]


VIVID = [v2.Compose([v2.ColorJitter(saturation=(s, s)), v2.ToImage()]) for s in (3, 5)]


@pytest.mark.parametrize(
    "transform,limit",
    [*((one, 1) for one in BILINEAR), *((one, 5) for one in SHARP), *zip(VIVID, (3, 5), strict=True)],
)
def test_pixels_are_torchvisions_within_the_stated_tolerance(folder, transform, limit):
    for ours, theirs in both(folder, transform):
        difference = (ours.float() - theirs.float()).abs() * units(transform)
        assert difference[:, 3:-3, 3:-3].max() <= limit + 0.05  # Normalize divides by three different numbers
        assert difference.mean() < 0.6


@pytest.mark.parametrize("size", [33, 40, 62])
def test_the_outermost_pixels_differ_by_what_lies_outside_of_a_filter(tmp_path, size):
    """An eighth of the bilinear filter at an edge, 15 of 64 at a corner, however pictures are."""
    image = pytest.importorskip("PIL.Image")
    (tmp_path / "one").mkdir()
    random, worst = np.random.default_rng(0), 0
    for i, (height, width) in enumerate([(300, 300), (201, 257), (64, 90)]):
        y, x = np.mgrid[:height, :width]
        inside = (np.minimum(y, x) > 0) & (y < height - 1) & (x < width - 1)
        noise = random.integers(0, 2, (height, width))
        for kind, pixels in (("line", inside), ("noise", noise), ("checks", (y // 3 + x // 3) % 2)):
            image.fromarray((pixels * 255).astype(np.uint8)).save(tmp_path / "one" / f"{kind}{i}.png")
    for ours, theirs in both(tmp_path, v2.Compose([v2.Resize((size, size)), v2.PILToTensor()])):
        difference = (ours.float() - theirs.float()).abs()
        assert difference.max() <= 60
        assert max(difference[:, 1:-1].max(), difference[:, :, 1:-1].max()) <= 32
        assert difference[:, 1:-1, 1:-1].max() <= 1
        worst = max(worst, difference.max())
    assert worst > 40  # it is no smaller, either


@pytest.mark.parametrize(
    "transform",
    [
        v2.ToImage(),
        v1.ToTensor(),
        v2.Compose([v2.CenterCrop(60), v2.ToImage()]),
        v2.Compose([v2.CenterCrop((71, 110)), v2.ToImage()]),
        v2.Compose([v2.CenterCrop((161, 170)), v2.ToImage()]),
        torch.nn.Sequential(v2.RandomHorizontalFlip(1.0), v2.RandomVerticalFlip(1.0), v2.PILToTensor()),
        v2.Compose([v2.RandomHorizontalFlip(0.0), v2.ToImage(), v2.ToDtype(torch.float32), v2.Identity()]),
        v2.Compose([v2.ToImage(), FLOAT, v2.ToDtype(torch.uint8, scale=True)]),
        v2.Compose([v2.ToImage(), v2.ToDtype(torch.float32), v2.ToDtype(torch.uint8), FLOAT]),
    ],
)
def test_pixels_are_torchvisions_exactly_where_nothing_is_computed(folder, transform):
    for ours, theirs in both(folder, transform):
        torch.testing.assert_close(ours, theirs.as_subclass(torch.Tensor), rtol=0, atol=1e-7)


@pytest.mark.parametrize(
    "transform",
    [
        v2.Compose([v2.ToImage(), FLOAT, v2.Normalize(**IMAGENET), v2.CenterCrop(110), v2.CenterCrop((120, 90))]),
        v2.Compose([v2.CenterCrop(40), v1.ToTensor(), v2.Normalize(**IMAGENET), v2.RandomCrop(44, padding=2)]),
        v1.Compose([v1.ToTensor(), v1.Normalize(0.5, 0.25)]),
        v2.Compose([v2.Grayscale(), v2.RGB(), v2.ColorJitter(saturation=(0.5, 0.5)), v2.ToImage()]),
        v2.Compose([v2.Grayscale(), v2.ColorJitter(saturation=(0.5, 0.5)), v2.ToImage()]),
    ],
)
def test_orders_that_are_not_the_usual_ones(folder, transform):
    for ours, theirs in both(folder, transform):
        assert (ours.float() - theirs.float()).abs().max() * units(transform) <= 1.05


@pytest.mark.parametrize(
    "transforms,message",
    [
        ([FLOAT, v2.ToImage()], "ToDtype.*put ToImage.. before"),
        ([v2.ConvertImageDtype(torch.float32), v2.ToImage()], "ConvertImageDtype.*put ToImage.. before"),
        ([v2.ToImage(), v1.ToTensor()], "ToTensor.*tensors already"),
        ([v2.ToImage(), v2.ToDtype(torch.float32), v2.ToDtype(torch.uint8, scale=True)], "scale=True where"),
        ([v2.ToImage(), FLOAT, v2.ToDtype(torch.uint8)], "scale=True where"),
        ([v2.ToImage(), FLOAT, v2.Normalize(**IMAGENET), v2.ToDtype(torch.uint8)], "ToDtype.*after Normalize"),
        ([v2.ToImage(), v2.ToDtype(torch.float32), v2.ColorJitter(0.5)], "ColorJitter.*between 0 and 1"),
        ([v2.Grayscale(), v2.ToImage(), FLOAT, v2.Normalize(**IMAGENET)], "3 values of `mean` for 1 channels"),
        ([v2.ToImage(), FLOAT, v2.Normalize([0.5], [0.5, 1])], "2 values of `std` for 3 channels"),
        ([v2.ToImage(), FLOAT, v2.Normalize([0.5], [0, 1, 1])], "`std` must not be zero"),
    ],
)
def test_orders_that_mean_something_else_are_refused(folder, transforms, message):
    with pytest.raises(ValueError, match=message):
        from_torchvision(torchvision.datasets.ImageFolder(folder, v2.Compose(transforms)))


def test_the_transforms_of_a_models_weights_are_known(folder):
    preset = torchvision.transforms._presets.ImageClassification(crop_size=48, resize_size=60)
    for ours, theirs in both(folder, preset):
        assert (ours - theirs)[:, 3:-3, 3:-3].abs().max() * 255 * 0.225 <= 1.05


def test_batches_subsets_and_shuffles_are_those_of_a_dataloader(folder):
    dataset = torchvision.datasets.ImageFolder(folder, v2.Compose([v2.Resize((8, 8)), v2.ToImage()]))
    loader = from_torchvision(dataset, batch_size=3)
    assert [tuple(images.shape) for images, _ in loader] == [(3, 3, 8, 8)] * 2 + [(2, 3, 8, 8)]
    assert (len(loader), len(loader.dataset)) == (3, 8)
    assert len(list(from_torchvision(dataset, 3, drop_last=True))) == 2
    subset = torch.utils.data.Subset(torch.utils.data.Subset(dataset, [7, 0, 5]), [2, 0])
    images, labels = next(iter(from_torchvision(subset, 2)))
    assert labels.tolist() == [dataset[5][1], dataset[7][1]]
    shuffled = from_torchvision(dataset, 8, shuffle=True)
    orders = [next(iter(shuffled))[0][:, 0].sum((1, 2)).tolist() for _ in range(2)]
    assert sorted(orders[0]) == sorted(orders[1])
    assert orders[0] != orders[1]


def test_a_state_loads_where_the_folder_was_moved_to(folder, tmp_path):
    def loader(root, rank=0, size=1):
        dataset = torchvision.datasets.ImageFolder(root, v2.Compose([v2.Resize((8, 8)), v2.ToImage()]))
        return from_torchvision(dataset, 3, shuffle=True, epoch_end="pad", shard=(rank, size))

    def pictures(batch):
        return [one.flatten().tolist() for one in batch[0][batch[2]]]

    first = loader(folder)
    loop = iter(first)
    seen = pictures(next(loop))
    state = first.state_dict()
    left = sorted(picture for batch in loop for picture in pictures(batch))
    shutil.copytree(folder, tmp_path / "elsewhere")
    found = []
    for rank in range(2):
        later = loader(tmp_path / "elsewhere", rank, 2)
        later.load_state_dict(state)
        found += [picture for batch in later for picture in pictures(batch)]
    assert sorted(found) == left
    assert len(found) + len(seen) == 8


@pytest.mark.parametrize(
    "on_error,batches", [("raise", [2, "error", 2, "error"]), ("replace", [2] * 4), ("skip", [2, 1, 2, 1])]
)
def test_damaged_files_are_named_and_the_epoch_goes_on(folder, tmp_path, on_error, batches):
    shutil.copytree(folder, tmp_path / "damaged")
    damaged = [tmp_path / "damaged" / "cats" / "4.jpg", tmp_path / "damaged" / "dogs" / "7.jpg"]
    damaged[0].write_bytes(damaged[0].read_bytes()[:300])
    damaged[1].write_bytes(b"")
    dataset = torchvision.datasets.ImageFolder(tmp_path / "damaged", v2.Compose([v2.Resize((8, 8)), v2.ToImage()]))
    loader = from_torchvision(dataset, 2, on_error=on_error)
    for _ in range(2):
        given, told, loop = [], [], iter(loader)
        while len(given) < len(loader):
            try:
                given.append(len(next(loop)[0]))
            except RuntimeError as error:
                given.append("error")
                told.append(str(error))
        assert next(loop, None) is None
        assert given == batches
        if on_error == "raise":
            assert all(str(path) in text for path, text in zip(damaged, told, strict=True))


def test_random_crops_lie_everywhere(tmp_path):
    image = pytest.importorskip("PIL.Image")
    (tmp_path / "one").mkdir()
    pixels = np.arange(16, dtype=np.uint8).reshape(4, 4, 1) + 1  # a pixel tells where it comes from
    for i in range(200):
        image.fromarray(np.repeat(pixels, 3, 2)).save(tmp_path / "one" / f"{i}.png")

    def corners(transform):
        dataset = torchvision.datasets.ImageFolder(tmp_path, v2.Compose([transform, v2.ToImage()]))
        [(images, _)] = from_torchvision(dataset, 200)
        return images

    inside = corners(v2.RandomCrop(2))
    assert sorted(set(inside[:, 0, 0, 0].tolist())) == [1, 2, 3, 5, 6, 7, 9, 10, 11]
    padded = corners(v2.RandomCrop(4, padding=1))
    assert padded.shape[-2:] == (4, 4)
    assert sorted(set(padded[:, 0, 0, 0].tolist())) == [0, 1, 2, 5, 6]
    zoomed = corners(v2.RandomResizedCrop((3, 5), scale=(0.3, 1.0)))
    assert (zoomed.shape[-2:], len({tuple(one.flatten().tolist()) for one in zoomed}) > 5) == ((3, 5), True)
    flipped = corners(v2.RandomHorizontalFlip(0.25))
    assert 25 < int((flipped[:, 0, 0, 0] == 4).sum()) < 80


def test_everything_that_cannot_be_mapped_is_named_at_once(folder):
    odd = [
        v2.RandomRotation(10), v2.Lambda(lambda x: x), v2.ColorJitter(contrast=0.5), v2.ToImage(),
        v2.Resize(9, interpolation=InterpolationMode.NEAREST), v2.RandomCrop(3, padding_mode="reflect"),
        v2.Normalize(**IMAGENET), FLOAT, v2.Normalize(**IMAGENET), v2.Resize(3), v2.ToDtype(torch.float64),
    ]  # fmt: skip
    with pytest.raises(ValueError) as caught:
        from_torchvision(torchvision.datasets.ImageFolder(folder, v2.Compose(odd)))
    lines = str(caught.value).splitlines()[1:]
    expected = [
        "RandomRotation.*no such operator", "Lambda.*no such operator", "ColorJitter.*`contrast` and `hue`",
        "Resize.*interpolation 'nearest'", "RandomCrop.*padding", "Normalize.*put ToDtype", "Resize.*put it before",
        "ToDtype.*float64",
    ]  # fmt: skip
    assert len(lines) == len(expected)
    for line, pattern in zip(lines, expected, strict=True):
        assert re.search(pattern, line)


def test_data_sets_that_cannot_be_mapped_are_named(folder):
    image_folder = torchvision.datasets.ImageFolder
    for dataset, message in [
        (image_folder(folder), "no transform"),
        (image_folder(folder, v2.ToImage(), target_transform=str), "target_transform"),
        (image_folder(folder, v2.ToImage(), loader=open), "default loader"),
        (image_folder(folder, v2.Resize(3)), "no tensors"),
        (torchvision.datasets.FakeData(), "only folders.*FakeData"),
    ]:
        with pytest.raises(ValueError, match=message):
            from_torchvision(dataset)
    for method in ("__getitem__", "__len__"):
        own = type("Own", (image_folder,), {method: lambda *_: 1})
        with pytest.raises(ValueError, match=f"Own has a {method} of its own"):
            from_torchvision(own(folder, v2.ToImage()))
    dataset = image_folder(folder, v2.ToImage())
    dataset.samples[2] = ("cats/4.jpg", 0.35)
    with pytest.raises(ValueError, match="whole numbers, that of 'cats/4.jpg' is 0.35"):
        from_torchvision(dataset)
    with pytest.raises(ValueError, match="device is.*got 'cuda:1'"):
        from_torchvision(image_folder(folder, v2.ToImage()), device="cuda:1")
    with pytest.raises(TypeError, match="num_workers, pin_memory: .*num_threads"):
        from_torchvision(image_folder(folder, v2.ToImage()), 8, pin_memory=True, num_workers=4)
    with pytest.raises(TypeError, match="collate_fn: batches.*; generator: `shuffle_seed`.*; sampler: .*`Subset`"):
        from_torchvision(image_folder(folder, v2.ToImage()), sampler=None, collate_fn=list, generator=None)


def test_a_wrapped_folder_gives_what_the_folder_gives(folder):
    def labels(dataset):
        return [int(label) for _, label in from_torchvision(dataset)]

    dataset = torchvision.datasets.ImageFolder(folder, v2.Compose([v2.Resize((8, 8)), v2.ToImage()]))
    expected = labels(dataset)
    assert labels(torchvision.datasets.wrap_dataset_for_transforms_v2(dataset)) == expected


def test_files_from_elsewhere_stay_where_they_are(folder, tmp_path, monkeypatch):
    shutil.copytree(folder, tmp_path / "data")
    shutil.copy(folder / "cats" / "0.jpg", tmp_path / "outside.jpg")
    monkeypatch.chdir(tmp_path)
    dataset = torchvision.datasets.ImageFolder("data", v2.Compose([v2.Resize((8, 8)), v2.ToImage()]))
    dataset.samples = [("outside.jpg", 5), *dataset.samples[:1]]
    [(images, labels)] = from_torchvision(dataset, 2, device="cuda" if torch.cuda.is_available() else "cpu")
    assert torch.equal(images[0], images[1])
    assert labels.tolist() == [5, 0]
