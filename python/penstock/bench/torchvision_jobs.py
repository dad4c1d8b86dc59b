"""The training job by torchvision, in its two forms: PIL images, and tensors decoded by torchvision itself."""

import torch
from torchvision.datasets import ImageFolder
from torchvision.io import ImageReadMode, decode_jpeg, read_file
from torchvision.transforms import v2

_MEAN, _STD = [0.485, 0.456, 0.406], [0.229, 0.224, 0.225]  # ImageNet's, of pixels from 0 to 1


def _read_tensor(path):
    return decode_jpeg(read_file(path), mode=ImageReadMode.RGB)


def _data_set(root, variant):
    last = [v2.RandomHorizontalFlip(), v2.ToDtype(torch.float32, scale=True), v2.Normalize(_MEAN, _STD)]
    if variant == "tensor":
        crop = v2.RandomResizedCrop(224, antialias=False)
        return ImageFolder(root, v2.Compose([crop, *last]), loader=_read_tensor)
    return ImageFolder(root, v2.Compose([v2.RandomResizedCrop(224), v2.ToImage(), *last]))


def train(root, batch, threads, variant):
    """Batches of the DataLoader with as many worker processes as `threads`; 0 after the last one of an epoch."""
    loader = torch.utils.data.DataLoader(
        _data_set(root, variant), batch, shuffle=True, num_workers=threads, persistent_workers=True, drop_last=True
    )
    while True:
        for images, _labels in loader:
            yield len(images)
        yield 0


JOBS = {"train": train}
