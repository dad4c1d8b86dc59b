"""Where a function or class stands in a source, so that a text can be looked for inside it alone."""

import ast
import re

# Comments and literals, whose braces and parentheses count for nothing.
_HIDDEN = re.compile(
    r'R"(\w*)\(.*?\)\1"|//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])\'',
    re.DOTALL,
)
_TYPE = re.compile(r"\b(?:class|struct|union|enum|namespace)\s+(?:\[\[.*?\]\]\s*)?([\w:]+)[^()]*$")
_FUNCTION = re.compile(r"([\w:~]+)\s*\(")
_CONTROL = {"if", "for", "while", "switch", "catch", "requires", "decltype", "alignas"}


def python_scopes(text):
    """(qualified name, start, end) of each function and class of a Python source."""
    starts = [0]
    for line in text.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))

    def inside(node, path):
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                first = min([child.lineno, *(d.lineno for d in child.decorator_list)])
                yield ".".join([*path, child.name]), starts[first - 1], starts[child.end_lineno]
                yield from inside(child, [*path, child.name])
            else:
                yield from inside(child, path)

    try:
        return list(inside(ast.parse(text), []))
    except SyntaxError:
        return []


def _name(header):
    """What the block behind `header` is called: a type, a function, or None for a loop and the like."""
    kind = _TYPE.search(header)
    if kind:
        return kind[1]
    names = [name for name in _FUNCTION.findall(header) if name not in _CONTROL]
    return names[0] if names and not re.match(r"\s*(?:else\s+)?(?:if|for|while|switch|catch)\b", header) else None


def cpp_scopes(text):
    """(qualified name, start, end) of each named block of a C++ source: types, namespaces and functions."""
    masked = _HIDDEN.sub(lambda hidden: re.sub(r"[^\n]", " ", hidden[0]), text)
    found, stack, header = [], [], 0
    for brace in re.finditer(r"[{};]", masked):
        at = brace.start()
        if brace[0] == "{":
            braced_value = at > 0 and re.match(r"[\w>)\]]", masked[at - 1])  # T{...}, never the body of a function
            stack.append((header, None if braced_value else _name(masked[header:at]), braced_value))
        elif brace[0] == "}" and stack:
            start, name, braced_value = stack.pop()
            if name:
                path = [outer for _, outer, _ in stack if outer] + [name]
                found.append(("::".join(path), start, at + 1))
            if braced_value:
                header = start
                continue
        header = at + 1
    return found


def scopes(suffix, text):
    if suffix == ".py":
        return python_scopes(text)
    return cpp_scopes(text) if suffix in {".cc", ".h", ".cu", ".cuh"} else []


def spans(suffix, text, symbol):
    """[(start, end)] where `symbol` is defined; an unqualified name stands for any that ends in it."""
    wanted = re.split(r"::|\.", symbol)
    return [
        (start, end) for name, start, end in scopes(suffix, text) if re.split(r"::|\.", name)[-len(wanted) :] == wanted
    ]
