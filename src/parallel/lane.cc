#include "parallel/lane.h"

#include <algorithm>

#include "core/check.h"

namespace penstock::parallel {
namespace {

Lane open_lane(const DeviceId& id) {
  if (id.kind == DeviceId::Kind::kHost) return {.id = id};
  device::Device& gpu = device::Device::open(id.index);
  return {.id = id, .gpu = &gpu, .stream = gpu.borrow_stream(), .memory = gpu.keep_memory()};
}

}  // namespace

std::vector<Lane> open_lanes(std::span<const DeviceId> devices) {
  PENSTOCK_CHECK(!devices.empty(), ArgumentError, "no devices were named");
  std::vector<Lane> lanes;
  for (const DeviceId& id : devices) {
    PENSTOCK_CHECK(id.kind == devices[0].kind, ArgumentError, "devices must be of one kind, got {} beside {}",
                   to_string(id), to_string(devices[0]));
    const bool twice = std::ranges::any_of(lanes, [&](const Lane& lane) { return lane.id == id; });
    PENSTOCK_CHECK(!twice, ArgumentError, "devices must differ, got {} twice", to_string(id));
    lanes.push_back(open_lane(id));
  }
  for (const Lane& lane : lanes)
    for (const Lane& other : lanes)
      if (lane.gpu && lane.gpu != other.gpu) lane.gpu->runtime().reach(other.id.index);
  return lanes;
}

Lane lane_of(int gpu, std::span<const Lane> lanes) {
  const auto found = std::ranges::find_if(lanes, [&](const Lane& lane) { return lane.gpu && lane.id.index == gpu; });
  return found != lanes.end() ? *found : open_lane({.kind = DeviceId::Kind::kCuda, .index = gpu});
}

void synchronize(const Lane& lane) {
  if (lane.gpu) lane.gpu->finish(lane.stream.get());
}

}  // namespace penstock::parallel
