"""What replicas raised, told to the caller with replica, device and rows."""

import traceback


def raise_all(failures, count):
    """Raises what `failures`, a list of ``(replica, device, rows, error)`` in order, say.

    One error comes with its own type. Several come as an `ExceptionGroup` which is also of the first one's type, where
    Python allows that: ``except ValueError`` catches it, as it does with `torch.nn.DataParallel`. `KeyboardInterrupt`
    and `SystemExit`, which are no errors, come as they are.

    Args
    ----
    failures : list
        Not empty; `rows` is a text such as "rows 0 to 1 of 3".
    count : int
        Number of replicas that ran.
    """
    for replica, device, rows, error in failures:
        if not isinstance(error, Exception):
            error.add_note(f"raised {_place(replica, device, rows)}")
            raise error
    told = [_told(*failure) for failure in failures]
    if len(told) == 1:
        raise told[0]
    message = f"{len(told)} of {count} replicas failed, the first {_said(*failures[0])}"
    raise _group_type(type(failures[0][3]))(message, told)


def _told(replica, device, rows, error):
    """The error with its origin in the text; with a note instead where its type takes no text."""
    where = _place(replica, device, rows)
    original = "".join(traceback.format_exception(error))
    try:
        told = type(error)(f"Caught {type(error).__name__} {where}.\nOriginal {original}")
        if "Caught" not in str(told) or isinstance(error, KeyError):  # KeyError shows its text quoted, on one line
            raise TypeError
    except Exception:
        error.add_note(f"raised {where}")
        return error
    told.__cause__ = error
    return told


def _place(replica, device, rows):
    return f"in replica {replica} on device {device} ({rows})"


def _said(replica, device, rows, error):
    return f"{_place(replica, device, rows)} with: {type(error).__name__}: {error}"


def _group_type(first):
    try:
        return type(
            "ReplicaErrors",
            (ExceptionGroup, first),
            {"derive": lambda self, errors: ExceptionGroup(self.message, errors)},
        )
    except TypeError:  # types with a memory layout of their own, such as OSError
        return ExceptionGroup
