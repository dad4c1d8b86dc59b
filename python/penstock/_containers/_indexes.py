"""Indexes of files of records, in the formats of DALI's scripts `tfrecord2idx`, `wds2idx` and `rec2idx`."""

import os
import struct
import tarfile

from .._whole_file import whole_file

_RECORD_HEAD, _RECORD_TAIL = 12, 4  # bytes around a TFRecord: its length and two checksums
_MAGIC = 0xCED7230A  # of RecordIO
_WHOLE, _FIRST = 0, 1  # which piece of a record of RecordIO one is


def write_index(path, to=None):
    """Writes the index of a file to `to`, by default beside it with the ending `.idx`. Returns (path, records).

    The file is a tar, RecordIO, or TFRecords. `ValueError` for one that is none of these, is compressed, was cut off or
    holds no records; `OSError` where it cannot be read or the index not be written.
    """
    path = os.fspath(path)
    to = os.fspath(to) if to else os.path.splitext(path)[0] + ".idx"
    records = 0
    with whole_file(to, "w") as index:
        for line in _lines_of(path):
            index.write(f"{line}\n")
            records += 1
        if not records:
            raise ValueError(f"{path} holds no records")
    return to, records - _is_tar(path)


def _is_tar(path):
    with open(path, "rb") as file:
        return file.read(512)[257:262] == b"ustar"


def _lines_of(path):
    if _is_tar(path):
        return _of_tar(path)
    with open(path, "rb") as file:
        first = file.read(4)
    return _of_recordio(path) if first == struct.pack("<I", _MAGIC) else _of_tfrecords(path)


def _of_tfrecords(path):
    """A line a record: where it begins, and its length with what stands around it."""
    at, size = 0, os.path.getsize(path)
    with open(path, "rb") as file:
        while at < size:
            file.seek(at)
            head = file.read(_RECORD_HEAD)
            length = struct.unpack("<Q", head[:8])[0] if len(head) == _RECORD_HEAD else size
            length += _RECORD_HEAD + _RECORD_TAIL
            if at + length > size:
                raise ValueError(f"{path} is no tar, RecordIO or TFRecords, or was cut off at the record at byte {at}")
            yield f"{at} {length}"
            at += length


def _of_recordio(path):
    """A line a record: its number and where it begins. Records may be in several pieces."""
    number, at, size = 0, 0, os.path.getsize(path)
    with open(path, "rb") as file:
        while at < size:
            file.seek(at)
            head = file.read(8)
            magic, word = struct.unpack("<II", head) if len(head) == 8 else (0, 0)
            length, piece = word & (1 << 29) - 1, word >> 29
            if magic != _MAGIC or at + 8 + length > size:
                raise ValueError(f"{path} was cut off: there is no whole record of RecordIO at byte {at}")
            if piece in (_WHOLE, _FIRST):
                yield f"{number}\t{at}"
                number += 1
            at += 8 + (length + 3) // 4 * 4


def _of_tar(path):
    """A head, and a line a sample: for each component its extension, where it begins, its size and its name."""
    samples, last = [], None
    try:
        with tarfile.open(path, "r:") as archive:
            for member in archive:
                folder, _, name = member.name.rpartition("/")
                stem, dot, extension = name.partition(".")
                if not (member.isfile() and stem and dot):
                    continue
                if (folder, stem) != last:
                    samples.append([])
                    last = folder, stem
                samples[-1].append(f"{extension} {member.offset_data} {member.size} {member.name}")
    except tarfile.TarError as error:
        raise ValueError(f"{path} is a damaged tar archive: {error}") from None
    if samples:
        yield f"v1.2 {len(samples)}"
    yield from map(" ".join, samples)
