"""Writes files of records as other libraries do, byte by byte, so that tests can also write bad ones."""

import io
import struct
import tarfile

import numpy as np

_CASTAGNOLI = 0x82F63B78


def _crc_table():
    table = []
    for crc in range(256):
        for _ in range(8):
            crc = crc >> 1 ^ (_CASTAGNOLI if crc & 1 else 0)
        table.append(crc)
    return table


_TABLE = _crc_table()


def _masked_crc(data):
    crc = 0xFFFFFFFF
    for byte in data:
        crc = crc >> 8 ^ _TABLE[(crc ^ byte) & 0xFF]
    crc ^= 0xFFFFFFFF
    return ((crc >> 15 | crc << 17) + 0xA282EAD8) & 0xFFFFFFFF


def _varint(number):
    number &= (1 << 64) - 1
    out = bytearray()
    while number > 0x7F:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    return bytes([*out, number])


def _field(tag, data):
    return _varint(tag << 3 | 2) + _varint(len(data)) + data


def _feature(values):
    if isinstance(values[0], bytes):
        return _field(1, b"".join(_field(1, value) for value in values))
    if isinstance(values[0], float):
        return _field(2, _field(1, struct.pack(f"<{len(values)}f", *values)))
    return _field(3, _field(1, b"".join(map(_varint, values))))


def example(features):
    """TensorFlow's Example of {name: bytes, int, float or a list of one of them}; an empty list has no type."""
    entries = []
    for name, values in features.items():
        values = values if isinstance(values, list) else [values]
        entries.append(_field(1, _field(1, name.encode()) + _field(2, _feature(values) if values else b"")))
    return _field(1, b"".join(entries))


def tfrecord(record):
    """A record in its frame."""
    length = struct.pack("<Q", len(record))
    return length + struct.pack("<I", _masked_crc(length)) + record + struct.pack("<I", _masked_crc(record))


_RECORDIO = struct.pack("<I", 0xCED7230A)


def recordio(record):
    """MXNet's form of a record: a part for each piece between magic numbers."""
    pieces = record.split(_RECORDIO)
    parts = []
    for i, piece in enumerate(pieces):
        position = 0 if len(pieces) == 1 else 1 if i == 0 else 3 if i == len(pieces) - 1 else 2
        parts.append(_RECORDIO + struct.pack("<I", position << 29 | len(piece)) + piece + bytes(-len(piece) % 4))
    return b"".join(parts)


def picture_record(data, labels):
    """MXNet's record of a picture: one label stands in the header, others behind it."""
    if len(labels) == 1:
        return struct.pack("<IfQQ", 0, labels[0], 0, 0) + data
    return struct.pack(f"<IfQQ{len(labels)}f", len(labels), 0, 0, 0, *labels) + data


def write_recordio(path, pictures):
    """Writes `path` and an index beside it, whose path it returns. Pictures are (bytes, labels)."""
    made = [recordio(picture_record(*one)) for one in pictures]
    path.write_bytes(b"".join(made))
    index = path.with_name(path.name + ".index")
    index.write_text("".join(f"{i}\t{sum(map(len, made[:i]))}\n" for i in range(len(made))))
    return index


def npy(array):
    """The bytes of NumPy's file."""
    file = io.BytesIO()
    np.save(file, array)
    return file.getvalue()


def write_tar(path, members, form=tarfile.USTAR_FORMAT):
    """Members are (name, bytes), or (name, type of a member that is no file)."""
    with tarfile.open(path, "w", format=form) as tar:
        for name, content in members:
            info = tarfile.TarInfo(name)
            if content in (tarfile.DIRTYPE, tarfile.SYMTYPE):
                info.type, info.linkname = content, "elsewhere"
                tar.addfile(info)
                continue
            info.size = len(content)
            tar.addfile(info, io.BytesIO(content))
    return str(path)


def write_tfrecords(path, records):
    """Writes `path` and an index beside it, whose path it returns. Records are bytes or features of an Example."""
    frames = [tfrecord(one if isinstance(one, bytes) else example(one)) for one in records]
    path.write_bytes(b"".join(frames))
    begins = [sum(map(len, frames[:i])) for i in range(len(frames))]
    index = path.with_name(path.name + ".index")
    index.write_text("".join(f"{begin} {len(frame)}\n" for begin, frame in zip(begins, frames, strict=True)))
    return index
