"""Which local names statements set and read, and which are read after an `if`."""

import ast

_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)


def own(node):
    """The node and all below it that is of the same function."""
    todo = [node]
    while todo:
        one = todo.pop()
        yield one
        if one is node or not isinstance(one, _FUNCTIONS):
            todo += ast.iter_child_nodes(one)


def _bound(one):
    if isinstance(one, ast.Name) and isinstance(one.ctx, (ast.Store, ast.Del)):
        return [one.id]
    if isinstance(one, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        return [one.name]
    if isinstance(one, ast.ExceptHandler) and one.name:
        return [one.name]
    if isinstance(one, (ast.Import, ast.ImportFrom)):
        return [alias.asname or alias.name.partition(".")[0] for alias in one.names]
    if isinstance(one, (ast.MatchAs, ast.MatchStar)) and one.name:
        return [one.name]
    return []


def stored(statements):
    """Names that the statements set, in the order of the text."""
    found = {}
    for statement in statements:
        inside = set()
        for one in own(statement):
            if isinstance(one, ast.comprehension):
                inside |= {name.id for name in ast.walk(one.target) if isinstance(name, ast.Name)}
            found |= dict.fromkeys(_bound(one))
        for name in inside:
            found.pop(name, None)
    return list(found)


def attributes_stored(statements):
    """Dotted names that the statements set, such as `self.x`."""
    found = {}
    for statement in statements:
        for one in own(statement):
            if isinstance(one, ast.Attribute) and isinstance(one.ctx, ast.Store):
                parts, at = [], one
                while isinstance(at, ast.Attribute):
                    parts.append(at.attr)
                    at = at.value
                if isinstance(at, ast.Name):
                    found[".".join([at.id, *reversed(parts)])] = None
    return tuple(found)


def _reads(node):
    """Names that are read anywhere in an expression or statement, functions in it included."""
    names = {one.id for one in ast.walk(node) if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Load)}
    return names | {
        one.target.id for one in ast.walk(node) if isinstance(one, ast.AugAssign) and isinstance(one.target, ast.Name)
    }


class LiveNames(dict):
    """For each `if` of a function the names that may be read behind it.

    `captured` are those that functions within the function read: whether they are called is not known.
    """

    def __init__(self, function):
        super().__init__()
        self.captured = set()
        for statement in function.body:
            for one in ast.walk(statement):
                if isinstance(one, _FUNCTIONS):
                    self.captured |= _reads(one)
        self._of_block(function.body, set())

    def _of_block(self, statements, after):
        for statement in reversed(statements):
            after = self._of(statement, after)
        return after

    def _of(self, statement, after):
        """Names that may be read from the statement on, given those `after` it."""
        if isinstance(statement, ast.If):
            self[statement] = self.get(statement, set()) | after
            return (
                _reads(statement.test) | self._of_block(statement.body, after) | self._of_block(statement.orelse, after)
            )
        if isinstance(statement, (ast.For, ast.AsyncFor, ast.While)):
            return self._of_loop(statement, after)
        if isinstance(statement, (ast.Return, ast.Raise)):
            return _reads(statement)
        if isinstance(statement, (ast.With, ast.AsyncWith)):
            return self._of_block(statement.body, after) | {n for item in statement.items for n in _reads(item)}
        if isinstance(statement, (ast.Try, getattr(ast, "TryStar", ast.Try))):
            after = after | self._of_block(statement.finalbody, after)
            handled = after.union(*(self._of_block(one.body, after) for one in statement.handlers))
            handled |= self._of_block(statement.orelse, after)
            return self._of_block(statement.body, handled) | handled
        if isinstance(statement, ast.Match):
            cases = (self._of_block(case.body, after) | _reads(case) for case in statement.cases)
            return _reads(statement.subject) | after.union(*cases)
        if isinstance(statement, (ast.Assign, ast.AnnAssign)):
            targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
            plain = {one.id for target in targets for one in _plain(target)} if statement.value else set()
            return (after - plain) | _reads(statement)
        return after | _reads(statement)

    def _of_loop(self, statement, after):
        head = statement.test if isinstance(statement, ast.While) else statement.iter
        again = after | _reads(head) | self._of_block(statement.orelse, after)
        while True:
            more = again | self._of_block(statement.body, again)
            if more == again:
                break
            again = more
        target = set() if isinstance(statement, ast.While) else {one.id for one in _plain(statement.target)}
        return (again - target) | after | _reads(head)


def _plain(target):
    if isinstance(target, ast.Name):
        return [target]
    if isinstance(target, (ast.Tuple, ast.List)):
        return [one for element in target.elts for one in _plain(element)]
    return []
