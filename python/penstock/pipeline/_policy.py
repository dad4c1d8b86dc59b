"""What a class of pipelines may choose otherwise than Penstock does."""


class Policy:
    """Penstock's choices; ``class Pipeline(penstock.Pipeline, policy=...)`` takes others.

    `start_method` says what calls parallel sources, unless the user does. With `loops_go_on` a loop over an iterator
    goes on with an epoch that another loop left. With `checkpoints_when_enabled` pipelines that were not told
    `enable_checkpointing` neither make checkpoints nor go on from one. `constant` is None, or called with the kind of
    an argument ("int", "list of float") and a constant that it was given, and gives what is taken instead. Of two
    queues (`prefetch_queue_depth` as a dict) a pipeline on the CPU has that of the host, or with `takes_longer_queue`
    the longer one.
    """

    start_method = "thread"
    loops_go_on = False
    checkpoints_when_enabled = False
    constant = None
    takes_longer_queue = False

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
