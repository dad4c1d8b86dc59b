"""Sources that processes call, as the feeders of a pipeline see them."""

import functools
import itertools

from .._sources import Source


class Remote(Source):
    """Stands for `source`, which lives in the processes of `pool` under `number`."""

    def __init__(self, source, pool, number):
        super().__init__(source.batch)
        self.several, self.depth, self.kind = source.several, source.depth, source.kind
        self.concurrent, self.can_seek, self.can_restart = source.concurrent, source.can_seek, source.can_restart
        self.called_by = f"process ({pool.method})"
        self._local, self.given = source, source.given
        self._pool = pool
        self._number = number
        # An iterable stands somewhere: the same process must be asked each time.
        self._worker = None if source.concurrent else number

    def anew(self):
        """The source itself, at its beginning."""
        return self._local.anew()

    def serve(self, workers):
        """The processes serve."""

    def calls(self, iteration, batch_size):
        """One call for a batch; for samples one for each process."""
        infos = self.infos(iteration, batch_size)
        size = -(-len(infos) // (self._pool.count if self.concurrent else 1))
        parts = [infos[i : i + size] for i in range(0, len(infos), size)]
        return [functools.partial(self._pool.ask, self._number, (self.epoch, one), self._worker) for one in parts]

    def join(self, results):
        return super().join(list(itertools.chain.from_iterable(results)))
