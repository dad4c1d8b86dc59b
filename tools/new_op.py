#!/usr/bin/env python3
"""Writes a new element-wise operator that compiles, and a test that passes: change both.

usage: tools/new_op.py FOLDER/NAME        such as image/posterize; FOLDER is one of src/ops
"""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).parent.parent
SOURCE = """\
#include "core/convert.h"
#include "core/dispatch.h"
#include "schema/registry.h"

namespace penstock {
namespace {

struct @Type@Args {
  float factor = 1.f;
};

class @Type@ final : public SampleOperator<@Type@Args> {
 public:
  void infer(Sample& s) const override {
    const TensorDesc& in = s.in(0).tensor;
    static_cast<TensorDesc&>(s.out(0).tensor) = in;
  }
  void run(Sample& s) const override {
    const TensorView &in = s.in(0).tensor, &out = s.out(0).tensor;
    const float factor = args(s).factor;
    dispatch_numeric(in.dtype, [&](auto tag) {
      using T = typename decltype(tag)::type;
      const T* from = in.as<const T>();
      T* to = out.as<T>();
      for (int64_t i = 0; i < in.shape.volume(); ++i) to[i] = convert_sat<T>(static_cast<float>(from[i]) * factor);
    });
  }
};

}  // namespace

[[gnu::cold]] void register_@name@(Registry& r) {
  r.add<@Type@>("@name@")
      .doc("Multiplies all elements by a factor.")
      .input("data", {}, "Tensor of any shape and type.")
      .output("output", "The products, of the same shape and type.")
      .arg("factor", &@Type@Args::factor, "What to multiply by.", kPerSample);
}

}  // namespace penstock
"""
TEST = """\
import numpy as np
import pytest

from penstock import fn, pipeline_def


def run(array, **arguments):
    @pipeline_def(batch_size=1, num_threads=1, device_id=None)
    def pipeline():
        return fn.@name@(fn.external_source(lambda: [array]), **arguments)

    (batch,) = pipeline().run()
    return np.array(batch.at(0))


def test_@name@_keeps_the_data_by_default():
    array = np.arange(12, dtype=np.uint8).reshape(2, 2, 3)
    np.testing.assert_array_equal(run(array), array)


@pytest.mark.parametrize("dtype", [np.uint8, np.int16, np.float32])
def test_@name@_multiplies_and_saturates(dtype):
    limits = np.iinfo(dtype) if np.issubdtype(dtype, np.integer) else np.finfo(dtype)
    array = np.array([0, 1, 100], dtype)
    np.testing.assert_array_equal(run(array, factor=3.0), np.minimum(array.astype(float) * 3, limits.max).astype(dtype))
"""


def files(place):
    """Path -> text of the files of the operator `place`, such as "image/posterize"."""
    match = re.fullmatch(r"([a-z][a-z0-9_]*)/([a-z][a-z0-9_]*)", place)
    if not match:
        raise SystemExit(f"{place}: write FOLDER/NAME in small letters, such as image/posterize")
    folder, name = match.groups()
    kind = "".join(word.capitalize() for word in name.split("_"))
    texts = {f"src/ops/{folder}/{name}.cc": SOURCE, f"tests/python/ops/test_{name}.py": TEST}
    return {path: text.replace("@Type@", kind).replace("@name@", name) for path, text in texts.items()}


def main():
    root = pathlib.Path(sys.argv[2]) if len(sys.argv) > 2 else ROOT
    if len(sys.argv) < 2:
        raise SystemExit(__doc__)
    made = files(sys.argv[1])
    taken = [path for path in made if (root / path).exists()]
    if taken:
        raise SystemExit(f"{taken[0]} exists already")
    for path, text in made.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text)
        print("wrote", path)
    print("now: make build, then make generated")


if __name__ == "__main__":
    main()
