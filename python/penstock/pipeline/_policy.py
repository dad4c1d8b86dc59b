"""What a class of pipelines may choose otherwise than Penstock does."""

from types import MappingProxyType


class Policy:
    """Penstock's choices; ``class Pipeline(penstock.Pipeline, policy=...)`` takes others.

    `start_method` says what calls parallel sources, unless the user does. With `loops_go_on` a loop over an iterator
    goes on with an epoch that another loop left. With `checkpoints_when_enabled` pipelines that were not told
    `enable_checkpointing` neither make checkpoints nor go on from one. `constant` is None, or called with the kind of
    an argument ("int", "list of float") and a constant that it was given, and gives what is taken instead. `arguments`
    has, by the name of an operator, arguments that are taken where a call gives none. Of two
    queues (`prefetch_queue_depth` as a dict) a pipeline on the CPU has that of the host, or with `takes_longer_queue`
    the longer one. With `refuses_when_built` nodes of other pipelines and outputs that can be none are refused when the
    pipeline is built, not where they are written. `follows` is None, or called with what the last batch of an external
    source was and what the next one is, (type, rank, layout) each, and raises `RuntimeError` where that may not follow.
    `reader` is None, or called with the name of a reader and the arguments that it was given, and gives those to take.
    `deprecated` is None, or the words for older names of operators, with `{old}` and `{new}` where names stand.
    `lost_state` stands before the warning of sources whose place checkpoints do not hold.
    """

    start_method = "thread"
    loops_go_on = False
    checkpoints_when_enabled = False
    constant = None
    takes_longer_queue = False
    refuses_when_built = False
    follows = None
    arguments = MappingProxyType({})
    reader = None
    deprecated = None
    lost_state = ""

    def seed(self, checkpoint):
        """The seed of a pipeline that was given none; `checkpoint` are the bytes it goes on from, or None."""
        del checkpoint
        return 0

    def explain(self, error, operators, doing):
        """Puts words around what a pipeline raises, changing the error itself.

        Args
        ----
        error : Exception
            What is raised.
        operators : list
            Those of the graph, none where that was read from a file.
        doing : str
            "when building" the pipeline, or "in" the run.
        """
