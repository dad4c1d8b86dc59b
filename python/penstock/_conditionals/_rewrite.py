"""Functions of a pipeline definition written anew, so that `if`, `and`, `or` and `not` may be over nodes.

    if test:                       _penstock_if_1 = ag.If(test, locals())
        x = f(x)                   with _penstock_if_1:
    else:              becomes         if _penstock_if_1.first():
        x = g(x)                           x = ag.f(f)(x)
                                   if _penstock_if_1.both:
                                       x, = _penstock_if_1.turn(("x",), locals())
                                   with _penstock_if_1:
                                       if _penstock_if_1.second():
                                           x = ag.f(g)(x)
                                   if _penstock_if_1.both:
                                       x, = _penstock_if_1.joined(("x",), (), locals())

Over a node both branches are written down, one after the other; over anything else one is, as ever. All statements stay
in the user's function and keep their lines.
"""

import ast

from ._names import LiveNames, attributes_stored, own, stored
from ._returns import with_other_branches

HELPER = "_penstock_ag"
# Calls that look at the frame they stand in.
_OF_FRAMES = {"super", "locals", "globals", "vars", "dir", "eval", "exec"}


def _parsed(text):
    return ast.parse(text).body


def _helper(name):
    return ast.Attribute(ast.Name(HELPER, ast.Load()), name, ast.Load())


def _lambda(expression):
    nothing = ast.arguments(posonlyargs=[], args=[], kwonlyargs=[], kw_defaults=[], defaults=[])
    return ast.Lambda(nothing, expression)


def _at(node, like):
    """The made node with the place of what it stands for."""
    for one in ast.walk(node):
        if "lineno" in one._attributes and not hasattr(one, "lineno"):
            ast.copy_location(one, like)
    return node


def _holds(node, kinds):
    return any(isinstance(one, kinds) for one in own(node))


def _is_left_alone(function):
    if _holds(function, (ast.Yield, ast.YieldFrom)):
        return True
    names = {one.attr if isinstance(one, ast.Attribute) else getattr(one, "id", "") for one in function.decorator_list}
    return "do_not_convert" in names


class Rewriter(ast.NodeTransformer):
    """Rewrites one function; functions within it with their own."""

    def __init__(self):
        self._ifs = []  # around, of this function: (name, loops around it)
        self._loops = 0
        self._count = 0
        self._live = None
        self._globals = False
        self._returns = set()  # names of ifs in which something is returned

    def function(self, node):
        """The function, or lambda, with its body rewritten; what is around it decides nothing."""
        inner = Rewriter()
        if isinstance(node, ast.Lambda):
            node.body = inner.visit(node.body)
            return node
        node.body = with_other_branches(node.body)
        inner._live = LiveNames(node)
        inner._globals = any(isinstance(one, ast.Global) for one in ast.walk(node))
        node.body = inner._block(node.body)
        return node

    def _block(self, statements):
        made = []
        for statement in statements:
            new = self.visit(statement)
            made += new if isinstance(new, list) else [new]
        return made

    def visit_FunctionDef(self, node):  # noqa: N802 - ast's names
        if _is_left_alone(node):
            return node
        node.decorator_list = [self.visit(one) for one in node.decorator_list]
        node.args = self.visit(node.args)
        return self.function(node)

    def visit_Lambda(self, node):  # noqa: N802
        node.args = self.visit(node.args)
        return self.function(node)

    def visit_ClassDef(self, node):  # noqa: N802
        return node  # methods are rewritten when they are called

    def visit_AsyncFunctionDef(self, node):  # noqa: N802
        return node

    def _visit_loop(self, node):
        self._loops += 1
        self.generic_visit(node)
        self._loops -= 1
        return node

    visit_For = visit_While = visit_AsyncFor = _visit_loop  # noqa: N815

    def _locals(self):
        return "{**globals(), **locals()}" if self._globals else "locals()"

    def visit_If(self, node):  # noqa: N802
        names = stored([node])
        live = self._live.get(node, set()) if self._live else set(names)
        captured = self._live.captured if self._live else set()
        strict = tuple(name for name in names if name in live)
        lenient = tuple(name for name in names if name in captured and name not in live)
        test = self.visit(node.test)
        self._count += 1
        number = f"_penstock_if_{self._count}"
        self._ifs.append((number, self._loops))
        body, orelse = self._block(node.body), self._block(node.orelse)
        self._ifs.pop()
        begun = ast.Assign([ast.Name(number, ast.Store())], ast.Call(_helper("If"), [test], []))
        begun.value.args.append(ast.parse(self._locals(), mode="eval").body)
        if attributes := attributes_stored([node]):
            begun.value.args.append(ast.parse(repr(attributes), mode="eval").body)
        made = [
            begun,
            self._part(number, "first", body),
            *self._taken(number, tuple(names), f"turn({tuple(names)}, {self._locals()})"),
            self._part(number, "second", orelse),
            *self._taken(number, strict + lenient, f"joined({strict}, {lenient}, {self._locals()})"),
        ]
        if number in self._returns:
            around = "".join(f"{one}, " for one, _ in self._ifs)
            made += _parsed(f"if {number}.returned: return {HELPER}.ret(({around}), {number}.value)")
            self._returns |= {one for one, _ in self._ifs}
        return [_at(one, node) for one in made]

    def _part(self, number, which, statements):
        part = _parsed(f"with {number}:\n    if {number}.{which}():\n        pass")[0]
        part.body[0].body = statements or [ast.Pass()]
        if statements:  # a debugger that steps goes on from the `if` to what is in it
            for one in (part, part.body[0]):
                _strip(one, keep=statements)
        else:
            _strip(part, keep=())
        return part

    def _taken(self, number, names, call):
        """Statements that give the names what the `if` says. Names without a value stay without."""
        if names:
            text = f"if {number}.both:\n    ({', '.join(names)},) = {number}.{call}\n"
            text += "".join(f"    if {name} is {HELPER}.UNDEFINED: del {name}\n" for name in names)
        else:
            text = f"if {number}.both: {number}.{call}\n"
        return [_strip(one, keep=()) for one in _parsed(text)]

    def visit_Return(self, node):  # noqa: N802
        self.generic_visit(node)
        if not self._ifs:
            return node
        self._returns.add(self._ifs[-1][0])
        around = _parsed("(" + "".join(f"{number}, " for number, _ in self._ifs) + ")")[0].value
        value = node.value or ast.Constant(None)
        node.value = _at(ast.Call(_helper("ret"), [_strip(around, keep=()), value], []), node)
        return node

    def _visit_jump(self, node):
        around = [number for number, loops in self._ifs if loops >= self._loops and self._loops]
        if not around:
            return node
        word = "break" if isinstance(node, ast.Break) else "continue"
        check = _parsed(f"{HELPER}.jump(({', '.join(around)},), {word!r})")[0]
        return [_at(_strip(check, keep=()), node), node]

    visit_Break = visit_Continue = _visit_jump  # noqa: N815

    def visit_IfExp(self, node):  # noqa: N802
        self.generic_visit(node)
        if _holds(node.body, ast.NamedExpr) or _holds(node.orelse, ast.NamedExpr):
            return node  # the name would be the lambda's
        made = ast.Call(_helper("if_exp"), [node.test, _lambda(node.body), _lambda(node.orelse)], [])
        return _at(made, node)

    def visit_BoolOp(self, node):  # noqa: N802
        self.generic_visit(node)
        if any(_holds(value, ast.NamedExpr) for value in node.values[1:]):
            return node  # likewise
        name = "and_" if isinstance(node.op, ast.And) else "or_"
        made = node.values[0]
        for value in node.values[1:]:
            made = ast.Call(_helper(name), [made, _lambda(value)], [])
        return _at(made, node)

    def visit_UnaryOp(self, node):  # noqa: N802
        self.generic_visit(node)
        return _at(ast.Call(_helper("not_"), [node.operand], []), node) if isinstance(node.op, ast.Not) else node

    def visit_Call(self, node):  # noqa: N802
        self.generic_visit(node)
        if not (isinstance(node.func, ast.Name) and node.func.id in _OF_FRAMES):
            node.func = _at(ast.Call(_helper("f"), [node.func], []), node.func)
        return node


def _strip(node, keep):
    """Takes the lines of the made text off, so that `_at` gives it those of what it stands for."""
    kept = {id(one) for statement in keep for one in ast.walk(statement)}
    for one in ast.walk(node):
        if id(one) not in kept:
            for name in one._attributes:
                one.__dict__.pop(name, None)
    return node
