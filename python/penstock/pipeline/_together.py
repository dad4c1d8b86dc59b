"""Batches of pipelines that work in step; `runs` are their `Run`s."""


def take_together(runs, refilled=(), fed=()):
    """The next batch of each of `runs`. The caller's thread does what graphs leave to it: functions with collectives.

    All pipelines go one batch further, also when one raises: what the first of them raised comes out then. Those that
    are `refilled` begin another batch as soon as theirs has come, and do not stand still until the slowest is there.
    Those that are `fed` begin another one at last, on the caller's thread: Ctrl-C in their sources takes no batch.
    """
    batches = made_together(runs, refilled)
    try:
        for run in fed:
            run.fill()
    except BaseException:
        put_back(runs, batches)
        raise
    for run, outputs in zip(runs, batches, strict=True):
        run.took(outputs.iteration)
    return batches


def made_together(runs, refilled=()):
    """As `take_together` of `runs`, those `refilled` too, but not counted as taken: states still stand before them."""
    # Where functions need other processes, what fails here is told to them: they would wait in the function for ever.
    agree = runs[0].consumer_steps[0].barrier.ask if runs[0].consumer_steps else _alone
    try:
        for run in runs:
            run.ensure_one()
    except BaseException as error:
        agree(error)
        raise
    try:
        if runs[0].consumer_steps:
            do_consumer_steps(runs, agree)
        return _made(runs, agree, refilled)
    except BaseException:  # Ctrl-C in a function, too
        count_failed(runs)
        raise


def _alone(error=None, where=None, brings=None):
    """For pipelines that need no other process."""


def _made(runs, agree, refilled):
    try:
        batches = wait_for_all(runs, refilled)
    except BaseException as error:
        agree(error)
        raise
    agree()
    return batches


def count_failed(runs):
    """A batch that failed is gone for all of them; one that Ctrl-C ended the wait for is not."""
    for run in runs:
        run.lost()


def wait_for_all(runs, refilled=()):
    """The oldest batch in the making of each of `runs`, on any thread; those `refilled` begin another one at once.

    Raises what the first to fail did, after all are done.

    After Ctrl-C all still stand before that batch.
    """
    batches = []
    try:
        for run in runs:
            batches.append(run.wait())
            if run in refilled:
                run.fill()
    except BaseException:
        put_back(runs, batches)
        raise
    failed = next((made for made in batches if isinstance(made, Exception)), None)
    if failed is None:
        return batches
    try:
        raise failed
    finally:
        del batches, failed  # the traceback would keep the others' memory until cycles are collected


def put_back(runs, batches):
    """Lets the first of `runs` give again what they gave: these `batches`."""
    for run, made in zip(runs, batches, strict=False):
        run.wait_again(made)


def do_consumer_steps(runs, agree):
    """Runs the functions that batches stop at, each once for all pipelines, in the order in which batches come to them.

    What a function raises comes out as it is, with the user's own lines; the batch is given up and the next one comes.
    """
    while True:
        stops = [run.engine.consumer_step() for run in runs]
        if all(stop is None for stop in stops):
            return
        if any(stop is None for stop in stops):  # a pipeline failed: its error comes out of the wait
            _give_up(runs, stops, "another pipeline failed before the function")
            return
        function = runs[0].consumer_steps[stops[0].number]
        try:
            brings = _called(function.brings, stops, agree)
            agree(where=f"the function {function.label}", brings=brings)
            made = _called(function, stops, agree)
        except BaseException as error:
            _give_up(runs, stops, f"the function raised {error!r}")
            for run in runs:
                run.wait()
            raise
        for run, outputs in zip(runs, made, strict=True):
            run.engine.end_consumer_step(outputs)


def _called(function, stops, agree):
    try:
        return function(stops)
    except BaseException as error:
        agree(error)
        raise


def _give_up(runs, stops, why):
    for run, stop in zip(runs, stops, strict=True):
        if stop is not None:
            run.engine.give_up(why)
