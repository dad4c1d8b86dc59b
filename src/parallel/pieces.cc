#include "parallel/pieces.h"

#include <algorithm>
#include <cstring>
#include <numeric>

#include "core/check.h"
#include "parallel/memory.h"

namespace penstock::parallel {
namespace {

/// A tensor as `outer` rows of `row` bytes each, which end in the axis in question and those behind it.
struct Rows {
  explicit Rows(const TensorDesc& desc, int axis) {
    outer = std::accumulate(desc.shape.begin(), desc.shape.begin() + axis, int64_t{1}, std::multiplies<>());
    row = outer ? desc.nbytes() / static_cast<size_t>(outer) : 0;
  }
  int64_t outer = 1;
  size_t row = 0;
};

/// Copies rows of `bytes` between blocks in the lane's own memory.
void copy_rows(const Lane& lane, std::byte* to, size_t to_pitch, const std::byte* from, size_t from_pitch, size_t bytes,
               int64_t rows) {
  if (!bytes || !rows) return;
  if (lane.gpu) return lane.gpu->runtime().copy_rows(lane.stream.get(), to, to_pitch, from, from_pitch, bytes, rows);
  for (int64_t i = 0; i < rows; ++i, to += to_pitch, from += from_pitch) std::memcpy(to, from, bytes);
}

Lane lane_at(const Tensor& tensor, std::span<const Lane> lanes) {
  return tensor.buffer.device == kHostMemory ? Lane{} : lane_of(tensor.buffer.device, lanes);
}

/// The shape of all parts together, checked.
TensorDesc whole_of(std::span<const Tensor> parts, int dim) {
  PENSTOCK_CHECK(!parts.empty(), ArgumentError, "there is nothing to put together");
  TensorDesc whole = parts[0].view;
  const int axis = axis_of(whole, dim);
  whole.shape[axis] = 0;
  for (size_t i = 0; i < parts.size(); ++i) {
    const TensorDesc& part = parts[i].view;
    PENSTOCK_CHECK(part.dtype == whole.dtype, TypeError, "part {} is {} and part 0 is {}", i, name_of(part.dtype),
                   name_of(whole.dtype));
    Shape expected = parts[0].view.shape;
    if (part.shape.ndim() == expected.ndim()) expected[axis] = part.shape[axis];
    PENSTOCK_CHECK(part.shape == expected, ArgumentError,
                   "parts can differ in dimension {} only: part {} has shape {} and part 0 has {}", axis, i,
                   to_string(part.shape), to_string(parts[0].view.shape));
    whole.shape[axis] += part.shape[axis];
  }
  return whole;
}

/// Memory for the whole: pinned where GPUs write it for the host.
Tensor room_for(const TensorDesc& whole, const Lane& target, std::span<const Lane> sources) {
  const auto gpu = std::ranges::find_if(sources, [](const Lane& lane) { return lane.gpu != nullptr; });
  if (target.gpu || gpu == sources.end()) return allocate(target, whole);
  Tensor tensor{.buffer = gpu->gpu->pinned().allocate(whole.nbytes(), gpu->stream.get())};
  tensor.view = {whole, tensor.buffer.data};
  return tensor;
}

/// Scalars become parts of a vector, as torch.nn.DataParallel makes them.
std::vector<Tensor> with_axis(std::span<const Tensor> parts) {
  std::vector<Tensor> result(parts.begin(), parts.end());
  if (std::ranges::all_of(result, [](const Tensor& part) { return part.view.shape.ndim() == 0; }))
    for (Tensor& part : result) part.view.shape.push_back(1);
  return result;
}

}  // namespace

int axis_of(const TensorDesc& desc, int dim) {
  const int ndim = desc.shape.ndim(), axis = dim < 0 ? dim + ndim : dim;
  PENSTOCK_CHECK(axis >= 0 && axis < ndim, ArgumentError, "a tensor of shape {} has no dimension {}",
                 to_string(desc.shape), dim);
  return axis;
}

std::vector<Tensor> cut_along(const Tensor& tensor, int axis, std::span<const int64_t> sizes,
                              std::span<const Lane> lanes) {
  const Rows from(tensor.view, axis);
  const int64_t extent = tensor.view.shape[axis];
  const size_t step = extent ? from.row / static_cast<size_t>(extent) : 0;
  const bool shared = from.outer <= 1 || sizes.size() == 1;
  const Lane lane = lane_at(tensor, lanes);
  if (!shared) reading(tensor, lane);
  std::vector<Tensor> parts;
  const std::byte* begin = tensor.view.data;
  for (int64_t size : sizes) {
    const size_t bytes = step * static_cast<size_t>(size);
    TensorDesc desc = tensor.view;
    desc.shape[axis] = size;
    Tensor part{.buffer = tensor.buffer, .view = {desc, const_cast<std::byte*>(begin)}, .source = tensor.source};
    if (!shared) {
      part = allocate(lane, desc);
      copy_rows(lane, part.view.data, bytes, begin, from.row, bytes, from.outer);
      written(part, lane);
    }
    parts.push_back(std::move(part));
    begin += bytes;
  }
  if (!shared && is_foreign(tensor)) synchronize(lane);
  return parts;
}

Tensor joined(std::span<const Tensor> given, int dim, const Lane& target, std::span<const Lane> lanes) {
  const std::vector<Tensor> parts = with_axis(given);
  const TensorDesc desc = whole_of(parts, dim);
  const int axis = axis_of(desc, dim);
  const Rows to(desc, axis);
  std::vector<Lane> sources;
  for (const Tensor& part : parts) sources.push_back(lane_at(part, lanes));
  const Tensor whole = room_for(desc, target, sources);
  std::byte* end = whole.view.data;
  std::vector<Tensor> kept;  // until they have been read
  for (size_t i = 0; i < parts.size(); ++i) {
    const Rows from(parts[i].view, axis);
    // Strided copies stay in one memory; what comes from another one comes in one piece.
    const Tensor& part = to.outer > 1 ? kept.emplace_back(placed(parts[i], target)) : parts[i];
    const Lane& lane = target.gpu || part.buffer.device == kHostMemory ? target : sources[i];
    reading(part, lane);
    if (to.outer > 1)
      copy_rows(lane, end, to.row, part.view.data, from.row, from.row, to.outer);
    else if (lane.gpu && from.row)
      lane.gpu->runtime().copy(lane.stream.get(), end, part.view.data, from.row);
    else
      std::copy_n(part.view.data, from.row, end);
    written(whole, lane);
    end += from.row;
  }
  const bool foreign = std::ranges::any_of(parts, is_foreign);
  if (target.gpu && foreign) synchronize(target);
  if (!target.gpu)
    for (const Lane& lane : sources) synchronize(lane);
  return whole;
}

}  // namespace penstock::parallel
