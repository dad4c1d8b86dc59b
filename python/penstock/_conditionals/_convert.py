"""Functions of a pipeline definition, and those that they call, written anew where they are called."""

import __future__

import ast
import functools
import inspect
import linecache
import sys
import types

from . import _runtime
from ._merge import is_enabled
from ._rewrite import HELPER, Rewriter

# Modules whose functions have nothing to do with nodes, or must not be touched.
_LEFT_ALONE = frozenset(sys.stdlib_module_names) | {
    "penstock", "nvidia", "numpy", "scipy", "jax", "jaxlib", "torch", "torchvision", "cupy", "numba", "tensorflow",
    "cv2", "PIL", "pytest", "_pytest",
}  # fmt: skip
_ALSO_OURS = ("penstock.auto_aug", "__main__")
_FUTURE = functools.reduce(
    lambda flags, name: flags | getattr(__future__, name).compiler_flag, __future__.all_feature_names, 0
)
_GENERATORS = inspect.CO_GENERATOR | inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR
_codes = {}  # code -> what it became, or None
_made = set()  # codes that this module made


def do_not_convert(function=None):
    """Leaves `if`, `and`, `or` and `not` of a function, and of what it calls, to Python.

    For functions that are called while the pipeline runs, such as sources, and for code that must not be rewritten.

    Args
    ----
    function : callable
        Returned, or something that calls it where it is no plain function. `ValueError` for a pipeline definition.
    """
    if function is None:
        return do_not_convert
    if getattr(function, "_is_pipeline_def", False):
        raise ValueError("Pipeline definition cannot be marked with @do_not_convert.")
    if isinstance(function, types.FunctionType):
        function._penstock_left_alone = True
        return function

    @functools.wraps(function, updated=())
    def left_alone(*args, **kwargs):
        return function(*args, **kwargs)

    left_alone._penstock_left_alone = True
    return left_alone


def is_left_alone(function):
    """Whether `do_not_convert` marks it."""
    return getattr(function, "_penstock_left_alone", False)


def f(called):
    """What a rewritten function calls in the place of `called`."""
    return converted(called) if is_enabled() else called


def converted(called):
    """The callable with `if`, `and`, `or` and `not` that may be over nodes, or itself where that cannot be."""
    if isinstance(called, types.FunctionType):
        return _function(called)
    if isinstance(called, types.MethodType):
        function = converted(called.__func__)
        return called if function is called.__func__ else types.MethodType(function, called.__self__)
    if isinstance(called, functools.partial):
        function = converted(called.func)
        return called if function is called.func else functools.partial(function, *called.args, **called.keywords)
    of_class = getattr(type(called), "__call__", None)  # noqa: B004 - the function itself is wanted
    if isinstance(of_class, types.FunctionType) and not isinstance(called, type):
        function = _function(of_class)
        return called if function is of_class else types.MethodType(function, called)
    return called


def _function(function):
    code = function.__code__
    if code in _made or is_left_alone(function) or _is_foreign(function):
        return function
    if code.co_flags & _GENERATORS:
        return function
    if code not in _codes:
        _codes[code] = _rewritten(function)
    new = _codes[code]
    if new is None:
        return function
    cells = dict(zip(code.co_freevars, function.__closure__ or (), strict=True))
    cells[HELPER] = types.CellType(_HELPERS)
    closure = tuple(cells[name] for name in new.co_freevars)
    made = types.FunctionType(new, function.__globals__, function.__name__, function.__defaults__, closure)
    made.__kwdefaults__ = function.__kwdefaults__
    made.__dict__.update(function.__dict__)
    made.__qualname__, made.__module__, made.__doc__ = function.__qualname__, function.__module__, function.__doc__
    return made


def _is_foreign(function):
    module = function.__globals__.get("__name__") or ""
    return module.partition(".")[0] in _LEFT_ALONE and not module.startswith(_ALSO_OURS)


def _rewritten(function):
    """The code of the function written anew; None where its source is not to be had."""
    code = function.__code__
    lines = linecache.getlines(code.co_filename, function.__globals__)
    found = _definition("".join(lines), code) if lines else None
    if found is None:
        return None
    definition, classes = found
    free = [*code.co_freevars, HELPER]
    made = _compiled(Rewriter().function(definition), classes, free, code)
    if made is None or set(made.co_freevars) - set(free):
        return None
    made = made.replace(co_qualname=code.co_qualname)
    _remember(made)
    return made


def _remember(code):
    """The code and that of functions in it are not rewritten again."""
    _made.add(code)
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            _remember(constant)


def _definition(text, code):
    """A copy of the definition that the code was compiled from, with the names of classes around it, or None."""
    try:
        tree = ast.parse(text)
    except SyntaxError:
        return None
    found = []

    def look(node, classes):
        for child in ast.iter_child_nodes(node):
            if _begins(child) == (code.co_name, code.co_firstlineno):
                found.append((child, classes))
            look(child, [*classes, child.name] if isinstance(child, ast.ClassDef) else classes)

    look(tree, [])
    if len(found) > 1:
        found = [one for one in found if _is_code_of(one[0], code)]
    return found[0] if found else None


def _begins(node):
    """Name and first line of a definition as its code has them."""
    if isinstance(node, ast.Lambda):
        return "<lambda>", node.lineno
    if isinstance(node, ast.FunctionDef):
        return node.name, min([node.lineno, *(one.lineno for one in node.decorator_list)])
    return None


def _is_code_of(definition, code):
    """Whether one of several lambdas of a line is the code's: its result stands where that of the code does."""
    body = getattr(definition, "body", None)
    if not isinstance(body, ast.expr):
        return True
    place = (body.lineno, body.end_lineno, body.col_offset, body.end_col_offset)
    return place in code.co_positions()


def _compiled(definition, classes, free, code):
    """The code of one function, as if it stood where it does: in its classes, with `free` names around."""
    name = code.co_name
    if isinstance(definition, ast.Lambda):
        definition.args = _without_defaults(definition.args)
        body = [ast.copy_location(ast.Expr(definition), definition)]
    else:
        definition.decorator_list, definition.returns = [], None
        definition.args = _without_defaults(definition.args)
        body = [definition]
    for one in reversed(classes[-1:]):
        body = [ast.ClassDef(one, [], [], body, [], **({"type_params": []} if sys.version_info >= (3, 12) else {}))]
    around = ast.parse(f"def _around({', '.join(free)}): pass")
    bound = [one.name for one in body if hasattr(one, "name") and one.name not in free]
    around.body[0].body = ([ast.Global(bound)] if bound else []) + body  # not names of this function
    ast.fix_missing_locations(around)
    whole = compile(around, code.co_filename, "exec", flags=code.co_flags & _FUTURE, dont_inherit=True)
    return _find(whole, name, definition.lineno)


def _without_defaults(arguments):
    """Code does not hold defaults, only how many arguments there are; those of functions in it are kept."""
    arguments.defaults = []
    arguments.kw_defaults = [None] * len(arguments.kwonlyargs)
    for one in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs, arguments.vararg, arguments.kwarg):
        if one is not None:
            one.annotation = None
    return arguments


def _find(code, name, line):
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            if constant.co_name == name and constant.co_firstlineno == line:
                return constant
            found = _find(constant, name, line)
            if found is not None:
                return found
    return None


_HELPERS = types.SimpleNamespace(f=f, **{name: getattr(_runtime, name) for name in (
    "If", "UNDEFINED", "and_", "if_exp", "jump", "not_", "or_", "ret",
)})  # fmt: skip
