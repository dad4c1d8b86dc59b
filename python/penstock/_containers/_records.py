"""TensorFlow's Examples: which features one has, and new ones. Only what packing needs of protobuf."""

import struct

from .. import _core

_KINDS = {1: "string", 2: "float32", 3: "int64"}
_HEAD = 12  # length and its checksum, in front of a record
_MOST = 1 << 28  # bytes of a first record that is looked into


def features_of(path):
    """{name: "string", "float32" or "int64"} of the first record of a TFRecord file. `ValueError` for another file."""
    try:
        with open(path, "rb") as file:
            (size,) = struct.unpack("<Q", file.read(_HEAD)[:8])
            if size > _MOST:
                raise ValueError
            record = file.read(size)
        if len(record) < size:
            raise ValueError
        return {name.decode(): kind for feature in _parts(record, 1) for name, kind in _entries(feature)}
    except (ValueError, struct.error, IndexError, UnicodeDecodeError):
        raise ValueError(f"{path} is no TFRecord file of Examples, or was cut off") from None


def _entries(features):
    for entry in _parts(features, 1):
        [name], feature = list(_parts(entry, 1)), b"".join(_parts(entry, 2))
        if feature:
            yield name, _KINDS[feature[0] >> 3]


def _parts(message, number):
    """What the fields `number` of a message hold, all of whose fields have lengths."""
    at = 0
    while at < len(message):
        tag, at = _number(message, at)
        size, at = _number(message, at)
        if tag & 7 != 2 or at + size > len(message):
            raise ValueError
        if tag >> 3 == number:
            yield message[at : at + size]
        at += size


def _number(message, at):
    value = shift = 0
    while message[at] & 0x80:
        value |= (message[at] & 0x7F) << shift
        shift, at = shift + 7, at + 1
        if shift > 63:
            raise ValueError
    return value | message[at] << shift, at + 1


def _digits(number):
    out = bytearray()
    while number > 0x7F:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    return bytes([*out, number])


def _part(number, data):
    return _digits(number << 3 | 2) + _digits(len(data)) + data


def framed_example(picture, label):
    """A record of the features `image` and `label` (left out where None), with its length and checksums."""
    features = [_part(1, _part(1, b"image") + _part(2, _part(1, _part(1, picture))))]
    if label is not None:
        number = _digits(label & (1 << 64) - 1)
        features.append(_part(1, _part(1, b"label") + _part(2, _part(3, _part(1, number)))))
    return _core.tfrecord_frame(_part(1, b"".join(features)))
