// A JPEG file for the GPU's JPEG engine: it writes the samples of whole components, and from there on the picture goes
// the way of our own decoder. The engine's samples are libjpeg's, bit for bit, its own colours and upsampling are not.
#include <cstring>

#include "core/host_pool.h"
#include "ops/decoders/jpeg_on_gpu.h"

namespace penstock {
namespace {

using namespace codec::jpeg;

// A picture takes the engine as long as some ten thousand pixels do, whatever its size.
constexpr int64_t kMinPixels = 128 * 128;

/// 4:4:4, 4:2:2, 4:2:0, 4:4:0, or gray.
bool engine_has(const Frame& frame) {
  const Component& first = frame.components[0];
  if (frame.colour == Colour::kGray) return frame.count == 1 && first.h == 1 && first.v == 1;
  const auto once = [](const Component& c) { return c.h == 1 && c.v == 1; };
  return frame.colour == Colour::kYCbCr && frame.count == 3 && first.h <= 2 && first.v <= 2 &&
         once(frame.components[1]) && once(frame.components[2]);
}

/// The engine says nothing of files that are cut off.
bool ends_as_it_should(std::span<const uint8_t> bytes) {
  return bytes.size() > 2 && bytes[bytes.size() - 2] == 0xFF && bytes[bytes.size() - 1] == 0xD9;
}

}  // namespace

bool JpegOnGpu::describe_for_engine(std::span<const uint8_t> bytes, const codec::Info& info,
                                    const codec::Request& request, device::Staging& staging, ScanJob& job) {
  if (int64_t{info.height} * info.width < kMinPixels || !ends_as_it_should(bytes) ||
      !describe_picture(bytes, info, request, job))
    return false;
  const Frame& frame = headers_.frame;
  if (!engine_has(frame) || job.planes != frame.count || !staging.memory().device().jpeg_engine().why_none().empty())
    return false;
  describe_planes({0, 0, frame.height, frame.width}, job);
  const Buffer samples =
      staging.memory().device().memory().allocate(size_t{job.wanted_blocks} * kSide * kSide, nullptr);
  staging.memory().keep(samples);
  job.samples = reinterpret_cast<uint8_t*>(samples.data);
  auto* failed = reinterpret_cast<int32_t*>(staging.take(sizeof(int32_t)).host);
  *failed = 0;
  job.engine_failed = failed;

  device::EngineQueue::Task task{.file = HostPool::process()->allocate(bytes.size())};
  std::memcpy(task.file.data, bytes.data(), bytes.size());
  task.picture.file = {reinterpret_cast<const uint8_t*>(task.file.data), bytes.size()};
  for (size_t c = 0; c < static_cast<size_t>(job.planes); ++c) {
    const WantedPlane& plane = job.wanted[c];
    task.picture.planes[c] = job.samples + size_t{plane.blocks_before} * kSide * kSide;
    task.picture.pitches[c] = static_cast<size_t>(plane.stride());
  }
  device::OutsideWork& outside = staging.memory().outside();
  outside.begin();
  task.ended = [failed, &outside](bool decoded) {
    *failed = decoded ? 0 : 1;
    outside.end();
  };
  staging.memory().device().jpeg_engine().submit(std::move(task));
  return true;
}

}  // namespace penstock
