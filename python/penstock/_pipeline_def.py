"""The decorator that turns a function into a factory of pipelines."""

import functools
import inspect


def pipeline_def(fn=None, **pipeline_kwargs):
    """Turns a function that returns nodes into one that returns a `Pipeline`.

    Keywords of the call go to the function where it has such parameters, to the pipeline otherwise; there they replace
    those of the decorator. Works bare and with keywords: ``@pipeline_def`` or ``@pipeline_def(batch_size=8)``.
    """

    def decorate(function):
        signature = inspect.signature(function)
        if any(p.kind is p.VAR_KEYWORD for p in signature.parameters.values()):
            raise TypeError(f"Using variadic keyword argument `**kwargs` in {function.__name__} is not allowed")

        @functools.wraps(function)
        def factory(*args, **kwargs):
            own, options = _split(signature, kwargs)
            pipeline = _pipeline_class()(**{**_without_switches(pipeline_kwargs), **options})
            with pipeline:
                made = function(*args, **own)
            if made is not None:
                pipeline.set_outputs(*(made if isinstance(made, tuple) else (made,)))
            return pipeline

        factory._is_pipeline_def = True
        return factory

    return decorate if fn is None else decorate(fn)


def _pipeline_class():
    from .pipeline import Pipeline

    return Pipeline


@functools.cache
def _pipeline_parameters():
    return frozenset(inspect.signature(_pipeline_class().__init__).parameters) - {"self"}


def _without_switches(kwargs):
    return {key: value for key, value in kwargs.items() if key not in ("enable_conditionals", "debug")}


def _split(signature, kwargs):
    """Keywords for the function, and those for the pipeline."""
    own, options = {}, {}
    for key, value in _without_switches(kwargs).items():
        if key in signature.parameters:
            own[key] = value
            if key in _pipeline_parameters():
                print(f"Warning: the argument `{key}` is taken by the function, not by the pipeline")
        else:
            assert key in _pipeline_parameters(), f"`{key}` is an argument of neither the function nor Pipeline"
            options[key] = value
    return own, options


def do_not_convert(function=None):
    """Accepted for DALI's sake: functions are never converted."""
    if function is None:
        return do_not_convert
    if getattr(function, "_is_pipeline_def", False):
        raise ValueError("a pipeline definition cannot be marked with @do_not_convert")
    return function
