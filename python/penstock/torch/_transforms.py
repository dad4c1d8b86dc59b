"""torchvision's transforms as operators of the engine."""

import numpy as np

from .. import fn, types
from ._picture import larger, smaller


def apply_transform(transform, picture):
    """Adds operators to `picture` that do what `transform` does.

    Transforms of torchvision's v1 and v2 are known by name. `ValueError` that names all of those that are not known, or
    not with these arguments.
    """
    faults = []
    for one in _flat(transform):
        name = type(one).__name__
        known = type(one).__module__.startswith("torchvision.transforms") and _KNOWN.get(name)
        if not known:
            faults.append(f"{one!r}: there is no such operator")
            continue
        try:
            known(one, picture)
        except _Unlike as why:
            faults.append(f"{one!r}: {why}")
    if faults:
        raise ValueError("these transforms cannot be mapped onto the engine:\n" + "\n".join(f"  {f}" for f in faults))


class _Unlike(Exception):
    """An argument makes a transform something that the engine does not do."""


def _flat(transform):
    """The transforms of nested compositions and presets, in order."""
    if type(transform).__name__ == "Compose":
        return [leaf for one in transform.transforms for leaf in _flat(one)]
    if type(transform).__name__ == "Sequential":
        return [leaf for one in transform for leaf in _flat(one)]
    if type(transform).__name__ == "ImageClassification":
        return _steps(transform)
    return [transform]


def _steps(preset):
    """What a preset of a model's weights does to a picture."""
    import torch
    from torchvision.transforms import transforms as v1

    return [
        v1.Resize(preset.resize_size, preset.interpolation, antialias=preset.antialias),
        v1.CenterCrop(preset.crop_size),
        v1.PILToTensor(),
        v1.ConvertImageDtype(torch.float),
        v1.Normalize(preset.mean, preset.std),
    ]


def _pair(size):
    """(height, width) of torchvision's size, which may be one number."""
    values = [size] if isinstance(size, int) else list(size)
    return (values * 2)[:2] if len(values) == 1 else values


def _filter_of(transform, picture):
    """Arguments of a resize for a transform's interpolation."""
    names = {
        "bilinear": "LINEAR",
        "bicubic": "CUBIC",
        "lanczos": "LANCZOS3",
    }  # nearest takes other pixels than Pillow's
    kind = getattr(transform.interpolation, "value", transform.interpolation)
    if kind not in names:
        raise _Unlike(f"interpolation {kind!r}; there are {', '.join(names)}")
    # Pillow always smooths; for tensors it is a choice.
    smooth = not (picture.is_tensor and getattr(transform, "antialias", True) is False)
    return {"interp_type": getattr(types, f"INTERP_{names[kind]}"), "antialias": smooth}


def _resize(transform, picture):
    _refuse_after_normalize(picture)
    size, filters = transform.size, _filter_of(transform, picture)
    if size is None:
        raise _Unlike("size=None")
    if not isinstance(size, int) and len(size) == 2:
        picture.resize(*size, **filters)
        return
    [short] = [size] if isinstance(size, int) else size
    # As torchvision computes it: the longer side is rounded down.
    shorter, longer = smaller(picture.height, picture.width), larger(picture.height, picture.width)
    limit, length = transform.max_size, short * longer // shorter
    if limit is not None:
        short = smaller(short, limit * short // larger(length, limit))
        length = smaller(length, limit)
    portrait = picture.height > picture.width
    if isinstance(portrait, bool):
        sides = (length, short) if portrait else (short, length)
    else:
        sides = short + portrait * (length - short), length + portrait * (short - length)
    picture.resize(*sides, **filters)


def _center_crop(transform, picture):
    height, width = _pair(transform.size)
    sides = (picture.height, height), (picture.width, width)
    inside = all(isinstance(length, int) and window <= length for length, window in sides)
    picture.crop(*[_middle(*side) for side in sides], height, width, pads=not inside)


def _middle(length, window):
    """Where torchvision's central window begins: rounded half to even; of odd padding the larger part is after it."""
    spare = length - window
    inside, outside = larger(spare, 0), larger(-spare, 0)
    half = inside // 2
    return half + (inside & 1) * (half & 1) - outside // 2


def _random_crop(transform, picture):
    if transform.pad_if_needed or transform.padding_mode != "constant" or getattr(transform, "fill", 0) != 0:
        raise _Unlike("padding is black and always added")
    if transform.padding is None:
        left = top = right = bottom = 0
    else:
        left, top, right, bottom = _sides(transform.padding)
    height, width = _pair(transform.size)
    starts = []
    for length, window, before, after in ((picture.height, height, top, bottom), (picture.width, width, left, right)):
        places = length + before + after - window + 1
        drawn = fn.cast(fn.random.uniform(range=[0.0, 1.0]) * places, dtype=types.INT64)
        starts.append(smaller(drawn, places - 1) - before)
    picture.crop(*starts, height, width, pads=transform.padding is not None)


def _sides(padding):
    """(left, top, right, bottom) of torchvision's padding: one number, two or four."""
    values = [padding] if isinstance(padding, int) else list(padding)
    return (values * 4)[:4]


def _random_resized_crop(transform, picture):
    _refuse_after_normalize(picture)
    size = _pair(transform.size)
    picture.node = fn.random_resized_crop(
        picture.node, size=size, random_area=list(transform.scale), random_aspect_ratio=list(transform.ratio),
        **_filter_of(transform, picture),
    )  # fmt: skip
    picture.height, picture.width = size


def _flip(axis):
    def flip(transform, picture):
        draw = fn.random.coin_flip(probability=transform.p)
        picture.node = fn.flip(picture.node, **{"horizontal": 0, "vertical": 0, axis: draw})

    return flip


def _grayscale(transform, picture):
    _refuse_after_normalize(picture)
    if picture.channels == 3:
        picture.node = fn.color_space_conversion(picture.node, image_type=types.RGB, output_type=types.GRAY)
        picture.channels = 1
    if transform.num_output_channels == 3:
        picture.to_rgb()


def _rgb(transform, picture):
    del transform
    _refuse_after_normalize(picture)
    picture.to_rgb()


def _color_jitter(transform, picture):
    _refuse_after_normalize(picture)
    if transform.contrast is not None or transform.hue is not None:
        raise _Unlike(
            "`contrast` and `hue` follow other formulas in the engine; brightness and saturation are the same"
        )
    if picture.dtype != "uint8" and not picture.scaled:
        raise _Unlike("of floats it keeps what lies between 0 and 1: put it before ToDtype, or give that scale=True")
    if transform.brightness is not None:
        factor = fn.random.uniform(range=list(transform.brightness))
        picture.node = fn.brightness(picture.node, brightness=factor)
    if transform.saturation is not None and picture.channels == 3:
        factor = fn.random.uniform(range=list(transform.saturation))
        picture.node = fn.saturation(picture.node, saturation=factor)


def _to_image(transform, picture):
    del transform
    picture.is_tensor = True


def _to_tensor(transform, picture):
    del transform
    if picture.is_tensor:
        raise _Unlike("the pictures are tensors already, which it does not change; use ToDtype")
    picture.is_tensor = True
    picture.convert("float32", scale=True)


def _to_dtype(transform, picture):
    dtype = str(transform.dtype).removeprefix("torch.")
    if dtype not in ("float32", "float16", "uint8"):
        raise _Unlike(f"element type {dtype}")
    if not picture.is_tensor:
        raise _Unlike("it leaves pictures as they are that are no tensors yet: put ToImage() before it")
    scale = getattr(transform, "scale", type(transform).__name__ == "ConvertImageDtype")
    if dtype == "uint8" and picture.dtype != "uint8":
        _refuse_after_normalize(picture)
        if scale != picture.scaled:
            raise _Unlike("floats become uint8 with scale=True where uint8 became floats with it, and nowhere else")
    picture.convert(dtype, scale)


def _normalize(transform, picture):
    if picture.dtype == "uint8" or not picture.is_tensor:
        raise _Unlike("it needs floating-point tensors: put ToDtype(torch.float32, scale=True) before it")
    if picture.mean is not None:
        raise _Unlike("a second normalization")
    for name in ("mean", "std"):
        values = np.ravel(getattr(transform, name))
        if values.size not in (1, picture.channels):
            raise _Unlike(f"{values.size} values of `{name}` for {picture.channels} channels")
        if name == "std" and not values.astype(picture.dtype).all():
            raise _Unlike("`std` must not be zero")
        setattr(picture, name, values.tolist())


def _nothing(transform, picture):
    del transform, picture


def _refuse_after_normalize(picture):
    if picture.mean is not None:
        raise _Unlike("it comes after Normalize; put it before")


_KNOWN = {
    "CenterCrop": _center_crop,
    "ColorJitter": _color_jitter,
    "ConvertImageDtype": _to_dtype,
    "Grayscale": _grayscale,
    "Identity": _nothing,
    "Normalize": _normalize,
    "PILToTensor": _to_image,
    "RGB": _rgb,
    "RandomCrop": _random_crop,
    "RandomHorizontalFlip": _flip("horizontal"),
    "RandomResizedCrop": _random_resized_crop,
    "RandomVerticalFlip": _flip("vertical"),
    "Resize": _resize,
    "ToDtype": _to_dtype,
    "ToImage": _to_image,
    "ToTensor": _to_tensor,
}
