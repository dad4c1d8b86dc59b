"""Which pipeline is being defined: a stack for each thread."""

import threading

_local = threading.local()


def _stack():
    if not hasattr(_local, "pipelines"):
        _local.pipelines = []
    return _local.pipelines


def push(pipeline):
    _stack().append(pipeline)


def pop():
    return _stack().pop()


def current():
    """The pipeline whose definition runs on this thread, or None."""
    stack = _stack()
    return stack[-1] if stack else None


def require(what):
    """The current pipeline. `RuntimeError` outside of a definition."""
    pipeline = current()
    if pipeline is None:
        raise RuntimeError(
            f"{what} has side effects, so it must belong to a pipeline, but the current pipeline is not set. "
            "Call it inside `with pipe:` or inside a function decorated with `pipeline_def`."
        )
    return pipeline
