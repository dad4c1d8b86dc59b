"""Draws the rates that a benchmark measured as an SVG bar chart: each job's loaders below each other.

usage: draw_rates.py JSON... [--out rates.svg]

JSON is what `make bench` and `make gpu-bench` write (build/bench/*.json), or a file with several such results under
"charts", as docs/pictures/rates.json has them. A bar's length is the rate as a multiple of DALI's, or of the slowest
loader where DALI is not there; the number beside it is the rate.
"""

import argparse
import html
import json
import pathlib
import statistics

NAMES = {"penstock": "Penstock", "dali": "DALI 2.4", "torchvision": "torchvision"}
COLOURS = {"penstock": "#1d6fb8", "dali": "#8a94a0", "torchvision": "#c3c9d0"}
WIDTH, LEFT, RIGHT = 860, 150, 110  # of the drawing; of the jobs' names; of the numbers
BAR, GAP, HEAD = 13, 10, 44


def charts_of(result):
    """[(title, {job: {loader: rate}})] of what a benchmark wrote."""
    charts = []
    for number, one in enumerate(result.get("charts", [result]), 1):
        jobs = {}
        for contest in one["contests"]:
            job = " ".join(str(contest[key]) for key in ("job", "data") if contest.get(key))
            for loader, side in (("penstock", "penstock"), (contest["rival"], "rival_blocks")):
                rate = statistics.median(block["rate"] for block in contest[side])
                jobs.setdefault(job, {}).setdefault(loader, rate)
        charts.append((one.get("title", f"Samples/s, run {number}"), jobs))
    return charts


def _text(x, y, words, size=12, anchor="start", weight="normal", fill="#24292f"):
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size}" text-anchor="{anchor}" font-weight="{weight}" '
        f'fill="{fill}">{html.escape(words)}</text>'
    )


def _chart(title, jobs, top):
    """(SVG of one chart, its height)."""
    multiples = {
        job: {k: v / rates.get("dali", min(rates.values())) for k, v in rates.items()} for job, rates in jobs.items()
    }
    scale = (WIDTH - LEFT - RIGHT) / max(max(one.values()) for one in multiples.values())
    parts = [_text(12, top + 22, title, 15, weight="bold")]
    y = top + HEAD
    for job, rates in jobs.items():
        parts.append(_text(LEFT - 10, y + len(rates) * BAR / 2 + 4, job, anchor="end"))
        for loader, rate in rates.items():
            multiple = multiples[job][loader]
            length = multiple * scale
            own = loader == "penstock"
            parts.append(f'<rect x="{LEFT}" y="{y}" width="{length:.1f}" height="{BAR - 2}" fill="{COLOURS[loader]}"/>')
            words = f"{rate:,.0f}" + (f"  ({multiple:.1f} x)" if own else "")
            parts.append(_text(LEFT + length + 6, y + BAR - 3, words, 11, weight="bold" if own else "normal"))
            y += BAR
        y += GAP
    return "\n".join(parts), y - top


def svg(charts):
    """The whole drawing."""
    parts, y = [], 0
    for title, jobs in charts:
        drawn, height = _chart(title, jobs, y)
        parts.append(drawn)
        y += height + 4
    x = LEFT
    for loader in dict.fromkeys(loader for _, jobs in charts for rates in jobs.values() for loader in rates):
        parts.append(f'<rect x="{x}" y="{y + 2}" width="12" height="12" fill="{COLOURS[loader]}"/>')
        parts.append(_text(x + 18, y + 12, NAMES[loader]))
        x += 110
    height = y + 26
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{height}" viewBox="0 0 {WIDTH} {height}" '
        f'font-family="Helvetica, Arial, sans-serif">\n<rect width="{WIDTH}" height="{height}" fill="white"/>\n'
        + "\n".join(parts)
        + "\n</svg>\n"
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("results", nargs="+", type=pathlib.Path, metavar="JSON")
    parser.add_argument("--out", type=pathlib.Path, default=pathlib.Path("rates.svg"))
    options = parser.parse_args()
    charts = [chart for path in options.results for chart in charts_of(json.loads(path.read_text()))]
    options.out.write_text(svg(charts))
    print(f"{sum(len(jobs) for _, jobs in charts)} jobs in {options.out}")


if __name__ == "__main__":
    main()
