#include "ops/boxes/affine_rows.h"

#include <algorithm>
#include <cmath>
#include <span>

#include "core/check.h"
#include "kernels/rows/rows.h"

namespace penstock {

RowMap RowMap::identity(int64_t n) {
  RowMap map{std::vector<float>(static_cast<size_t>(n * n)), std::vector<float>(static_cast<size_t>(n))};
  for (int64_t i = 0; i < n; ++i) map.at(i, i) = 1;
  return map;
}

float& RowMap::at(int64_t row, int64_t column) { return matrix[static_cast<size_t>(row * inputs() + column)]; }

void describe_float_rows(const TensorDesc& in, Value& out) {
  PENSTOCK_CHECK(in.dtype == DType::kFloat, TypeError, "the input must be FLOAT, got {}", name_of(in.dtype));
  out.describe(in);
}

void check_boxes_of_four(const TensorDesc& in) {
  const int ndim = in.shape.ndim();
  PENSTOCK_CHECK(ndim > 0 && in.shape[ndim - 1] % 4 == 0, ArgumentError,
                 "boxes have four numbers each, so the last axis must have a multiple of 4, got the shape {}",
                 to_string(in.shape));
}

namespace {

constexpr const char* kRemedy =
    "that is no box. Mend the annotations, or leave such samples out (on_error=\"skip\"); check_boxes=False lets it "
    "pass";

bool is_finite(std::span<const float> box) {
  return std::ranges::all_of(box, [](float one) { return std::isfinite(one); });
}

}  // namespace

void check_finite_boxes(const TensorView& boxes) {
  const std::span<const float> numbers(boxes.as<float>(), static_cast<size_t>(boxes.shape.volume()));
  for (size_t i = 0; i < numbers.size(); i += 4) {
    const std::span<const float> box = numbers.subspan(i, 4);
    PENSTOCK_CHECK(is_finite(box), DataError, "box {} is {}, {}, {}, {}: {}", i / 4, box[0], box[1], box[2], box[3],
                   kRemedy);
  }
}

void fail_not_finite() { fail<DataError>("the GPU found a box with a number that is not finite: {}", kRemedy); }

void map_boxes_not_finite(const TensorView& in, const TensorView& out, const RowMap& map) {
  const int64_t boxes = in.shape.volume() / 4;
  for (int64_t i = 0; i < boxes; ++i) {
    const std::span<const float> box(in.as<float>() + 4 * i, 4);
    if (is_finite(box)) continue;
    for (size_t row = 0; row < 4; ++row) {
      float sum = map.offset[row];
      for (size_t k = 0; k < 4; ++k)
        if (const float factor = map.matrix[4 * row + k]; factor != 0) sum += factor * box[k];
      out.as<float>()[4 * static_cast<size_t>(i) + row] = sum;
    }
  }
}

kernels::RowsJob rows_job(const TensorDesc& in, const RowMap& map) {
  return {.matrix = map.matrix.data(),
          .offset = map.offset.data(),
          .rows = map.inputs() == 0 ? 0 : in.shape.volume() / map.inputs(),
          .inputs = static_cast<int32_t>(map.inputs()),
          .outputs = static_cast<int32_t>(map.outputs())};
}

void run_rows(const TensorView& in, const TensorView& out, const RowMap& map) {
  if (in.shape.volume() == 0) return;
  kernels::RowsJob job = rows_job(in, map);
  job.in = in.data;
  job.out = out.data;
  dispatch_among<uint8_t, int8_t, uint16_t, int16_t, uint32_t, int32_t, float>(in.dtype, [&](auto tag) {
    using In = typename decltype(tag)::type;
    if (out.dtype == DType::kFloat)
      kernels::map_rows<In, float>(job);
    else
      kernels::map_rows<In, In>(job);
  });
}

}  // namespace penstock
