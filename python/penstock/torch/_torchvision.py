"""From a data set of torchvision's to a loader."""

import os

from .. import fn, types
from ..pipeline import Pipeline
from ._loader import Loader
from ._picture import Picture
from ._transforms import apply_transform

_OF_PROCESSES = {"num_workers", "persistent_workers", "pin_memory", "prefetch_factor"}
_DECODERS = {"cpu": "cpu", "gpu": "mixed", "cuda": "mixed"}


def from_torchvision(
    dataset, batch_size=1, shuffle=False, drop_last=False, *, device="cpu", epoch_end=None, shard=None, **options
):
    """A `Loader` of what ``DataLoader(dataset, batch_size, shuffle)`` would give: pairs of pictures and labels.

    Pictures are (N, C, H, W), of the type that the transforms give; labels are int64 (N,). Deterministic transforms
    give torchvision's pixels: exactly where nothing is computed (decoding included), otherwise within 1 of 255, with
    bicubic and Lanczos filters within 5. In the outermost rows and columns of a picture that was made smaller they can
    differ by more, since Pillow cuts a filter off there and the engine repeats the border; over a picture the mean
    difference stays below 0.5. Random transforms draw from the same distributions, other numbers.

    Files of 16 bits a channel become 8 bits by scaling, which Pillow does by clipping.

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
        Arguments of `Pipeline`: `num_threads`, `device_id`, `seed`, `on_error`, ... `TypeError` for those of a
        `DataLoader`'s processes.
    """
    if device not in _DECODERS:
        raise ValueError(f'device is "cpu" or "gpu", which GPU says device_id; got {device!r}')
    if theirs := sorted(_OF_PROCESSES & options.keys()):
        raise TypeError(f"{', '.join(theirs)}: there are no worker processes; num_threads says how many threads decode")
    dataset, indices = _unwrapped(dataset)
    samples = _samples(dataset) if indices is None else [_samples(dataset)[i] for i in indices]
    files, labels = zip(*samples, strict=True) if samples else ((), ())
    with Pipeline(batch_size=batch_size, **options) as pipe:
        encoded, label = fn.readers.file(
            **_places(dataset.root, files), labels=[int(one) for one in labels], random_shuffle=shuffle
        )
        # As Pillow opens them: as they are stored, not as EXIF says.
        shape = fn.peek_image_shape(encoded, adjust_orientation=False)
        node = fn.decoders.image(encoded, device=_DECODERS[device], output_type=types.RGB, adjust_orientation=False)
        picture = Picture(node, shape[0], shape[1])
        apply_transform(dataset.transform, picture)
        if not picture.is_tensor:
            raise ValueError(
                "the transforms leave pictures that are no tensors; put ToImage() or ToTensor() at the end"
            )
        pipe.set_outputs(picture.finished(), fn.squeeze(fn.cast(label, dtype=types.INT64), axes=0))
    return Loader(pipe, epoch_end=epoch_end or ("drop" if drop_last else "partial"), shard=shard)


def _unwrapped(dataset):
    """The folder below nested subsets, and the indices that these leave of it (None for all)."""
    indices = None
    while type(dataset).__name__ == "Subset":
        indices = list(dataset.indices) if indices is None else [dataset.indices[i] for i in indices]
        dataset = dataset.dataset
    return dataset, indices


def _places(root, files):
    """Arguments of a reader for these files: below the folder where they lie there, which may be moved."""
    files, root = [os.fspath(file) for file in files], os.path.join(root, "")
    if not all(file.startswith(root) for file in files):
        return {"files": files}
    return {"file_root": root, "files": [file.removeprefix(root) for file in files]}


def _samples(dataset):
    """The (path, label) pairs of a folder whose pictures the engine loads as it would itself."""
    from torchvision.datasets import DatasetFolder
    from torchvision.datasets.folder import default_loader, pil_loader

    if not isinstance(dataset, DatasetFolder):
        raise ValueError(f"only folders can be mapped (ImageFolder, DatasetFolder), got {type(dataset).__name__}")
    if dataset.loader not in (default_loader, pil_loader):
        raise ValueError(f"pictures must be loaded by torchvision's default loader, not by {dataset.loader!r}")
    if dataset.target_transform is not None:
        raise ValueError(f"`target_transform` cannot be mapped: {dataset.target_transform!r}")
    if dataset.transform is None:
        raise ValueError("the data set has no transform; its pictures would not be tensors")
    return dataset.samples
