"""Fields of a saved state: what cannot have been saved is named, before anything goes on from there."""

import operator


def field(state, name, of):
    """What `state`, a dict that the message calls `of`, has under that name. `ValueError` where it has none."""
    if not isinstance(state, dict) or name not in state:
        held = list(state) if isinstance(state, dict) else state
        raise ValueError(f"{of} has no `{name}`, but {held!r:.200}")
    return state[name]


def number(state, name, of):
    """Likewise, a count. `ValueError` for what is no whole number from 0 to 2**63 - 1."""
    return _count(field(state, name, of), f"`{name}` of {of}")


def numbers(state, name, of, length=None):
    """Likewise, a list of counts, of that length where one is given."""
    values = field(state, name, of)
    if not isinstance(values, (list, tuple)) or len(values) != (len(values) if length is None else length):
        told = "a list" if length is None else f"a list of {length}"
        raise ValueError(f"`{name}` of {of} is {values!r:.100}, {told} was saved there")
    return [_count(one, f"`{name}` of {of}") for one in values]


def _count(value, called):
    try:
        count = operator.index(value)
    except TypeError:
        count = -1
    if not 0 <= count < 2**63:
        raise ValueError(f"{called} is {value!r:.100}, a whole number from 0 to 2**63 - 1 was saved there")
    return count
