"""The decorator that turns a function into a factory of pipelines."""

import functools
import inspect
from collections.abc import Callable
from typing import Any, Protocol, TypeVar, overload

from .._conditionals import converted, is_left_alone
from .._copied import copied
from ._debugged import debugged_of

P = TypeVar("P", covariant=True)


class Definer(Protocol[P]):
    """The type of `pipeline_def`: of a function bare, of a decorator with keywords."""

    @overload
    def __call__(
        self, fn: Callable[..., object], *, debug: bool = ..., enable_conditionals: bool = ..., **pipeline_kwargs: Any
    ) -> Callable[..., P]: ...

    @overload
    def __call__(
        self, fn: None = ..., *, debug: bool = ..., enable_conditionals: bool = ..., **pipeline_kwargs: Any
    ) -> Callable[[Callable[..., object]], Callable[..., P]]: ...


def definer(pipeline_class: type[P]) -> Definer[P]:
    """`pipeline_def` for one class of pipelines, the `pipeline_class`."""
    parameters = frozenset(inspect.signature(pipeline_class).parameters)
    debugged = debugged_of(pipeline_class)

    def pipeline_def(fn=None, *, debug=False, enable_conditionals=False, **pipeline_kwargs):
        """Turns a function that returns nodes into one that returns a `Pipeline`.

        Keywords of the call go to the function where it has such parameters, to the pipeline otherwise; there they
        replace those of the decorator. Works bare and with keywords: ``@pipeline_def`` or
        ``@pipeline_def(batch_size=8)``.

        Args
        ----
        fn : callable
            Returns one node, a tuple of nodes, or None when it calls `Pipeline.set_outputs` itself. The factory raises
            `TypeError` when it takes ``**kwargs``. `ValueError` for one that `do_not_convert` marks.
        pipeline_kwargs
            Arguments of `Pipeline`. The factory raises `AssertionError` for one that neither it nor `fn` has.
        debug : bool
            Whether the function runs anew for each batch, and each operator in it at once: nodes can be printed, `get`
            gives their batch, debuggers stop between operators, and arrays of other libraries may be inputs. Results
            are those of the same pipeline without it. Within a branch of an `if` over a node, nodes have the samples of
            that branch alone. Much slower. False when not given; factories take it, too.
        enable_conditionals : bool
            Whether `if`, `elif`, `else`, conditional expressions, `and`, `or` and `not` may be over nodes, here and in
            functions that are called from here, except those under `do_not_convert`. Each sample then goes through the
            branch that its own value chooses, and only there. False when not given; factories take it, too.
        """

        pipeline_kwargs = copied(pipeline_kwargs)

        def decorate(function):
            if is_left_alone(function):
                raise ValueError("Pipeline definition cannot be marked with @do_not_convert.")
            signature = inspect.signature(function)

            @functools.wraps(function)
            def factory(*args, **kwargs):
                if any(p.kind is p.VAR_KEYWORD for p in signature.parameters.values()):
                    raise TypeError(f"Using variadic keyword argument `**kwargs` in {function.__name__} is not allowed")
                switches = [
                    given if name in signature.parameters else kwargs.pop(name, given)
                    for name, given in (("debug", debug), ("enable_conditionals", enable_conditionals))
                ]
                eagerly, switch = map(bool, switches)
                own, options = _split(kwargs, signature.parameters, parameters)
                options = {**pipeline_kwargs, **options}
                definition = functools.partial(converted(function) if switch else function, *args, **own)
                pipeline = debugged(definition, options) if eagerly else pipeline_class(**options)
                pipeline._written.conditionals = switch
                if eagerly:
                    return pipeline
                with pipeline:
                    made = definition()
                if made is not None:
                    pipeline.set_outputs(*(made if isinstance(made, tuple) else (made,)))
                return pipeline

            factory._is_pipeline_def = True
            return factory

        return decorate if fn is None else decorate(fn)

    return pipeline_def


def is_pipeline_def(function):
    """Whether `function` is a factory of pipelines, made by `pipeline_def`."""
    return getattr(function, "_is_pipeline_def", False)


def _split(kwargs, of_function, of_pipeline):
    """Keywords for the function, and those for the pipeline."""
    own, options = {}, {}
    for key, value in kwargs.items():
        if key in of_function:
            own[key] = value
            if key in of_pipeline:
                print(f"Warning: the argument `{key}` is taken by the function, not by the pipeline")
        else:
            assert key in of_pipeline, f"`{key}` is an argument of neither the function nor Pipeline"
            options[key] = value
    return own, options
