"""The graph of a pipeline as SVG: operators in layers, from sources at the top to outputs at the bottom."""

import html
import re

_WIDTH, _HEIGHT = 190, 46  # of a box
_ACROSS, _DOWN = 26, 38  # between boxes
_EDGE = 12
_SWEEPS = 4


def svg(graph, explained=""):
    """The graph, a dict as `contract.graph_of` gives it, as SVG without colours, which the page's style sheet has.

    A box has the class of its device ("cpu", "gpu", "mixed", or "output") and, for its operator, `data-op` with the
    number that `explain` and `stats` know it by; what `explained` says of it stands in its title.
    """
    ops = graph["ops"]
    boxes = [(op["op"], op.get("name") or "", op.get("device", "cpu"), i) for i, op in enumerate(ops)]
    edges = [(source, i) for i, op in enumerate(ops) for source in _read_by(op)]
    for number, (source, *_) in enumerate(graph["outputs"]):
        edges.append((source, len(boxes)))
        boxes.append((f"output {number}", "", "output", None))
    places = _places(_layers(len(boxes), edges), edges)
    width = max((x for x, _ in places), default=0) + _WIDTH + _EDGE
    height = max((y for _, y in places), default=0) + _HEIGHT + _EDGE
    notes = _notes(explained)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" aria-label="Plan of the pipeline: {len(ops)} operators" '
        f'viewBox="0 0 {width:g} {height:g}" width="{width:g}" height="{height:g}">'
    ]
    parts += [_arrow(places[one], places[other]) for one, other in dict.fromkeys(edges)]
    parts += [_box(*box, *place, notes) for box, place in zip(boxes, places, strict=True)]
    return "\n".join([*parts, "</svg>"])


def _read_by(op):
    return [one[0] for one in [*op.get("inputs", []), *op.get("arg_inputs", {}).values()]]


def _layers(count, edges):
    """Boxes by layer: each below all that it reads, and as near to its readers as that allows."""
    depth, above = [0] * count, {}
    for source, reader in edges:
        above.setdefault(reader, []).append(source)
    for box in range(count):  # operators stand behind what they read
        depth[box] = max((depth[source] + 1 for source in above.get(box, [])), default=0)
    below = {}
    for source, reader in edges:
        below.setdefault(source, []).append(reader)
    for box in reversed(range(count)):
        if box not in above and box in below:
            depth[box] = max(depth[box], min(depth[reader] for reader in below[box]) - 1)
    layers = [[] for _ in range(max(depth, default=-1) + 1)]
    for box, layer in enumerate(depth):
        layers[layer].append(box)
    return layers


def _places(layers, edges):
    """(x, y) of the corner of each box. Boxes of a layer stand in the order of the middle of their neighbours."""
    near = {}
    for one, other in edges:
        near.setdefault(one, []).append(other)
        near.setdefault(other, []).append(one)
    rank = {box: place for layer in layers for place, box in enumerate(layer)}
    for sweep in range(_SWEEPS):
        for layer in layers if sweep % 2 == 0 else reversed(layers):
            layer.sort(key=lambda box: sum(rank[one] for one in near.get(box, [box])) / len(near.get(box, [box])))
            for place, box in enumerate(layer):
                rank[box] = place
    widest = max((len(layer) for layer in layers), default=0)
    places = {}
    for y, layer in enumerate(layers):
        left = (widest - len(layer)) * (_WIDTH + _ACROSS) / 2
        for x, box in enumerate(layer):
            places[box] = (_EDGE + left + x * (_WIDTH + _ACROSS), _EDGE + y * (_HEIGHT + _DOWN))
    return [places[box] for box in sorted(places)]


def _arrow(one, other):
    x0, y0, x1, y1 = one[0] + _WIDTH / 2, one[1] + _HEIGHT, other[0] + _WIDTH / 2, other[1]
    bend = max(_DOWN / 2, (y1 - y0) / 2)
    return (
        f'<path class="edge" d="M{x0:g},{y0:g} C{x0:g},{y0 + bend:g} {x1:g},{y1 - bend:g} {x1:g},{y1 - 5:g}"/>'
        f'<path class="head" d="M{x1 - 4:g},{y1 - 7:g} L{x1:g},{y1:g} L{x1 + 4:g},{y1 - 7:g} Z"/>'
    )


def _box(label, name, device, number, x, y, notes):
    op = "" if number is None else f' data-op="{number}"'
    title = html.escape(notes.get(number, f"{label} {name}".strip()))
    below = name or ("" if number is None else device)
    return (
        f'<g class="box {html.escape(device)}"{op}><title>{title}</title>'
        f'<rect x="{x:g}" y="{y:g}" width="{_WIDTH}" height="{_HEIGHT}" rx="6"/>'
        f'<rect class="share" x="{x:g}" y="{y + _HEIGHT - 4:g}" width="0" height="4"/>'
        f'<text x="{x + _WIDTH / 2:g}" y="{y + 19:g}">{html.escape(_short(label))}</text>'
        f'<text class="below" x="{x + _WIDTH / 2:g}" y="{y + 35:g}">{html.escape(_short(below))}</text></g>'
    )


def _short(text, most=26):
    return text if len(text) <= most else f"{text[: most - 3]}..."


def _notes(explained):
    """number -> what `explain` says of the operator, with the step that it is part of."""
    found, step = {}, ""
    for line in explained.splitlines():
        if match := re.match(r" +#(\d+) (.*)", line):
            found[int(match[1])] = f"{match[2].strip()}\n{step}".strip()
        elif line.startswith("step "):
            step = line
    return found
