"""Which named arguments functions of augmentations take."""

import inspect

_BY_POSITION = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
_BY_NAME = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)


class MissingArgException(ValueError):  # noqa: N818 - DALI's name
    """An augmentation was not given what its function needs."""

    def __init__(self, message, augmentation, missing_args):
        super().__init__(message)
        self.augmentation = augmentation
        self.missing_args = missing_args


class UnusedArgException(TypeError):  # noqa: N818 - DALI's name
    """Arguments that no augmentation takes."""

    def __init__(self, message, unused_args):
        super().__init__(message)
        self.unused_args = unused_args


def count_positional(function):
    """How many arguments may be given by position."""
    return sum(one.kind in _BY_POSITION for one in inspect.signature(function).parameters.values())


def extra_parameters(function):
    """Parameters that may be given by name, behind data and parameter."""
    parameters = list(inspect.signature(function).parameters.values())
    behind = [one for i, one in enumerate(parameters) if i >= 2 or one.kind not in _BY_POSITION]
    return [one for one in behind if one.kind in _BY_NAME]


def forbid_unused_kwargs(augmentations, kwargs, call_name):
    """`UnusedArgException` for an argument that none of the augmentations takes."""
    known = {one.name for augment in augmentations for one in extra_parameters(augment.op)}
    unused = [name for name in kwargs if name not in known]
    if unused:
        subject, verb = ("kwarg", "is") if len(unused) == 1 else ("kwargs", "are")
        raise UnusedArgException(
            f"The {call_name} got unexpected {subject}. The {subject} `{', '.join(unused)}` {verb} not used by any of "
            "the augmentations.",
            unused,
        )
