"""Iterators in Orbax checkpoints, beside the model.

    manager.save(step, args=ocp.args.Composite(model=ocp.args.StandardSave(model), data=IteratorSave(iterator)))
    manager.restore(step, args=ocp.args.Composite(model=..., data=IteratorRestore(iterator)))

Needs `orbax-checkpoint`; nothing else of Penstock does.
"""

import json
from dataclasses import dataclass

import jax
import orbax.checkpoint as ocp

__all__ = ["IteratorHandler", "IteratorRestore", "IteratorSave"]


class IteratorHandler(ocp.CheckpointHandler):
    """Writes what `state_dict` gives, one small JSON file a process, and loads it into an iterator.

    On another number of processes all of them load the first file: there the pipelines must have been alike.
    """

    def save(self, directory, args):
        """Writes the state of the iterator of `args`, an `IteratorSave`, into the folder `directory`."""
        _file(directory, jax.process_index()).write_text(json.dumps(args.item.state_dict()))

    def restore(self, directory, args):
        """Loads what lies in the folder `directory` into the iterator of `args`, an `IteratorRestore`; returns that.

        `FileNotFoundError` where nothing was saved.
        """
        same = len(list(directory.glob("iterator-*.json"))) == jax.process_count()
        args.item.load_state_dict(json.loads(_file(directory, jax.process_index() if same else 0).read_text()))
        return args.item


def _file(directory, process):
    return directory / f"iterator-{process}.json"


@ocp.args.register_with_handler(IteratorHandler, for_save=True)
@dataclass
class IteratorSave(ocp.args.CheckpointArgs):
    """An iterator to save: `item` is a `DALIGenericIterator` or `DALIPeekableIterator`."""

    item: object


@ocp.args.register_with_handler(IteratorHandler, for_restore=True)
@dataclass
class IteratorRestore(ocp.args.CheckpointArgs):
    """An iterator to load the saved state into: `item` must have been made of the same pipeline."""

    item: object
