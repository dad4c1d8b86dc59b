"""Tables for the engine's readers: files of Parquet and Arrow by pyarrow, and tables in memory.

pyarrow is imported when the first table is opened.
"""

import concurrent.futures
import glob
import os
import threading
import weakref

from . import _remote_tables

_THREADS = 16  # that open files: most of the time is waiting for the disk
_kept = weakref.WeakValueDictionary()  # name -> KeptTable


def open_tables(kind, paths, columns, check_crc):
    """The files behind `paths`, opened, in order: objects with `name`, `is_mapped`, `groups` and `load(group)`.

    `kind` is "parquet" or "arrow". `OSError` for a path that leads nowhere, `ImportError` without pyarrow, `KeyError`
    for a column that is not there, `ValueError` for a damaged file, `TypeError` for a column that makes no tensor.
    """
    if kind == "arrow" and all(path in _kept for path in paths):
        return [_kept[path].opened(columns) for path in paths]
    need_pyarrow()
    found = [file for path in paths for file in _files(path, f".{kind}")]
    make = ParquetTable if kind == "parquet" else ArrowTable

    def opened(file):
        try:
            return make(file, columns, check_crc)
        except KeyError as error:
            raise KeyError(_Words(f"{file}: {error.args[0]}")) from None
        except (ValueError, OSError, TypeError) as error:
            raise type(error)(f"{file}: {error}") from None

    if len(found) == 1:
        return [opened(found[0])]
    with concurrent.futures.ThreadPoolExecutor(min(_THREADS, len(found))) as threads:
        return list(threads.map(opened, found))


class _Words(str):
    """A text that KeyError shows as it is."""

    __repr__ = str.__str__


def need_pyarrow():
    """`ImportError` that says what to do where pyarrow is missing."""
    try:
        import pyarrow  # noqa: F401 - is it there?
    except ImportError as error:
        raise ImportError(
            f"tables are read by pyarrow, which is not there ({error}); run: pip install pyarrow"
        ) from None


def _files(path, suffix):
    if _remote_tables.is_url(path):
        return _remote_tables.found(path, suffix)
    if os.path.isdir(path):
        found = sorted(glob.glob(os.path.join(glob.escape(path), "**", f"*{suffix}"), recursive=True))
        if not found:
            raise FileNotFoundError(f"there is no *{suffix} in {path}")
        return found
    if os.path.exists(path):
        return [path]
    found = sorted(glob.glob(path, recursive=True))
    if not found:
        raise FileNotFoundError(f"Cannot open {path}: no such file, and no pattern that matches one")
    return found


def wanted_fields(schema, columns, with_paths=False):
    """[(top-level name, names below it)] of the columns. `with_paths` leaves structs of bytes and path whole.

    `KeyError` for one that is not there, `TypeError` for one that makes no tensor.
    """
    return [_wanted(schema, column, with_paths) for column in columns]


def _wanted(schema, column, with_paths):
    top, *parts = [column] if column in schema.names else column.split(".")
    if schema.names.count(top) != 1:
        raise KeyError(_Words(f'there is no column "{column}"; there are {", ".join(schema.names)}'))
    kind = plain(schema.field(top).type)
    for part in parts:
        kind = _part(kind, part, column)
    if is_file(kind):
        if with_paths:
            return top, parts
        parts, kind = [*parts, "bytes"], _part(kind, "bytes", column)
    _check(kind, column)
    return top, parts


def _part(kind, part, column):
    import pyarrow.types

    if not pyarrow.types.is_struct(kind) or kind.get_field_index(part) < 0:
        raise KeyError(_Words(f'there is no column "{column}": {kind} has no part "{part}"'))
    return plain(kind.field(part).type)


def plain(kind):
    """The type that values have once `_normal` has been at them."""
    import pyarrow

    if isinstance(kind, pyarrow.BaseExtensionType):
        kind = kind.storage_type
    return kind.value_type if pyarrow.types.is_dictionary(kind) else kind


def is_file(kind):
    """Whether it is how Hugging Face stores pictures and sounds."""
    import pyarrow.types

    return pyarrow.types.is_struct(kind) and {field.name for field in kind} == {"bytes", "path"}


def _check(kind, column):
    from pyarrow import types

    leaf = kind
    while types.is_list(leaf) or types.is_large_list(leaf) or types.is_fixed_size_list(leaf):
        leaf = leaf.value_type
    numbers = types.is_integer(leaf) or types.is_floating(leaf) or types.is_boolean(leaf)
    if leaf is kind:
        texts = any(is_one(kind) for is_one in (types.is_string, types.is_large_string, types.is_binary,
                    types.is_large_binary, types.is_fixed_size_binary, types.is_string_view, types.is_binary_view,
                    types.is_temporal))  # fmt: skip
        if texts and not types.is_interval(kind):
            return
    if not numbers:
        raise TypeError(
            f'column "{column}" is {kind}, which makes no tensor; numbers, texts, bytes and lists of numbers do'
        )


def _normal(array):
    """An array of types that the engine reads, of one piece."""
    import pyarrow
    from pyarrow import types

    if isinstance(array, pyarrow.ChunkedArray):
        if array.num_chunks == 1:
            array = array.chunk(0)
        else:
            large = {pyarrow.binary(): pyarrow.large_binary(), pyarrow.string(): pyarrow.large_string()}
            array = array.cast(large.get(array.type, array.type)).combine_chunks()
            array = array.chunk(0) if isinstance(array, pyarrow.ChunkedArray) else array
    if isinstance(array, pyarrow.ExtensionArray):
        array = array.storage
    if types.is_dictionary(array.type):
        array = array.dictionary_decode()
    if types.is_string_view(array.type) or types.is_binary_view(array.type):
        array = array.cast(pyarrow.large_binary())
    return array


def taken(column, parts):
    """A column of a table, or a part of one of structs, as a capsule for the type and one for the values."""
    import pyarrow.compute

    for part in parts:
        column = pyarrow.compute.struct_field(_normal(column), part)
    array = _normal(column)
    if is_file(array.type):
        parts = [_normal(pyarrow.compute.struct_field(array, part)) for part in ("bytes", "path")]
        array = pyarrow.StructArray.from_arrays(parts, names=["bytes", "path"])
    return array.__arrow_c_array__()


class ParquetTable:
    """A Parquet file whose row groups are read as they are asked for, by any thread."""

    is_mapped = False
    indices = None

    def __init__(self, path, columns, check_crc):
        import pyarrow.parquet

        self.name = path
        self._check_crc = check_crc
        self._remote = _remote_tables.opened(path) if _remote_tables.is_url(path) else None
        source = self._source()
        file = pyarrow.parquet.ParquetFile(source, page_checksum_verification=check_crc)
        self._metadata = file.metadata
        self._fields = wanted_fields(file.schema_arrow, columns)
        self._leaves = [".".join([top, *parts]) for top, parts in self._fields]
        self._idle = [(source, file)]  # a file is read by one thread at a time
        self._lock = threading.Lock()
        self._columns = self._leaf_numbers()
        self.groups = [self._group(i) for i in range(self._metadata.num_row_groups)]

    def _source(self):
        """What pyarrow opens."""
        if self._remote is None:
            return self.name
        return self._remote.local_path or _remote_tables.RemoteFile(self._remote)

    def _group(self, i):
        group = self._metadata.row_group(i)
        sizes = [group.column(leaf).total_uncompressed_size for leaf in self._columns]
        return group.num_rows, sum(sizes)

    def _leaf_numbers(self):
        """Which of the file's columns, of which a struct or list has several, are ours."""
        schema = self._metadata.schema
        paths = [schema.column(i).path for i in range(len(schema))]
        return [
            i for i, path in enumerate(paths)
            if any(path == leaf or path.startswith(f"{leaf}.") for leaf in self._leaves)
        ]  # fmt: skip

    def _ranges(self, group):
        """Where the columns of a row group lie."""
        for leaf in self._columns:
            chunk = self._metadata.row_group(group).column(leaf)
            first = chunk.dictionary_page_offset if chunk.has_dictionary_page else None
            begin = chunk.data_page_offset if first is None else min(first, chunk.data_page_offset)
            yield begin, chunk.total_compressed_size

    def load(self, group):
        """The columns of a row group. `ValueError` or `OSError` for damaged ones."""
        import pyarrow.parquet

        with self._lock:
            source, file = self._idle.pop() if self._idle else (None, None)
        if file is None:
            source = self._source()
            file = pyarrow.parquet.ParquetFile(
                source, metadata=self._metadata, page_checksum_verification=self._check_crc
            )
        if isinstance(source, _remote_tables.RemoteFile):
            source.hold(self._ranges(group))
        table = file.read_row_group(group, columns=self._leaves, use_threads=False)
        if isinstance(source, _remote_tables.RemoteFile):
            source.hold(())
        with self._lock:
            self._idle.append((source, file))
        return [taken(table.column(top), parts) for top, parts in self._fields]


class ArrowTable:
    """An Arrow file, mapped: its record batches are the row groups."""

    is_mapped = True
    indices = None

    def __init__(self, path, columns, check_crc):
        del check_crc  # Arrow files have no checksums
        import pyarrow

        self.name = path
        source = pyarrow.memory_map(self._local(path))
        start = source.read_buffer(8)
        source.seek(0)
        if start.to_pybytes().startswith(b"ARROW1"):
            file = pyarrow.ipc.open_file(source)
            batches = (file.get_batch(i) for i in range(file.num_record_batches))
        else:
            file = batches = pyarrow.ipc.open_stream(source)
        self._fields = wanted_fields(file.schema, columns)
        span = range(start.address, start.address + source.size())
        self._batches = [self._mapped(batch, span) for batch in batches]
        self.groups = [(batch.num_rows, 0) for batch in self._batches]

    def _local(self, path):
        if not _remote_tables.is_url(path):
            return path
        self._remote = _remote_tables.opened(path)  # the file stays there as long as it is open
        if not self._remote.local_path:
            raise ValueError(
                "Arrow files are mapped into memory, and this one lies on a server: let PENSTOCK_CACHE=files keep a "
                "copy on this machine (docs/buckets.md), or store it as Parquet"
            )
        return self._remote.local_path

    def _mapped(self, batch, span):
        for top, _ in self._fields:
            for buffer in batch.column(top).buffers():
                if buffer is not None and buffer.size and buffer.address not in span:
                    raise ValueError(
                        "the file is compressed, so it cannot be mapped; write it without compression, or as Parquet"
                    )
            batch.column(top).validate()
        return batch

    def load(self, group):
        """The columns of a record batch."""
        batch = self._batches[group]
        return [taken(batch.column(top), parts) for top, parts in self._fields]


class KeptTable:
    """A table of the program, which readers of this process find by `name` as long as this object lives."""

    def __init__(self, name, table, indices):
        self.name = name
        self._table = table
        self._indices = indices

    def opened(self, columns):
        """The table as a reader uses it."""
        return _MemoryTable(self.name, self._table, self._indices, columns)


def keep(name, table, indices):
    """The `KeptTable` of that name, which stands for the same data always.

    Args
    ----
    table : pyarrow.Table
    indices : pyarrow.ChunkedArray of uint64, or None
        The rows that make the data set, in order; all of them when None.
    """
    kept = _kept.get(name)
    if kept is None:
        kept = _kept[name] = KeptTable(name, table, indices)
    return kept


class _MemoryTable:
    is_mapped = True

    def __init__(self, name, table, indices, columns):
        self.name = name
        self._fields = wanted_fields(table.schema, columns, with_paths=True)
        self.indices = None if indices is None else _normal(indices).__arrow_c_array__()
        self._batches = table.select(list(dict.fromkeys(top for top, _ in self._fields))).to_batches()
        self.groups = [(batch.num_rows, 0) for batch in self._batches]

    def load(self, group):
        """The columns of a record batch."""
        batch = self._batches[group]
        for column in batch.columns:
            column.validate()
        return [taken(batch.column(top), parts) for top, parts in self._fields]
