"""What stands behind a branch that returns is the other branch: ``if a: return b`` and ``return c`` become two."""

import ast


def with_other_branches(statements):
    """The statements, with those behind an `if` of which one branch returns moved into its other branch."""
    for i, statement in enumerate(statements):
        for field in ("body", "orelse", "finalbody"):
            inner = getattr(statement, field, None)
            if isinstance(inner, list) and not isinstance(statement, (ast.FunctionDef, ast.ClassDef)):
                setattr(statement, field, with_other_branches(inner))
        for one in (*getattr(statement, "handlers", ()), *getattr(statement, "cases", ())):
            one.body = with_other_branches(one.body)
        rest = statements[i + 1 :]
        if not rest or not isinstance(statement, ast.If):
            continue
        then, otherwise = _returns(statement.body), _returns(statement.orelse)
        if then != otherwise:
            other = "orelse" if then else "body"
            setattr(statement, other, with_other_branches(getattr(statement, other) + rest))
            return statements[: i + 1]
    return statements


def _returns(statements):
    """Whether they end with `return` on all paths."""
    if not statements:
        return False
    last = statements[-1]
    return isinstance(last, ast.Return) or (isinstance(last, ast.If) and _returns(last.body) and _returns(last.orelse))
