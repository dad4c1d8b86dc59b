"""Batches without samples, which ranks have that got fewer than others (`epoch_end="partial"`)."""

from ..pipeline.contract import sample_of


class Empty:
    """What arrays of no rows are like: as those of earlier batches, or of a sample that is made to learn it.

    `arrays` makes one array for each output of a batch. Not known are outputs behind Python's functions and sources
    until a batch with samples came.
    """

    def __init__(self, pipe, arrays):
        self._pipe, self._arrays = pipe, arrays
        self._known = {}  # by the output's number: (extents of a sample, element type, device)

    def note(self, number, array):
        """Remembers what samples are of the first array that is shown of an output."""
        if number not in self._known:
            self._known[number] = tuple(array.shape[1:]), array.dtype, getattr(array, "device", None)

    def __call__(self, number):
        """Extents of a sample, element type and device of that output, or None."""
        if number not in self._known:
            made = sample_of(self._pipe)
            for i, array in enumerate(() if made is None else self._arrays(made)):
                self.note(i, array)
        return self._known.setdefault(number, None)
