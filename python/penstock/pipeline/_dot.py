"""A graph as text for Graphviz."""

_COLOURS = {"cpu": "blue", "mixed": "cyan", "gpu": "#76b900"}


def text(graph, tensors=False, colours=False):
    """Operators as nodes, and as arrows what reads what; with `tensors` each output is a box between them."""
    ops, lines = graph["ops"], ["digraph graphname {"]
    names = [_quoted(op.get("name") or f"{op['op']}_{i}") for i, op in enumerate(ops)]
    for i, op in enumerate(ops):
        colour = f' [color="{_COLOURS[op.get("device", "cpu")]}"]' if colours else ""
        lines.append(f"  {names[i]}{colour};")
        for source, index in _read_by(op):
            if tensors:
                box = _quoted(f"{names[source][1:-1]}[{index}]")
                lines += [f"  {box} [shape=box];", f"  {names[source]} -> {box};", f"  {box} -> {names[i]};"]
            else:
                lines.append(f"  {names[source]} -> {names[i]};")
    for number, (source, index, *_) in enumerate(graph["outputs"]):
        out = _quoted(f"output {number}")
        lines += [f"  {out} [shape=box];", f'  {names[source]} -> {out} [label="{index}"];']
    return "\n".join([*dict.fromkeys(lines), "}", ""])


def _read_by(op):
    return [tuple(one[:2]) for one in [*op.get("inputs", []), *op.get("arg_inputs", {}).values()]]


def _quoted(name):
    escaped = name.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'
