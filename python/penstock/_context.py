"""Which pipeline is being defined: a stack for each thread."""

import threading
import weakref

_local = threading.local()


class Definition:
    """What is known of a pipeline while it is written down; the stack has it beside the pipeline.

    `sinks` are operators that stay although no output needs them. `conditionals` says whether `if` may be over nodes,
    and `branch` is that of such an `if` which is written down now. `eager` runs operators at once, where that is not
    None. `consumer_steps` are what the thread that takes a batch does for it, by number. `splits` has the two branches
    of each predicate by which `fn._conditional` splits batches. `policy` is that of the pipeline. `late` has the errors
    that are raised when the pipeline is built, or is None where all are raised at once.
    """

    __slots__ = (
        "branch", "conditionals", "consumer_steps", "eager", "late", "policy", "sinks", "splits",
    )  # fmt: skip

    def __init__(self, policy, late=None):
        self.policy = policy
        self.late = late
        self.sinks = []
        self.conditionals = False
        self.branch = None
        self.eager = None
        self.consumer_steps = []
        self.splits = {}

    def refuse(self, error):
        """Raises `error`, or keeps it until the pipeline is built."""
        if self.late is None:
            raise error
        self.late.append(error)


_outside = None  # the policy of calls outside of definitions


def choose_outside(policy):
    """From now on calls outside of any definition follow this policy."""
    global _outside  # noqa: PLW0603
    _outside = policy


def policy():
    """The `Policy` that the call at work follows; None for Penstock's choices."""
    now = current_definition()
    return _outside if now is None else now.policy


def _stack():
    if not hasattr(_local, "pipelines"):
        _local.pipelines = []
    return _local.pipelines


def push(pipeline, definition):
    _stack().append((pipeline, definition))


def pop():
    pipeline, _definition = _stack().pop()
    return pipeline


def current():
    """The pipeline whose definition runs on this thread, or None."""
    stack = _stack()
    return stack[-1][0] if stack else None


def current_definition():
    """The `Definition` of that pipeline, or None."""
    stack = _stack()
    return stack[-1][1] if stack else None


def eager():
    """What runs operators of the definition at work on this thread at once, or None where they make a graph."""
    now = current_definition()
    return None if now is None else now.eager


def mark(pipeline=None):
    """What nodes remember of their pipeline, the current one where none is given: None outside of a definition.

    It does not keep the pipeline, and equals marks of the same one only.
    """
    pipeline = pipeline or current()
    return None if pipeline is None else weakref.ref(pipeline)


def require(what):
    """The `Definition` at work. `RuntimeError` outside of one."""
    now = current_definition()
    if now is None:
        raise RuntimeError(
            f"{what} has side effects, so it must belong to a pipeline, but the current pipeline is not set. "
            "Call it inside `with pipe:` or inside a function decorated with `pipeline_def`."
        )
    return now
