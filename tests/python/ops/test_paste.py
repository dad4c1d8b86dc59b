"""paste: canvases as DALI's."""

import numpy as np
import oracle
import pytest

from penstock import Pipeline, fn

PICTURE = np.random.default_rng(0).integers(0, 255, (31, 43, 3)).astype(np.uint8)
CALLS = {
    "in the middle": {"ratio": 1.7, "fill_value": [69, 111, 20]},
    "in a corner": {"ratio": 2.0, "fill_value": [1, 2, 3], "paste_x": 0.0, "paste_y": 1.0},
    "anywhere": {"ratio": 1.31, "fill_value": [1, 2, 3], "paste_x": 0.37, "paste_y": 0.83},
    "as it is": {"ratio": 1.0, "fill_value": [1, 2, 3]},
    "on a larger canvas": {"ratio": 1.1, "fill_value": [1, 2, 3], "min_canvas_size": 45.0},
}


def graph_of(options):
    def graph(fn, types, math):
        return fn.paste(fn.external_source(source=lambda: [PICTURE] * 4, layout="HWC", batch=True), **options)

    return graph


@pytest.mark.parametrize("name", CALLS)
def test_canvases_equal_dalis(name):
    oracle.assert_same(graph_of(CALLS[name]))


def test_ratios_may_differ_by_sample():
    def graph(fn, types, math):
        ratio = fn.external_source(source=lambda info: np.float32(1 + info.idx_in_epoch / 3), batch=False)
        pictures = fn.external_source(source=lambda: [PICTURE] * 4, layout="HWC", batch=True)
        return fn.paste(pictures, ratio=ratio, fill_value=[1, 2, 3], paste_x=0.25)

    oracle.assert_same(graph)


@pytest.mark.parametrize(
    ("options", "match"),
    [
        ({"ratio": 0.5, "fill_value": [1, 2, 3]}, "must be 1 or more"),
        ({"ratio": 2.0, "fill_value": [1, 2]}, "a value for each of the `n_channels` \\(3\\)"),
        ({"ratio": 2.0, "fill_value": [1], "n_channels": 1}, "has 3 channels, `n_channels` is 1"),
        ({"ratio": 2.0, "fill_value": [1, 2, 3], "paste_x": 1.5}, r"`paste_x` must lie in \[0, 1\]"),
        ({"ratio": float("nan"), "fill_value": [1, 2, 3]}, "must be 1 or more"),
    ],
)
def test_what_is_no_canvas_is_refused(options, match):
    pipe = Pipeline(batch_size=1, num_threads=1, device_id=None)
    with pytest.raises(Exception, match=match):
        with pipe:
            pipe.set_outputs(
                fn.paste(fn.external_source(source=lambda: [PICTURE], layout="HWC", batch=True), **options)
            )
        pipe.run()
