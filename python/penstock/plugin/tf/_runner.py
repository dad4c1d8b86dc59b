"""The pipeline of one iterator."""

import functools

import numpy as np

from .._empty import Empty


class Runner:
    """Makes batches by a pipeline of its own."""

    @classmethod
    def maker(cls, pipeline, options, layouts):
        """What makes runners of pipelines like `pipeline`, with these options; `layouts` are those of what is fed."""
        try:
            serialized = pipeline.serialize()
        except RuntimeError as error:
            raise RuntimeError(
                "Error during pipeline initialization. Note that some operators (e.g. Python Operators) cannot be used "
                "with TensorFlow Dataset API and DALIIterator."
            ) from error
        sources = [one for one in pipeline.external_sources() if one.source is not None]
        again = functools.partial(type(pipeline).deserialize, serialized, seed=pipeline.seed, **options)
        return functools.partial(cls, again, sources, layouts)

    def __init__(self, make_pipeline, sources, layouts):
        self._pipeline = make_pipeline()
        self._layouts = layouts
        self._empty = Empty(self._pipeline, lambda outputs: [_array(output) for output in outputs])
        self._sources = [one.anew(self._pipeline.max_batch_size) for one in sources]

    def next(self, fed):
        """The next batch: one list of tensors an output. None behind the end of a source. `fed` has data by name."""
        try:
            for source in self._sources:
                fed |= source()
            for name, data in fed.items():
                self._pipeline.feed_input(name, data, layout=self._layouts.get(name))
            return self._pipeline.run()
        except StopIteration:
            return None

    def array(self, number, batch):
        """The batch of an output, of that `number`, as an array.

        Without samples it has the extents and type of those of other batches, or is None where these are not known.
        """
        if len(batch):
            array = _array(batch)
            self._empty.note(number, array)
            return array
        like = self._empty(number)
        return None if like is None else np.empty((0, *like[0]), like[1])

    def close(self):
        """Ends the pipeline."""
        self._pipeline.close()


def _array(batch):
    return np.asarray(batch.as_cpu().as_array())
