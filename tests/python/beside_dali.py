"""The same steps in Penstock with DALI's choices, and in DALI."""

import oracle

from penstock import fn
from penstock.dali import _choices


class Both:
    """One of the two libraries; `name` is "penstock" or "dali"."""

    def __init__(self, name):
        dali = oracle.dali()
        self.fn = fn if name == "penstock" else dali.fn
        self._class = _choices.Pipeline if name == "penstock" else dali.Pipeline

    def pipe(self, outputs, built=True, **options):
        made = self._class(2, 1, None, **options)
        with made:
            nodes = outputs(self.fn)
            made.set_outputs(*nodes if isinstance(nodes, tuple) else (nodes,))
        if built:
            made.build()
        return made

    def outcome(self, call):
        """What it gives, or the kind of error of Python's that it is."""
        try:
            return call(self)
        except (KeyError, RuntimeError, TypeError, ValueError) as error:
            return next(one for one in (KeyError, RuntimeError, TypeError, ValueError) if isinstance(error, one))
