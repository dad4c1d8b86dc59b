"""Which pipeline is being defined: a stack for each thread."""

import threading
import weakref

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


def eager():
    """What runs operators of the definition at work on this thread at once, or None where they make a graph."""
    return getattr(current(), "_eager", None)


def mark(pipeline=None):
    """What nodes remember of their pipeline, the current one where none is given: None outside of a definition.

    It does not keep the pipeline, and equals marks of the same one only.
    """
    pipeline = pipeline or current()
    return None if pipeline is None else weakref.ref(pipeline)


def require(what):
    """The current pipeline. `RuntimeError` outside of a definition."""
    pipeline = current()
    if pipeline is None:
        raise RuntimeError(
            f"{what} has side effects, so it must belong to a pipeline, but the current pipeline is not set. "
            "Call it inside `with pipe:` or inside a function decorated with `pipeline_def`."
        )
    return pipeline
