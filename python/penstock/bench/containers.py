"""Readers of records beside DALI's, beside the Python packages for their files, and beside reading the files at all.

    python -m penstock.bench.containers [--seconds 3] [--pairs 3] [--only tar,arrow] [--json FILE] [--folder FOLDER]

Records of 100 KB and of 1 KB lie in the page cache, as tar, TFRecord, RecordIO (`mxnet`), an LMDB, .npy files, folders
of files, Parquet and Arrow (a data set of Hugging Face).
Each measurement is a process of its own that reads whole epochs on two cores; Penstock and the other take turns (A B
B A), and the ratio is the median over pairs of neighbours. "cat" reads the files into memory in pieces of 1 MB, as one
process does. CPU time is that of the process, user and system, for each record: it tells where the machine has other
work. `coco` is the time to open annotations of 5,000 pictures, beside pycocotools.
"""

import argparse
import importlib.util
import json
import pathlib
import statistics
import sys
import tempfile

from . import container_data, contest, machine
from .process import measured
from .report import table

_BLOCK = pathlib.Path(__file__).with_name("container_block.py")
IN_DALI = ("tar", "tfrecord", "mxnet", "lmdb", "numpy", "folder")
_PACKAGES = {
    "tar": "webdataset",
    "tfrecord": "tfrecord",
    "parquet": "pyarrow",
    "arrow": "datasets",
    "coco": "pycocotools",
}
KINDS = tuple(dict.fromkeys((*IN_DALI, *_PACKAGES)))


def _block(**settings):
    return measured(["-P", str(_BLOCK)], settings, f"{settings['library']} failed with {settings['kind']}")


def _rivals(kind, shuffled):
    """What Penstock is compared with. Of the packages only `datasets` shuffles a whole data set."""
    package = _PACKAGES.get(kind)
    found = ["dali"] if kind in IN_DALI and contest.installed("dali") else []
    if package and _is_there(package) and (not shuffled or package == "datasets"):
        found.append(package)
    if shuffled:
        found.append("penstock in order")
    elif kind != "coco":
        found.append("cat")
    return found


def _is_there(package):
    return importlib.util.find_spec(package) is not None


def compare(kind, data, rival, shuffled, options):
    """One row: rates and CPU times of both, and the ratios of pairs of neighbours."""
    common = {"kind": kind, "shuffled": shuffled, "seconds": options.seconds, **data}
    other = {"library": rival}
    if rival == "penstock in order":
        other = {"library": "penstock", "shuffled": False}
    sides = [("own", {"library": "penstock"}), ("other", other)]
    found = {"own": [], "other": []}
    for _ in range(options.pairs):
        for name, settings in sides:
            found[name].append(_block(**{**common, **settings}))
        sides.reverse()
    ratios = [a["rate"] / b["rate"] for a, b in zip(found["own"], found["other"], strict=True)]
    return {"kind": kind, "size": data["size"], "shuffled": shuffled, "rival": rival, "ratios": ratios, **found}


def _row(one):
    def median(side, key):
        return statistics.median(block[key] for block in one[side])

    size = f"{one['size'] // 1000} KB" if one["size"] else "annotations"
    return [
        one["kind"], size, "shuffled" if one["shuffled"] else "in order", one["rival"],
        f"{median('own', 'rate'):,.0f}", f"{median('other', 'rate'):,.0f}",
        f"**{statistics.median(one['ratios']):.2f}**", f"{min(one['ratios']):.2f} to {max(one['ratios']):.2f}",
        f"{median('own', 'cpu_us'):.1f}", f"{median('other', 'cpu_us'):.1f}",
    ]  # fmt: skip


def main(arguments=None):
    parser = argparse.ArgumentParser(prog="python -m penstock.bench.containers", description=__doc__.split("\n")[0])
    parser.add_argument("--seconds", type=float, default=3.0)
    parser.add_argument("--pairs", type=int, default=3)
    parser.add_argument("--only", default=",".join(KINDS), help="kinds, with commas")
    parser.add_argument("--sizes", default="100000,1000", help="bytes of a record, with commas")
    parser.add_argument("--folder", type=pathlib.Path, help="where the data is made and stays")
    parser.add_argument("--json", type=pathlib.Path)
    options = parser.parse_args(arguments)
    results = []
    with tempfile.TemporaryDirectory() as scratch:
        folder = options.folder or pathlib.Path(scratch)
        for kind in options.only.split(","):
            for size in [0] if kind == "coco" else map(int, options.sizes.split(",")):
                try:
                    data = container_data.make(folder, kind, size)
                except ModuleNotFoundError as missing:
                    print(f"{kind}: left out; making its files needs {missing.name}", file=sys.stderr, flush=True)
                    break
                for shuffled in [False] if kind == "coco" else [False, True]:
                    for rival in _rivals(kind, shuffled):
                        results.append(compare(kind, data, rival, shuffled, options))
                        print(" ".join(map(str, _row(results[-1]))), file=sys.stderr, flush=True)
    head = ["data", "record", "order", "beside", "Penstock, records/s", "the other", "ratio", "range",
            "Penstock, CPU us a record", "the other's"]  # fmt: skip
    print(table(head, [_row(one) for one in results]))
    if options.json:
        options.json.write_text(json.dumps({"machine": machine.facts(), "results": results}, indent=1))
    return 0


if __name__ == "__main__":
    sys.exit(main())
