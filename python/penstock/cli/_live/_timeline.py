"""What threads did when, from a pipeline's trace."""

import json

_MOST = 4000  # events that are shown


def of(trace):
    """{"span_ms", "names", "rows": [{"thread", "busy", "events": [[name, start, length, batch, sample], ...]}]}

    Times are in milliseconds from the first event; `names` are numbered by the events, and `busy` is the share of the
    span that a thread worked. None of a trace without events. The thread that takes batches comes first.
    """
    events = json.loads(trace)["traceEvents"]
    if not events:
        return None
    begin = min(one["ts"] for one in events)
    span = max(one["ts"] + one["dur"] for one in events) - begin
    names = {}
    rows = {}
    for one in events[-_MOST:]:
        number = names.setdefault(one["name"], len(names))
        args = one["args"]
        rows.setdefault(one["tid"], []).append(
            [number, round((one["ts"] - begin) / 1000, 4), round(one["dur"] / 1000, 4), args["batch"], args["sample"]]
        )
    wait = names.get("wait for batch", -1)
    made = [
        {
            "thread": "consumer" if any(event[0] == wait for event in row) else f"worker {tid}",
            "busy": round(sum(event[2] for event in row if event[0] != wait) * 1000 / max(span, 1e-9), 4),
            "events": sorted(row, key=lambda event: (event[0] != wait, event[1])),
        }
        for tid, row in rows.items()
    ]
    made.sort(key=lambda row: (row["thread"] != "consumer", row["thread"]))
    return {"span_ms": span / 1000, "names": list(names), "rows": made}
