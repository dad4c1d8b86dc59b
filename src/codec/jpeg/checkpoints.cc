#include "codec/jpeg/checkpoints.h"

#include <cstring>
#include <mutex>
#include <utility>

#include "codec/jpeg/sidecar.h"

namespace penstock::codec::jpeg {
namespace {

// Of an entry, beside its numbers: the map's node and two headers of allocated blocks.
constexpr size_t kEntryBytes = sizeof(std::pair<const FileKey, PackedPlaces>) + 64;

uint64_t load(const uint8_t* at) {
  uint64_t word;
  std::memcpy(&word, at, sizeof word);
  return word;
}

// Both halves of a product: each of its bits depends on most bits of both factors.
uint64_t folded(uint64_t a, uint64_t b) {
  const auto product = static_cast<unsigned __int128>(a) * b;
  return static_cast<uint64_t>(product) ^ static_cast<uint64_t>(product >> 64);
}

constexpr uint64_t kOdd[4] = {0x9E37'79B9'7F4A'7C15, 0xC2B2'AE3D'27D4'EB4F, 0x1656'67B1'9E37'79F9,
                              0xD6E8'FEB8'6659'FD93};

}  // namespace

FileKey key_of(std::span<const uint8_t> file) {
  // Four chains, since a product takes longer than it takes until the next one can begin.
  // None begins with what it is combined with: a factor of 0 would hide the other one.
  std::array<uint64_t, 4> lanes = {kOdd[1], kOdd[2], kOdd[3], kOdd[0]};
  const auto take = [&](const uint8_t* at) {
    for (size_t i = 0; i < 4; ++i)
      lanes[i] = folded(load(at + 16 * i) ^ kOdd[i] ^ lanes[i], load(at + 16 * i + 8) ^ kOdd[3 - i]) + lanes[i];
  };
  size_t at = 0;
  for (; at + 64 <= file.size(); at += 64) take(&file[at]);
  std::array<uint8_t, 64> rest{};
  if (at < file.size()) std::memcpy(rest.data(), &file[at], file.size() - at);
  take(rest.data());
  return {file.size(),
          {folded(lanes[0] ^ kOdd[1], lanes[1] ^ kOdd[2]) + folded(lanes[2] ^ kOdd[3], lanes[3] ^ kOdd[0]),
           folded(lanes[0] ^ kOdd[2], lanes[2] ^ kOdd[1]) + folded(lanes[1] ^ kOdd[0], lanes[3] ^ kOdd[3])}};
}

Checkpoints::Checkpoints(size_t limit, const std::string& path) : limit_(limit) {
  if (path.empty()) return;
  sidecar_ = std::make_unique<Sidecar>(path, [this](const FileKey& key, PackedPlaces places) {
    keep(key, std::move(places));
    return has_room();
  });
}

Checkpoints::~Checkpoints() = default;

std::optional<std::span<const uint16_t>> Checkpoints::find(const FileKey& key) const {
  const std::shared_lock lock(mutex_);
  const auto found = kept_.find(key);
  if (found == kept_.end()) return std::nullopt;
  return found->second;  // stays: nothing is ever dropped
}

void Checkpoints::add(const FileKey& key, PackedPlaces places) {
  const std::unique_lock lock(mutex_);
  if (sidecar_ && has_room()) sidecar_->read_new();  // another process may have met the file before
  if (!keep(key, std::move(places))) return;
  if (sidecar_) sidecar_->append(key, kept_.at(key));
}

bool Checkpoints::keep(const FileKey& key, PackedPlaces&& places) {
  if (!has_room() || kept_.contains(key)) return false;
  const size_t bytes = kEntryBytes + places.size() * sizeof(uint16_t);
  if (bytes > limit_ - used_) {
    has_room_.store(false, std::memory_order_relaxed);
    return false;
  }
  places.shrink_to_fit();
  kept_.emplace(key, std::move(places));
  used_ += bytes;
  return true;
}

}  // namespace penstock::codec::jpeg
