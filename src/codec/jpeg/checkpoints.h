// Places of scans, kept from epoch to epoch for all workers of an operator.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <shared_mutex>
#include <span>
#include <string>
#include <unordered_map>

#include "codec/jpeg/places.h"

namespace penstock::codec::jpeg {

class Sidecar;

/// What identifies a file: all of its bytes. A file that changed has another key, so old places never meet it.
struct FileKey {
  uint64_t size = 0;
  std::array<uint64_t, 2> hash{};

  friend auto operator<=>(const FileKey&, const FileKey&) = default;
  /// For tables: any part of it will do.
  struct Hash {
    size_t operator()(const FileKey& key) const { return key.hash[0]; }
  };
};

/// Takes 3 us for 100 KB.
FileKey key_of(std::span<const uint8_t> file);

class Checkpoints {
 public:
  /// @param limit bytes of memory; when they are used up nothing more is kept, and nothing is dropped either: of a data
  ///        set that is read in turns, what is newest is needed last
  /// @param path of a sidecar: a file with the places of earlier runs, to which new ones are added; empty: none
  /// @throws ArgumentError where the path cannot be read, or holds something else
  Checkpoints(size_t limit, const std::string& path);
  ~Checkpoints();

  /// What is known of a file, as long as this lives. Empty: that it has no places.
  std::optional<std::span<const uint16_t>> find(const FileKey& key) const;
  /// Keeps it where there is room, unless something is known already.
  void add(const FileKey& key, PackedPlaces places);
  /// False once there was none for a file: to note more places would be in vain.
  bool has_room() const { return has_room_.load(std::memory_order_relaxed); }

 private:
  bool keep(const FileKey& key, PackedPlaces&& places);

  size_t limit_, used_ = 0;
  std::atomic<bool> has_room_ = true;
  mutable std::shared_mutex mutex_;
  std::unordered_map<FileKey, PackedPlaces, FileKey::Hash> kept_;
  std::unique_ptr<Sidecar> sidecar_;
};

}  // namespace penstock::codec::jpeg
