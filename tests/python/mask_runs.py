"""Maps of labels, and operators run on them."""

import numpy as np

from penstock import Pipeline, fn


def made(make, samples, layout=None, **options):
    """Outputs of one batch: [output][sample]."""
    pipe = Pipeline(**{"batch_size": len(samples), "num_threads": 2, "device_id": None, "seed": 3, **options})
    with pipe:
        node = fn.external_source(source=lambda: samples, batch=True, layout=layout)
        outputs = make(node)
        pipe.set_outputs(*(outputs if isinstance(outputs, (list, tuple)) else (outputs,)))
    return [[np.array(x) for x in output] for output in pipe.run()]


def blobs(shape, labels, seed=0, share=0.45):
    """A map whose components have holes, arms and corners that touch."""
    random = np.random.default_rng(seed)
    return (random.random(shape) < share) * random.integers(1, labels + 1, shape)


MASK = np.zeros((10, 12), np.int32)
MASK[1:3, 1:4] = MASK[3, 4] = 1
MASK[6:9, 6:8] = MASK[0, 10] = 2
MASK[5, 0:3] = 3
