"""Pipelines whose sources processes call."""

from penstock import Pipeline, fn

METHODS = ["fork", "spawn"]


def pipe_of(source, method="fork", batch_size=4, workers=2, num_outputs=None, pickler=None, **options):
    pipe = Pipeline(batch_size=batch_size, py_num_workers=workers, py_start_method=method, py_callback_pickler=pickler)
    with pipe:
        made = fn.external_source(source, num_outputs, parallel=True, **{"batch": False, **options})
        pipe.set_outputs(*(made if num_outputs else [made]))
    return pipe
