#!/usr/bin/env python3
"""Writes tests/golden/dali_resize.json: what DALI's CPU operators make of small inputs and of many sizes.

Needs nvidia-dali; no GPU. Inputs are made by `noise`, which the C++ test repeats, so that only results are stored.
"""

import itertools
import json
import sys
from pathlib import Path

import numpy as np
import nvidia.dali.fn as fn
import nvidia.dali.types as types
from nvidia.dali import pipeline_def

NN, LINEAR, CUBIC, LANCZOS3, TRIANGULAR, GAUSSIAN = range(6)
INTERP = {"interp_type", "min_filter", "mag_filter"}
DTYPES = {"uint8": types.UINT8, "int16": types.INT16, "uint16": types.UINT16, "float": types.FLOAT}


def noise(shape, dtype):
    count = int(np.prod(shape))
    mixed = (np.arange(count, dtype=np.uint64) * 2654435761 + 12345) % 2**32 // 2**16
    if dtype == "uint8":
        values = (mixed // 256).astype(np.uint8)
    elif dtype == "int16":
        values = (mixed.astype(np.int64) - 32768).astype(np.int16)
    elif dtype == "uint16":
        values = mixed.astype(np.uint16)
    else:
        values = (mixed / 65536 - 0.5).astype(np.float32)
    return values.reshape(shape)


def run(op, array, layout, args):
    args = dict(args)
    for name in INTERP & args.keys():
        args[name] = types.DALIInterpType(args[name])
    if "dtype" in args:
        args["dtype"] = types.DALIDataType(args["dtype"])

    @pipeline_def(batch_size=1, num_threads=1, device_id=None)
    def pipe():
        data = fn.external_source(lambda: [array], batch=True, layout=layout)
        out = getattr(fn, op)(data, **args)
        return tuple(out) if isinstance(out, list) else out

    built = pipe()
    built.build()
    return [np.asarray(output[0]) for output in built.run()]


def pixel_cases():
    """(operator, shape, layout, dtype, arguments)

    Heights for nearest neighbours are such that no row is picked at a tie: DALI adds up steps there, and which row it
    takes depends on the rounding errors of all rows before. Columns it computes one by one, as we do. Likewise no tap
    of a Gaussian lies exactly on its end, where the weight jumps.
    """
    shape = (24, 17, 3)
    sizes = {
        NN: ([13, 9], [32, 19], [24, 5], [7, 29]),
        GAUSSIAN: ([13, 8], [26, 20], [12, 6], [7, 30]),
    }
    other = ([13, 9], [26, 19], [24, 5], [7, 29])
    for filter_, antialias in itertools.product(range(6), (True, False)):
        for size in sizes.get(filter_, other):
            yield "resize", shape, "HWC", "uint8", {"size": size, "interp_type": filter_, "antialias": antialias}
    for filter_ in range(6):
        size = [6, 14] if filter_ == GAUSSIAN else [6, 13]
        yield "resize", (11, 9, 2), "HWC", "float", {"size": size, "interp_type": filter_}
    for dtype in ("int16", "uint16"):
        yield "resize", (11, 9, 2), "HWC", dtype, {"size": [6, 13]}
        yield "resize", (11, 9, 2), "HWC", dtype, {"size": [14, 5], "interp_type": CUBIC}
        yield "resize", (11, 9, 2), "HWC", dtype, {"size": [5, 5], "dtype": int(types.FLOAT)}
    yield "resize", shape, "HWC", "uint8", {"size": [8, 10], "min_filter": NN, "mag_filter": CUBIC}
    yield "resize", shape, "HWC", "uint8", {"size": [8, 30], "min_filter": NN, "mag_filter": LANCZOS3}
    yield "resize", shape, "HWC", "uint8", {"size": [10, 30], "dtype": int(types.FLOAT)}
    yield "resize", (9, 10, 1), "HWC", "uint8", {"size": [15, 15], "interp_type": NN}
    for subpixel in (True, False):
        yield "resize", shape, "HWC", "uint8", {"resize_shorter": 7.3, "subpixel_scale": subpixel}
        yield "resize", shape, "HWC", "uint8", {"resize_x": 7.5, "resize_y": -10.5, "subpixel_scale": subpixel}
    for roi in (
        ([3.5, 2.25], [20.0, 14.5]),
        ([20.0, 2.0], [5.0, 15.0]),
        ([-4.0, -3.0], [30.0, 20.0]),
        ([5.0, 9.0], [5.0, 9.0]),
    ):
        for filter_ in (NN, LINEAR, CUBIC):
            if filter_ == NN and roi[1][0] > shape[0]:
                continue  # DALI 2.4 reads behind the image here
            yield (
                "resize",
                shape,
                "HWC",
                "uint8",
                {"size": [9, 12], "roi_start": roi[0], "roi_end": roi[1], "interp_type": filter_},
            )
    yield (
        "resize",
        shape,
        "HWC",
        "uint8",
        {"size": [9, -12], "roi_start": [0.1, 0.9], "roi_end": [0.8, 0.2], "roi_relative": True},
    )
    for layout, dims in (
        ("CHW", (3, 12, 9)),
        ("FHWC", (2, 12, 9, 3)),
        ("FCHW", (2, 3, 12, 9)),
        ("CFHW", (2, 3, 12, 9)),
    ):
        yield "resize", dims, layout, "uint8", {"size": [7, 11]}
    for layout, dims in (
        ("DHWC", (6, 7, 5, 2)),
        ("CDHW", (2, 6, 7, 5)),
        ("FDHWC", (2, 4, 5, 3, 1)),
        ("CFDHW", (2, 1, 6, 7, 5)),
    ):
        for size in ([4, 9, 3], [9, 4, 6]):
            yield "resize", dims, layout, "uint8", {"size": size}
    yield "resize", (6, 7, 5, 2), "DHWC", "float", {"size": [4, 9, 3], "interp_type": CUBIC}
    yield "resize", shape, "HWC", "uint8", {"size": [9, 8], "save_attrs": True}
    for mirror in range(4):
        yield "resize_crop_mirror", shape, "HWC", "uint8", {"resize_shorter": 13, "crop": [8, 10], "mirror": mirror}
    yield (
        "resize_crop_mirror",
        shape,
        "HWC",
        "uint8",
        {"size": [20, 30], "crop_h": 9, "crop_w": 7, "crop_pos_x": 0.2, "crop_pos_y": 0.9, "interp_type": CUBIC},
    )
    yield "resize_crop_mirror", shape, "HWC", "uint8", {"size": [9, 8], "crop": [12, 13]}
    yield "resize_crop_mirror", (6, 7, 5, 2), "DHWC", "uint8", {"size": [9, 8, 10], "crop": [4, 6, 5], "mirror": 5}
    yield "fast_resize_crop_mirror", shape, "HWC", "uint8", {"resize_shorter": 9, "crop": [8, 8], "mirror": 1}


def size_cases():
    """(shape, arguments)"""
    shapes = [(24, 17), (375, 500), (500, 375), (640, 480), (1, 1), (3, 100), (333, 500), (720, 1280)]
    arguments = [
        {"resize_shorter": 256},
        {"resize_longer": 256},
        {"resize_shorter": 100.5},
        {"resize_shorter": 80, "max_size": 140},
        {"resize_longer": 300, "max_size": [200, 250]},
        {"resize_x": 123},
        {"resize_y": 77},
        {"resize_x": 123, "max_size": 50},
        {"size": 64},
        {"size": [0, 99]},
        {"size": [80, 60], "mode": "not_larger"},
        {"size": [80, 60], "mode": "not_smaller"},
        {"size": [80, 0], "mode": "not_smaller"},
        {"size": [0, 60], "mode": "stretch"},
        {"size": [190, 260], "mode": "stretch", "max_size": 200},
        {"size": [190, 260], "mode": "default", "max_size": [50, 300]},
        {"size": [190, 260], "mode": "not_smaller", "max_size": [150, 300]},
        {"resize_x": 33.5, "resize_y": 20.5},
        {"resize_shorter": 50, "roi_start": [0.1, 0.2], "roi_end": [0.7, 0.9], "roi_relative": True},
        {"size": [0.2, 0.4]},
        {"resize_x": 0.0, "resize_y": 0.0},
    ]
    return itertools.product(shapes, arguments)


def stored(array):
    if array.dtype == np.float32:
        return [float(f"{value:.7g}") for value in array.ravel().tolist()]
    return array.ravel().tolist()


def main():
    pixels = []
    for op, shape, layout, dtype, args in pixel_cases():
        outputs = run(op, noise(shape, dtype), layout, args)
        pixels.append({
            "op": op, "shape": shape, "layout": layout, "dtype": dtype, "args": args,
            "outputs": [{"dtype": str(o.dtype), "shape": o.shape, "values": stored(o)} for o in outputs],
        })  # fmt: skip
    sizes = []
    for shape, args in size_cases():
        (output,) = run("resize", np.zeros((*shape, 1), np.uint8), "HWC", {**args, "interp_type": NN})
        sizes.append({"shape": shape, "args": args, "out": output.shape[:2]})
    target = Path(__file__).parents[2] / "tests/golden/dali_resize.json"
    lines = [json.dumps(case, separators=(",", ":")) for case in pixels]
    more = [json.dumps(case, separators=(",", ":")) for case in sizes]
    target.write_text('{"pixels":[\n' + ",\n".join(lines) + '\n],"sizes":[\n' + ",\n".join(more) + "\n]}\n")
    print(f"{target}: {len(pixels)} results, {len(sizes)} sizes, {target.stat().st_size} bytes", file=sys.stderr)


if __name__ == "__main__":
    main()
