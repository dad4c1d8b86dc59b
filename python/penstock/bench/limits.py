"""What limits a training loop, from what was seen of it: three sentences and a chart."""

import html

_NEVER = 0.05  # of the time: waits below that do not matter
_GAIN = 1.1  # times a rate, below which two are one
_BUSY = 0.85  # of the workers' time
_WIDTH = 40  # of a bar of the terminal


def sentences(found):
    """Whether the loader limits; by what; and what would change that."""
    loop = found["loop"]
    share = {name: loop[name] / loop["seconds"] for name in ("waited", "source", "handed", "step")}
    if share["waited"] < _NEVER and max(share["handed"], share["source"]) < 2 * _NEVER:
        return [
            _step_limits(share),
            _alone(found),
            "No change of the loader makes this loop faster by more than the wait; look at the step instead.",
        ]
    if share["source"] > max(share["waited"], share["handed"]):
        return [
            f"Yes: the loop spent {share['source']:.0%} of its time in the pipeline's Python source (external_source, "
            "iter_setup), which limits.",
            f"The source runs on the loop's own thread, before a batch can be started. {_alone(found)}",
            "Use fn.external_source(parallel=True) with py_num_workers, or a reader of Penstock's; that is worth "
            f"{_at_most(loop, loop['source'])} at most.",
        ]
    if share["handed"] > share["waited"]:
        return [
            f"No: the loop waited {share['waited']:.0%} of its time for batches, but it spent {share['handed']:.0%} on "
            "taking them over: the copy to the device limits.",
            _alone(found),
            'Send bytes instead of floats (crop_mirror_normalize with device="gpu", or on the device in the step), and '
            f"batches that are uniform; that is worth {_at_most(loop, loop['handed'])} at most.",
        ]
    return [
        f"Yes: the loop waited {share['waited']:.0%} of its time for batches, so the loader limits; without any wait "
        f"it would be {_at_most(loop, loop['waited'])} as fast.",
        _why(found),
        _change(found),
    ]


def _step_limits(share):
    return (
        f"No: the loop waited {share['waited']:.0%} of its time for batches and spent {share['step']:.0%} on the "
        "training step, which limits."
    )


def _at_most(loop, saved):
    return f"{loop['seconds'] / max(loop['seconds'] - saved, 1e-9):.1f} times"


def rate(found):
    return found["loop"]["samples"] / found["loop"]["seconds"]


def _alone(found):
    if found["alone"] is None:
        return f"The pipeline could not be run alone for comparison: {found['why_not']}."
    return (
        f"Alone the pipeline makes {found['alone']:,.0f} samples a second, where the loop takes {rate(found):,.0f}: "
        f"{found['alone'] / rate(found):.1f} times as many."
    )


def _slowest(found):
    """(operator, its share of the workers' time), None where none was timed."""
    timed = [one for one in found["stats"]["operators"] if one["microseconds_per_sample"] > 0]
    if not timed:
        return None, 0.0
    total = sum(one["microseconds_per_sample"] for one in timed)
    most = max(timed, key=lambda one: one["microseconds_per_sample"])
    return most["operator"], most["microseconds_per_sample"] / total


def busy(found):
    """The share of the workers' time in which they made samples, while the loop ran."""
    each = sum(one["microseconds_per_sample"] for one in found["stats"]["operators"]) * 1e-6
    return min(1.0, each * rate(found) / found["settings"]["num_threads"])


def not_in_memory(found):
    ahead = found["stats"]["read_ahead"]
    return ahead["slow_hints"] / ahead["hints"] if ahead["hints"] else 0.0


def cause(found):
    """One of "disk", "workers", "cores" (which the step uses too), "queue" (too short for uneven steps)."""
    alone, now, trials = found["alone"], rate(found), found["trials"]
    if not_in_memory(found) > 0.2 and (alone is None or alone > _GAIN * now) and busy(found) < _BUSY:
        return "disk"
    as_it_is = trials.get("as it is")
    deeper = max((value for name, value in trials.items() if name.startswith("prefetch")), default=0)
    wanted = found["loop"]["samples"] / max(found["loop"]["seconds"] - found["loop"]["waited"], 1e-9)
    if as_it_is and deeper > _GAIN * as_it_is and alone > wanted:  # on an average the loader keeps up
        return "queue"
    if as_it_is and as_it_is > 1.25 * now:
        return "cores"
    return "workers"


def _why(found):
    kind, (operator, share) = cause(found), _slowest(found)
    work = f"{operator} takes {share:.0%} of the workers' time" if operator else "the time is not the operators'"
    known = "" if found["alone"] is None else f"; alone the pipeline makes {found['alone']:,.0f} samples a second"
    if kind == "disk":
        return (
            f"The disk is why: {not_in_memory(found):.0%} of the samples were not in memory when they were wanted, and "
            f"workers were busy {busy(found):.0%} of the time{known}."
        )
    if kind == "cores":
        return (
            f"The step uses cores that the workers need: with a step that only waits as long, the same pipeline gives "
            f"{found['trials']['as it is']:,.0f} samples a second instead of {rate(found):,.0f}; {work}."
        )
    if kind == "queue":
        return f"Batches come unevenly, and too few are made ahead: {work}."
    return f"Work on the samples is why: workers were busy {busy(found):.0%} of the time, and {work}{known}."


def best(found):
    """(change, samples a second) of the trial that helps most; None where none does by a tenth."""
    trials = dict(found["trials"])
    before = trials.pop("as it is", None)
    name = max(trials, key=trials.get, default=None)
    return (name, trials[name]) if name and before and trials[name] > _GAIN * before else None


def _change(found):
    kind, helps, (operator, share) = cause(found), best(found), _slowest(found)
    if kind == "disk":
        return "Pack small files into one (penstock pack), or put the data on a faster disk; more memory keeps them."
    if helps:
        return (
            f"Give {helps[0]}: that gave {helps[1]:,.0f} samples a second instead of "
            f"{found['trials']['as it is']:,.0f} to a loop with the same steps."
        )
    more = f" (measured: {', '.join(one for one in found['trials'] if one != 'as it is')} does not help)"
    measured = more if len(found["trials"]) > 1 else ""
    if kind == "cores":
        return f"Give the step fewer threads, or the machine more cores{measured}."
    if operator and operator.startswith("decoders.") and not found["settings"]["gpu"]:
        return (
            f'More cores, a GPU that decodes (device="mixed" takes the {share:.0%} off the workers), or smaller '
            f"pictures would{measured}."
        )
    work = f"less work in {operator}, " if operator else ""
    return f"More cores, {work}or moving it to a GPU would{measured}."


# The chart ------------------------------------------------------------------------------------------------------------


def bars(found):
    """[(heading, [(name, value, text)])]: where the loop's time went, and rates."""
    loop = found["loop"]
    names = {
        "waited": "waiting for batches",
        "source": "in its Python source",
        "handed": "taking them over",
        "step": "training step",
    }
    names = (
        names
        if loop["source"] > 0.01 * loop["seconds"]
        else {name: text for name, text in names.items() if name != "source"}
    )
    times = [
        (text, loop[name] / loop["seconds"], f"{loop[name] / loop['seconds']:.0%}") for name, text in names.items()
    ]
    rates = [("this loop", rate(found))]
    rates += [(f"same steps, {name}", value) for name, value in found["trials"].items()]
    rates += [("pipeline alone", found["alone"])] if found["alone"] else []
    most = max(value for _, value in rates)
    return [
        ("Time of the loop", times),
        ("Samples a second", [(name, value / most, f"{value:,.0f}") for name, value in rates]),
    ]


def text_chart(chart):
    """The chart for a terminal."""
    wide = max(len(name) for _, rows in chart for name, *_ in rows)
    lines = []
    for heading, rows in chart:
        lines.append(heading)
        lines += [f"  {name:{wide}}  {'#' * round(_WIDTH * share):{_WIDTH}}  {text}" for name, share, text in rows]
    return "\n".join(lines)


def svg_chart(chart, title):
    """The chart as SVG, light and dark."""
    y, parts = 40, []
    for heading, rows in chart:
        parts.append(f'<text class="head" x="16" y="{y}">{html.escape(heading)}</text>')
        for name, share, text in rows:
            y += 26
            parts.append(
                f'<text x="16" y="{y}">{html.escape(name)}</text><rect class="all" x="310" y="{y - 13}" width="360" '
                f'height="16"/><rect class="bar" x="310" y="{y - 13}" width="{360 * share:.1f}" height="16"/>'
                f'<text x="680" y="{y}">{html.escape(text)}</text>'
            )
        y += 44
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 770 {y - 10}" width="770" height="{y - 10}" role="img" '
        f'aria-label="What limits {html.escape(title)}"><style>'
        "svg { background: #fff } text { font: 14px system-ui, sans-serif; fill: #1b1f24 } .head { font-weight: 600 } "
        ".all { fill: #e4e8ec } .bar { fill: #0a58ca } @media (prefers-color-scheme: dark) { "
        "svg { background: #0f1317 } text { fill: #e6edf3 } .all { fill: #333c46 } .bar { fill: #6cb0ff } }"
        f"</style>{''.join(parts)}</svg>\n"
    )
