"""Memory that two processes share: a worker writes the arrays of a result into it, the parent reads them in place."""

import mmap
import os
import threading
import weakref

import numpy as np

LEAST = 1 << 20  # bytes of a block; untouched pages take no memory
_ROOM = 1.25  # a block that has to grow gets that much more, as the next samples may be larger still
_ALIGNED = 64


class Block:
    """One block as the parent has it. `number` names it in requests."""

    def __init__(self, number, capacity):
        self.number = number
        self.file = os.memfd_create(f"penstock_source_{number}", os.MFD_CLOEXEC)
        os.ftruncate(self.file, capacity)
        self.capacity = capacity
        self.known_to = set()  # workers that have it
        self._map = None
        weakref.finalize(self, os.close, self.file)

    def arrays(self, spans, capacity, give_back):
        """Views of the parts that a worker wrote. `give_back(self)` is called once no view is held any more."""
        if self._map is None or len(self._map) < capacity:
            self._map = mmap.mmap(self.file, capacity)
        self.capacity = capacity
        whole = np.frombuffer(self._map, np.uint8)
        weakref.finalize(whole, give_back, self).atexit = False
        return [memoryview(whole)[first : first + length] for first, length in spans]


class Blocks:
    """The blocks of one source."""

    def __init__(self, count, capacity, samples):
        self._capacity = max(capacity, LEAST)
        self._samples = samples  # of a block, at most
        self._lock = threading.Lock()
        self._all = []
        self._free = [self._made() for _ in range(count)]

    def _made(self):
        block = Block(len(self._all), self._capacity)
        self._all.append(block)
        return block

    def take(self):
        """A free block; a new one where users hold all of them."""
        with self._lock:
            return self._free.pop() if self._free else self._made()

    def give_back(self, block):
        self._free.append(block)  # not under the lock: the garbage collector may call this within `take`

    def capacities(self):
        """Bytes of each block, and for each sample in it."""
        sizes = [block.capacity for block in self._all]
        return sizes, [size // self._samples for size in sizes]


class Mapped:
    """A block as a worker has it."""

    def __init__(self, file):
        self._file = file
        self._map = mmap.mmap(file, os.fstat(file).st_size)

    def write(self, buffers):
        """Copies the buffers there. Gives (first byte, length) of each, and the bytes that the block now has."""
        spans, end = [], 0
        for buffer in buffers:
            spans.append((end, buffer.nbytes))
            end += -(-buffer.nbytes // _ALIGNED) * _ALIGNED
        if end > len(self._map):
            self._grow(int(end * _ROOM))
        view = np.frombuffer(self._map, np.uint8)
        for (first, length), buffer in zip(spans, buffers, strict=True):
            view[first : first + length] = np.frombuffer(buffer, np.uint8)
        return spans, len(self._map)

    def _grow(self, size):
        size = -(-size // mmap.PAGESIZE) * mmap.PAGESIZE
        if size > os.fstat(self._file).st_size:  # another worker may have been first, and must keep what it has mapped
            os.ftruncate(self._file, size)
        self._map = mmap.mmap(self._file, os.fstat(self._file).st_size)
