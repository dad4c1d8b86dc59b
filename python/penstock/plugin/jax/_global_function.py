"""Functions of JAX arrays that lie on the devices of all processes."""

import contextlib
import math

import numpy as np

from ... import _context, _origin, types
from ._barrier import Barrier
from ._function import Converted
from ._layout import Layout
from ._placement import Sharded
from ._settings import unwatched


class GlobalFunction(Converted):
    """Runs on the thread that takes a batch, once for all pipelines of this process.

    Every process runs it for the same batches in the same order, because the graph and the calls that take batches
    decide that alone; so collectives in it meet their counterparts.
    """

    operator = "consumer_step"

    def __init__(self, function, num_outputs, output_layouts, sharding):
        import jax

        if not isinstance(sharding, jax.sharding.Sharding):
            raise TypeError(f"`sharding` should be an instance of `jax.sharding.Sharding`, got {type(sharding)}")
        super().__init__(function, num_outputs, output_layouts)
        self.sharding = sharding
        self.label = f"{self.name} on {sharding}"
        self._origin = _origin.text(_origin.here())
        self._layout_of_pipes = None
        consumer_steps = _context.require("`fn.jax_function`").consumer_steps
        self.barrier = consumer_steps[0].barrier if consumer_steps else Barrier()  # one for all functions of a pipeline
        self.barrier.include(sharding)
        self.number = len(consumer_steps)
        consumer_steps.append(self)

    def bind(self, layout):
        """Says which shards the pipelines make. `ValueError` where the function's sharding does not fit them."""
        self._layout_of_pipes = layout.with_sharding(self.sharding)
        self._place = Sharded(self.sharding, self._layout_of_pipes)

    @property
    def num_shards(self):
        """Of all processes."""
        return self._layout_of_pipes.num_shards

    def brings(self, stops):
        """What the batches of this process are like, a text that must be the same in all processes."""
        with self._named():
            return self._checked(stops)

    def _checked(self, stops):
        if self._layout_of_pipes is None:
            self.bind(Layout([self.sharding]))
        needed = len(self._layout_of_pipes.local)
        if len(stops) != needed:
            raise ValueError(
                f"the sharding of the function has {needed} shards in this process, there are {len(stops)} pipelines; "
                "give the iterator the same sharding"
            )
        kinds = {_kind(stop.inputs) for stop in stops}
        if len(kinds) > 1:
            raise ValueError(f"the pipelines come to the function {self.label} with different batches, {sorted(kinds)}")
        return kinds.pop()

    def __call__(self, stops):
        """The outputs for each pipeline, from what their batches stop with."""
        with self._named(), self.barrier.watch(self.label), self._settings.applied():
            return self._outputs(stops)

    @contextlib.contextmanager
    def _named(self):
        try:
            yield
        except Exception as error:
            error.add_note(f"in the function {self.label}, used in the pipeline definition at\n{self._origin}")
            raise

    def _outputs(self, stops):
        layout = self._layout_of_pipes
        columns = zip(*([np.asarray(batch.as_tensor()) for batch in stop.inputs] for stop in stops), strict=True)
        rows = stops[0].samples
        with unwatched():
            arguments = [self._place(parts) for parts in columns]
        results = self.results(arguments, rows * layout.num_shards)
        with unwatched():
            return [
                self.batches([rows_of(array, shard * rows, (shard + 1) * rows) for array in results], stop.inputs)
                for shard, stop in zip(layout.local, stops, strict=True)
            ]


def _kind(inputs):
    wholes = [batch.as_tensor() for batch in inputs]
    return " and ".join(f"{types.to_numpy_type(whole.dtype).__name__}{list(whole.shape())}" for whole in wholes)


def rows_of(array, begin, end):
    """Rows of a global array, from what lies on devices of this process; `ValueError` when some of it does not."""
    if isinstance(array, np.ndarray):
        return array[begin:end]
    shape = (end - begin, *array.shape[1:])
    made, missing, seen = np.empty(shape, array.dtype), math.prod(shape), set()
    for shard in array.addressable_shards:
        start, stop, columns = _bounds(shard.index, array.shape)
        first, last = max(begin, start), min(end, stop)
        if first >= last or (first, *columns) in seen:
            continue
        seen.add((first, *columns))
        piece = np.asarray(shard.data)[first - start : last - start]
        made[(slice(first - begin, last - begin), *(slice(*bounds) for bounds in columns))] = piece
        missing -= piece.size
    if missing:
        raise ValueError(
            f"rows {begin} to {end} of the function's output do not lie in this process: it is on {array.sharding}; "
            "let the output have the sharding of the input"
        )
    return made


def _bounds(index, shape):
    """First row, row after the last, and (first, after the last) of each column axis."""
    rows, *columns = [one.indices(size)[:2] for one, size in zip(index, shape, strict=True)]
    return *rows, columns
