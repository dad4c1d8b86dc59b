"""Gives each sample the augmentation that is chosen for it."""


def select(ops, selected_op_idx, *op_args, **op_kwargs):
    """What ``ops[selected_op_idx](*op_args, **op_kwargs)`` gives, where the index is a node.

    Args
    ----
    ops : list of callables
        Each gets the samples whose number is its own. Needs a pipeline with ``enable_conditionals=True``.
    selected_op_idx : DataNode
        A number for each sample, from 0.
    op_args, op_kwargs
        Given to each of `ops`.
    """
    return _among(ops, 0, len(ops), selected_op_idx, op_args, op_kwargs)


def _among(ops, first, end, index, args, kwargs):
    """That of ops[first:end]; halves again and again, so that a sample is asked a few questions only."""
    if end - first == 1:
        return ops[first](*args, **kwargs)
    middle = (first + end) // 2
    if index < middle:
        return _among(ops, first, middle, index, args, kwargs)
    return _among(ops, middle, end, index, args, kwargs)
