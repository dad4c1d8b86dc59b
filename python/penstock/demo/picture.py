"""A picture of one batch: what each device holds."""

import numpy as np
from PIL import Image, ImageDraw

_COLUMNS = 10
_SCALE = 2
_SIDE = 28
_EDGE = 3
_HEAD = 16
_GAP = 10
_COLOURS = ("#1f77b4", "#ff7f0e", "#2ca02c", "#d62728", "#9467bd", "#8c564b", "#e377c2", "#17becf")


def _grid(images):
    """(count, 784) in [0, 1] -> one gray picture with the digits in rows of ten."""
    rows = -(-len(images) // _COLUMNS)
    cells = np.zeros((rows * _COLUMNS, _SIDE, _SIDE), np.uint8)
    cells[: len(images)] = np.clip(images.reshape(-1, _SIDE, _SIDE) * 255 + 0.5, 0, 255)
    sheet = cells.reshape(rows, _COLUMNS, _SIDE, _SIDE).swapaxes(1, 2).reshape(rows * _SIDE, _COLUMNS * _SIDE)
    return Image.fromarray(sheet).resize((_COLUMNS * _SIDE * _SCALE, rows * _SIDE * _SCALE), Image.Resampling.NEAREST)


def draw_shards(array, path):
    """Writes a PNG of a batch of digits (samples, 784): one framed and labelled field per device."""
    shards = sorted(array.addressable_shards, key=lambda shard: shard.index[0].start or 0)
    grids = [_grid(np.asarray(shard.data)) for shard in shards]
    across = min(len(grids), 2)
    width, height = grids[0].width + 2 * _EDGE, grids[0].height + 2 * _EDGE + _HEAD
    down = -(-len(grids) // across)
    sheet = Image.new("RGB", (across * (width + _GAP) + _GAP, down * (height + _GAP) + _GAP), "white")
    pen = ImageDraw.Draw(sheet)
    for i, (shard, grid) in enumerate(zip(shards, grids, strict=True)):
        x, y = _GAP + i % across * (width + _GAP), _GAP + i // across * (height + _GAP)
        colour = _COLOURS[i % len(_COLOURS)]
        start = shard.index[0].start or 0
        pen.rectangle((x, y, x + width - 1, y + height - 1), fill=colour)
        pen.text(
            (x + _EDGE + 2, y + 3), f"{shard.device}: samples {start} to {start + len(shard.data) - 1}", fill="white"
        )
        sheet.paste(grid, (x + _EDGE, y + _HEAD + _EDGE))
    sheet.save(path)
    return path
