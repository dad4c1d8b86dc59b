"""Which processes have come to a place of a batch: decided in one process, for all of them alike."""

import os

LIMIT = "PENSTOCK_STEP_SECONDS"
_MOST_OF_AN_ERROR = 2000  # characters


def seconds_to_come():
    """By how much a process may be late for a batch."""
    return float(os.environ.get(LIMIT, 600))


def short(error):
    """What the others are told of an error."""
    return f"{type(error).__name__}: {error}"[:_MOST_OF_AN_ERROR]


class Rounds:
    """Round after round all `processes` say that they can go on, or why not. It gives (process, answer) pairs to send.

    An answer is a dict: `round`, its number; `final`, whether the round is over for this process, else it is told what
    happens in it; `problem`, None where all go on; `gone`, whether the problem is that a process comes no more. Each
    round is decided once: no process goes on where another gave up.
    """

    def __init__(self, processes):
        self._processes = processes
        self._round = 0
        self._errors = {}  # of the processes that came to this round: None where they can go on
        self._brought = {}  # what they bring
        self._first = None  # what the first of them said
        self._deadline = None
        self._early = []  # (process, word) of those that, by Ctrl-C, did not wait for the end of a round
        self._gone = {}  # process: how

    def said(self, process, word, now):
        """`word` has the number of the `round`, an `error` or None, the place's name `where`, the `limit` to it,
        and what the process `brings` there, which must be the same for all.

        A process that says an error for a round that is decided has left what comes behind it: the others learn that.
        """
        if self._gone:
            return [self._answer(process, word["round"], self._who_is_gone())]
        told = []
        if word["error"] is not None:
            told = self._tell(f"process {process} left it: {word['error']}", to=self._missing({process}))
        if word["round"] < self._round:
            late = f"process {process} came too late to {word['where']}, the others have given it up ({_LOOK})"
            return [*told, self._answer(process, word["round"], late)]
        if word["round"] > self._round:
            self._early.append((process, word))
            return told
        if not self._errors:
            self._first, self._deadline = word, now + word["limit"]
        self._errors[process], self._brought[process] = word["error"], word["brings"]
        return told if self._missing() else self._end(self._problems(), now)

    def gone(self, process, how, now):
        """A process comes no more: this round is over, and those that follow never begin."""
        self._gone.setdefault(process, how)
        told = self._tell(self._who_is_gone(), to=self._missing(self._gone))
        return told + self._end(dict.fromkeys(self._errors, self._who_is_gone()), now)

    def time_left(self, now):
        """Seconds until a process is late; None when no process waits."""
        return None if self._deadline is None else max(0.0, self._deadline - now)

    def give_up_waiting(self, now):
        """Ends the round for the processes that came, since others are late."""
        where, seconds = self._first["where"], self._first["limit"]
        late = f"processes {sorted(self._missing())} did not come to {where} within {seconds:g} s. {_LOOK}"
        return self._end(dict.fromkeys(self._errors, late), now)

    def _missing(self, besides=()):
        return [one for one in self._processes if one not in self._errors and one not in besides]

    def _problems(self):
        failed = {process: error for process, error in sorted(self._errors.items()) if error is not None}
        problem = None
        if failed:
            process, error = next(iter(failed.items()))
            problem = (
                f"process {process} could not make its part of the batch, which is given up in all processes: {error}"
            )
        elif len(set(self._brought.values())) > 1:
            problem = f"the processes come to {self._first['where']} with different batches, {self._differences()}"
        return {process: None if process in failed else problem for process in self._errors}

    def _differences(self):
        """Each kind of batch, and the first process that has it."""
        first = {what: process for process, what in sorted(self._brought.items(), reverse=True)}
        return ", ".join(f"{what} in process {process}" for what, process in sorted(first.items(), key=lambda x: x[1]))

    def _end(self, problems, now):
        answers = [self._answer(process, self._round, problem) for process, problem in problems.items()]
        self._round += 1
        self._errors, self._brought, self._first, self._deadline = {}, {}, None, None
        early, self._early = self._early, []
        return answers + [answer for process, word in early for answer in self.said(process, word, now)]

    def _tell(self, problem, to):
        return [self._answer(process, self._round, problem, final=False) for process in to]

    def _answer(self, process, number, problem, final=True):
        return process, {"round": number, "final": final, "problem": problem, "gone": bool(self._gone)}

    def _who_is_gone(self):
        process, how = next(iter(self._gone.items()))  # the first: others end because of it
        return f"process {process} {how}"


_LOOK = (
    "All processes must take the same batches: look there for an error, a loop that ended early or long work between "
    f"two batches, for which {LIMIT} raises the limit"
)
