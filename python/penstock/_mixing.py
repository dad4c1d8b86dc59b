"""What Python adds to the choice of samples: readers as inputs of a mixture, and subsets by a function of the label."""

import itertools

from . import _core
from .data_node import DataNode

MIXTURE = "readers.mixture"


def of_readers(readers, kwargs, call):
    """What `call(nodes, kwargs)` makes of the outputs of all readers: a dict where the readers give dicts.

    `readers` are what calls of readers give: nodes, lists or dicts of them. A list of such is as good as its items.
    """
    if len(readers) == 1 and isinstance(readers[0], (list, tuple)) and not _of_one_reader(readers[0]):
        readers = readers[0]
    outputs = [_outputs(one, i) for i, one in enumerate(readers)]
    counts = sorted({len(one) for one in outputs})
    if len(counts) > 1:
        raise ValueError(
            f"[fn.{MIXTURE}] the readers must give the same outputs, they give {counts[0]} to {counts[-1]}"
        )
    names = [list(one) for one in readers if isinstance(one, dict)]
    if names and (len(names) < len(readers) or any(one != names[0] for one in names)):
        raise ValueError(f"[fn.{MIXTURE}] the readers must give outputs of the same names, in the same order: {names}")
    given = {"num_outputs": counts[0] if counts else None, **kwargs}
    made = call(list(itertools.chain(*outputs)), given)
    if not names:
        return made
    made = [made] if isinstance(made, DataNode) else made
    return dict(zip([*names[0], "set"], made, strict=False))


def _are_nodes(value):
    return bool(value) and all(isinstance(item, DataNode) for item in value)


def _of_one_reader(value):
    return _are_nodes(value) and len({node.source for node in value}) == 1


def _outputs(reader, number):
    nodes = list(reader.values()) if isinstance(reader, dict) else reader
    nodes = list(nodes) if isinstance(nodes, (list, tuple)) else [nodes]
    if not _are_nodes(nodes):
        raise TypeError(f"[fn.{MIXTURE}] takes what readers give; reader {number} is {reader!r:.80}")
    return nodes


def indices_of(schema, given, display):
    """Indices of the samples for whose label ``given["subset"]`` holds; it is asked once for each label."""
    rest = {name: value for name, value in given.items() if name in schema.args and name != "subset"}
    labels = given.get("classes")
    if labels is None:
        rest = {name: value for name, value in rest.items() if value is not None and not isinstance(value, DataNode)}
        labels = _core.labels_of_reader(schema.name, rest)
        if not labels:
            raise ValueError(
                f"[{display}] a function as `subset` needs the label of each sample, which this reader does not know "
                "before it reads them; give them as `classes`"
            )
    labels = [int(label) for label in labels]
    wanted = {label for label in set(labels) if given["subset"](label)}
    return [i for i, label in enumerate(labels) if label in wanted]
