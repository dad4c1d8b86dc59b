"""From a data set of torchvision's to a loader."""

import operator
import os

from .. import fn, types
from ..pipeline import Pipeline
from ._loader import Loader
from ._picture import Picture
from ._transforms import apply_transform

_PROCESSES = "there are no worker processes; num_threads says how many threads decode"
_ORDER = "`shuffle` and a `Subset` of the data set say what comes, and ranks get their shards by themselves"
_OF_DATALOADER = {
    **dict.fromkeys(
        (
            "num_workers", "persistent_workers", "pin_memory", "pin_memory_device", "prefetch_factor", "timeout",
            "worker_init_fn", "multiprocessing_context", "in_order",
        ),
        _PROCESSES,
    ),
    **dict.fromkeys(("sampler", "batch_sampler"), _ORDER),
    "collate_fn": "batches are pairs of tensors always",
    "generator": "`shuffle_seed` says how samples are shuffled, `seed` what transforms draw",
}  # fmt: skip
_DECODERS = {"cpu": "cpu", "gpu": "mixed", "cuda": "mixed"}


def from_torchvision(
    dataset, batch_size=1, shuffle=False, drop_last=False, *, device="cpu", epoch_end=None, shard=None, **options
):
    """A `Loader` of what ``DataLoader(dataset, batch_size, shuffle)`` would give: pairs of pictures and labels.

    Pictures are (N, C, H, W), of the type that the transforms give; labels are int64 (N,). Deterministic transforms
    give torchvision's pixels: exactly where nothing is computed (decoding included), otherwise within 1 of 255 for each
    transform, with bicubic and Lanczos filters within 5, with a saturation of s within 1 + abs(s - 1). In the outermost
    rows and columns of a picture that was made smaller they can differ by more, since Pillow cuts a filter off there
    and the engine repeats the border; over a picture the mean difference stays below 0.6 for each transform.

    Random transforms draw other numbers, from the same distributions but for two: ColorJitter changes brightness before
    saturation, while torchvision draws the order, and a RandomResizedCrop that finds no window in ten tries takes the
    largest one of an allowed ratio anywhere, not in the middle.

    Files have the pixels of Pillow's ``convert("RGB")`` (gray of 16 bits clipped, too), but for these, which can differ
    by 1: TIFF in YCbCr without JPEG, JPEG 2000 in YCC, BMP of 16 bits a pixel, PNM whose highest value is not 1, 255 or
    65535; and AVIF and HEIF with subsampled colours, which libraries interpolate in different ways. What Penstock does
    not read, such as QOI, is refused by name when it is met.

    Mapped are Compose, Resize, CenterCrop, RandomCrop, RandomResizedCrop, both random flips, Grayscale, ColorJitter
    (brightness and saturation), ToImage, PILToTensor, ToTensor, ToDtype, ConvertImageDtype and Normalize, of v1 and v2,
    and what ``weights.transforms()`` gives for classification.

    A state that was saved loads where the folder lies elsewhere, too.

    Args
    ----
    dataset : torchvision.datasets.ImageFolder, or a Subset of one
        Or any other `DatasetFolder` that loads pictures by torchvision's default loader. `ValueError` for others, and
        for transforms that cannot be mapped, all of which it names.
    batch_size, shuffle, drop_last
        As for a `DataLoader`.
    device : "cpu" or "gpu"
        Where pictures are decoded and come out; without a GPU the CPU serves. "cuda" is "gpu". `ValueError` for others.
    epoch_end, shard
        As for `Loader`; `epoch_end` instead of `drop_last`.
    options
        Arguments of `Pipeline`: `num_threads`, `device_id`, `seed`, `on_error`, ... `TypeError` that says what
        takes their place for those of a `DataLoader`.
    """
    if device not in _DECODERS:
        raise ValueError(f'device is "cpu" or "gpu", which GPU says device_id; got {device!r}')
    _check_options(options)
    dataset, indices = _unwrapped(dataset)
    samples = _samples(dataset) if indices is None else [_samples(dataset)[i] for i in indices]
    files, labels = zip(*samples, strict=True) if samples else ((), ())
    with Pipeline(batch_size=batch_size, **options) as pipe:
        encoded, label = fn.readers.file(
            **_places(dataset.root, files), labels=_whole(labels, files), random_shuffle=shuffle
        )
        shape = fn.peek_image_shape(encoded, rules="pillow")
        node = fn.decoders.image(encoded, device=_DECODERS[device], output_type=types.RGB, rules="pillow")
        picture = Picture(node, shape[0], shape[1])
        apply_transform(dataset.transform, picture)
        if not picture.is_tensor:
            raise ValueError(
                "the transforms leave pictures that are no tensors; put ToImage() or ToTensor() at the end"
            )
        pipe.set_outputs(picture.finished(), fn.squeeze(fn.cast(label, dtype=types.INT64), axes=0))
    return Loader(pipe, epoch_end=epoch_end or ("drop" if drop_last else "partial"), shard=shard)


def _check_options(options):
    theirs = {}
    for name in sorted(_OF_DATALOADER.keys() & options.keys()):
        theirs.setdefault(_OF_DATALOADER[name], []).append(name)
    if theirs:
        raise TypeError("; ".join(f"{', '.join(names)}: {why}" for why, names in theirs.items()))


def _unwrapped(dataset):
    """The folder below nested subsets, and the indices that these leave of it (None for all)."""
    from torch.utils.data import Subset

    indices = None
    while type(dataset) is Subset:
        indices = list(dataset.indices) if indices is None else [dataset.indices[i] for i in indices]
        dataset = dataset.dataset
    return dataset, indices


def _places(root, files):
    """Arguments of a reader for these files: below the folder where they lie there, which may be moved."""
    files, root = [os.fspath(file) for file in files], os.path.join(root, "")
    if not all(file.startswith(root) for file in files):
        return {"files": files}
    return {"file_root": root, "files": [file.removeprefix(root) for file in files]}


def _whole(labels, files):
    """The labels as numbers of Python. `ValueError` that names the file of one that is no whole number."""
    whole = []
    for label, file in zip(labels, files, strict=True):
        try:
            whole.append(operator.index(label))
        except TypeError:
            raise ValueError(f"labels must be whole numbers, that of {os.fspath(file)!r} is {label!r}") from None
    return whole


def _samples(dataset):
    """The (path, label) pairs of a folder whose pictures the engine loads as it would itself."""
    from torchvision.datasets import DatasetFolder
    from torchvision.datasets.folder import default_loader, pil_loader

    if not isinstance(dataset, DatasetFolder):
        raise ValueError(f"only folders can be mapped (ImageFolder, DatasetFolder), got {type(dataset).__name__}")
    # What wrap_dataset_for_transforms_v2 makes holds the folder, and gives the same pictures and labels.
    wrapped = type(dataset).__module__.startswith("torchvision.tv_tensors")
    folder = type(dataset._dataset if wrapped else dataset)
    for method in ("__getitem__", "__len__"):
        if getattr(folder, method) is not getattr(DatasetFolder, method):
            raise ValueError(
                f"{folder.__name__} has a {method} of its own, which the engine does not call; change `samples` instead"
            )
    if dataset.loader not in (default_loader, pil_loader):
        raise ValueError(f"pictures must be loaded by torchvision's default loader, not by {dataset.loader!r}")
    if dataset.target_transform is not None:
        raise ValueError(f"`target_transform` cannot be mapped: {dataset.target_transform!r}")
    if dataset.transform is None:
        raise ValueError("the data set has no transform; its pictures would not be tensors")
    return dataset.samples
