#!/usr/bin/env python3
"""What ninja took longest over: the last time that each file was made, by ninja's log.

usage: build_report.py LOG [COUNT]        such as build/.ninja_log 20
"""

import pathlib
import sys


def slowest(log):
    """[(seconds, output)] of what was made last for each output, the slowest first."""
    seconds = {}
    for line in log.splitlines():
        parts = line.split("\t")
        if len(parts) == 5 and not line.startswith("#"):
            start, end, _, output, command = parts
            seconds[(start, end, command)] = (int(end) - int(start)) / 1000, output  # one command, several outputs
    last = {output: (taken, output) for taken, output in seconds.values()}
    return sorted(last.values(), reverse=True)


def main():
    if len(sys.argv) < 2:
        raise SystemExit(__doc__)
    rows = slowest(pathlib.Path(sys.argv[1]).read_text())
    for taken, output in rows[: int(sys.argv[2]) if len(sys.argv) > 2 else 20]:
        print(f"{taken:7.1f} s  {output}")
    print(f"{sum(taken for taken, _ in rows):7.0f} s  all {len(rows)}, as if one after the other")


if __name__ == "__main__":
    main()
