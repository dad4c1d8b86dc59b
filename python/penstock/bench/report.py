"""Results as Markdown."""

import statistics

_NAMES = {"dali": "DALI", "torchvision": "torchvision"}
_SIDES = {"penstock": "penstock", "dali": "rival_blocks"}


def table(head, rows):
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(str(cell) for cell in line) + " |" for line in lines)


def contests(results):
    """One row a contest: median rates, and the ratio's median and range."""
    rows = []
    for one in results:
        rates = [statistics.median(block["rate"] for block in one[side]) for side in _SIDES.values()]
        rival = f"{_NAMES[one['rival']]} ({', '.join(str(value) for value in one['rival_settings'].values())})"
        spread = f"{min(one['ratios']):.2f} to {max(one['ratios']):.2f}"
        own, other = (f"{rate:,.0f}" for rate in rates)
        rows.append([one["job"], one["data"], rival, own, other, f"**{one['ratio']:.2f}**", spread])
    return table(["job", "data", "rival (settings)", "Penstock, samples/s", "rival, samples/s", "ratio", "range"], rows)


def _by_job(results, key):
    """job -> {library: median of a figure over all blocks}, of the contests with DALI."""
    found = {}
    for one in results:
        if one["rival"] == "dali":
            for library, side in _SIDES.items():
                values = [block[key] for block in one[side] if block[key] is not None]
                found.setdefault(one["job"], {}).setdefault(library, []).extend(values)
    return {job: {name: statistics.median(v) for name, v in sides.items() if v} for job, sides in found.items()}


def _growth(run):
    return f"{run['rss_late_mb'] - run['rss_early_mb']:+.1f} MB on {run['rss_early_mb']:,.0f} MB"


def others(result):
    """Import, first batch, epochs' ends and memory: a row each, Penstock beside DALI."""
    rows = []

    def add(what, values, text):
        if values:
            rows.append([what, *(text(values[name]) if name in values else "" for name in _SIDES)])

    add("import beyond NumPy", result["import_s"], "{:.2f} s".format)
    for what, key, text in (
        ("build to first batch", "first_batch_s", "{:.3f} s"),
        ("lost at epochs' ends", "epoch_loss", "{:.1%}"),
        ("time of a batch", "batch_ms", "{:.2f} ms"),
        ("one batch in 100 takes", "slow_batch_ms", "{:.2f} ms"),
        ("cores used", "cores", "{:.2f}"),
        ("CPU seconds for 1,000 samples", "cpu_ms", "{:.3f}"),
        ("of busy cores' time others had", "stolen", "{:.1%}"),
        ("peak memory", "peak_mb", "{:,.0f} MB"),
    ):
        for job, values in _by_job(result["contests"], key).items():
            add(f"{what}, {job}", values, text.format)
    runs = result.get("endurance", {})
    if runs:
        add(f"memory over {runs['penstock']['batches']:,} batches, mnist", runs, _growth)
    return table(["", "Penstock", "DALI"], rows)


def markdown(result):
    """All tables and the facts of the machine."""
    machine = result["machine"]
    versions = ", ".join(f"{name} {version}" for name, version in machine["versions"].items())
    facts = f"{machine['cpu']}, {machine['cores']} cores, {machine['simd']}; {versions}; {machine['date']}"
    return f"{contests(result['contests'])}\n\n{others(result)}\n\n{facts}; load before: {machine['load_before']:.1f}"
