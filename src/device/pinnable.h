// Host memory that is not ours to allocate, such as a mapped file, and that GPUs copy from where it lies once it is
// pinned: the host does not touch it, and a byte passes through its memory once instead of three times.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "device/device.h"

namespace penstock::device {

class Pinnable {
 public:
  /// So much is pinned at a time, from multiples of it on: 0.1 to 0.2 ms.
  static constexpr size_t kSlice = size_t{4} << 20;

  /// @param memory can be read, and stays, for as long as this lives; it begins and ends with a page
  /// @param told whether the system says which of its pages are there, see PosixFile::pages_are_told()
  explicit Pinnable(std::span<const std::byte> memory, bool told = true);
  /// No GPU may be reading any more.
  ~Pinnable();
  Pinnable(const Pinnable&) = delete;
  Pinnable& operator=(const Pinnable&) = delete;

  /// Whether the GPU can copy from these bytes. Pins slices of which all is there already, as far as the
  /// system tells: no thread waits for a disk here.
  bool pinned(Device& device, std::span<const std::byte> bytes);
  /// Calls fn(part) for the parts of `bytes` that were pinned by one call each.
  template <class Fn>
  static void for_each_part(std::span<const std::byte> bytes, Fn&& fn) {
    while (!bytes.empty()) {
      const auto part = bytes.first(std::min(bytes.size(), kSlice - address(bytes.data()) % kSlice));
      fn(part);
      bytes = bytes.subspan(part.size());
    }
  }

 private:
  enum class State : uint8_t { kFree, kAsked, kPinned };
  struct Slice {
    std::atomic<State> state{State::kFree};
    std::atomic<uint64_t> wanted{0};  // bytes
  };
  static uintptr_t address(const std::byte* at) { return reinterpret_cast<uintptr_t>(at); }
  /// The slice that a byte lies in.
  size_t slice_of(const std::byte* at) const { return address(at) / kSlice - address(memory_.data()) / kSlice; }
  std::span<const std::byte> bytes_of(size_t slice) const;
  bool worth_asking(uint64_t before, uint64_t wanted) const;
  void try_to_pin(Device& device, size_t slice, size_t bytes);

  const std::span<const std::byte> memory_;
  const bool told_;
  const size_t count_;
  const std::unique_ptr<Slice[]> slices_;
  std::atomic<bool> refused_{false};  // such memory cannot be pinned here
  std::atomic<Device*> pinner_{nullptr};
};

}  // namespace penstock::device
