#include "readers/file/partial_map.h"

#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <ctime>

#include "core/check.h"
#include "core/usable_memory.h"

namespace penstock {
namespace {

constexpr ptrdiff_t kStep = 2 << 20;  // of a walk

size_t system_page() {
  static const auto size = static_cast<size_t>(::sysconf(_SC_PAGESIZE));
  return size;
}

/// The first byte of the system's page in which `p` lies.
const char* page_of(const char* p) { return p - reinterpret_cast<uintptr_t>(p) % system_page(); }

/// Calls visit(begin, end) with the whole pages that hold the bytes.
template <class Visit>
void with_pages(std::string_view bytes, Visit&& visit) {
  visit(const_cast<char*>(page_of(bytes.data())), page_of(bytes.data() + bytes.size() + system_page() - 1));
}

}  // namespace

void bring_in(std::string_view mapped) noexcept {
  if (mapped.empty()) return;
  with_pages(mapped, [](char* begin, const char* end) {
    ::madvise(begin, static_cast<size_t>(end - begin), MADV_WILLNEED);
    // The wait; it spares the worker the page faults as well.
    for (const volatile char* at = begin; at < end; at += system_page()) static_cast<void>(*at);
  });
}

InPlace InPlace::usual() {
  static const size_t memory = usable_memory();
  return {.front = size_t{40} << 20, .large_front = memory / 4};
}

PartialMap::PartialMap(PosixFile file, const char* begin, size_t size, InPlace in_place)
    : file_(std::move(file)), begin_(begin), end_(begin ? begin + size : nullptr) {
  const auto end_of = [&](size_t front) {
    return begin_ ? begin_ + std::min(front, size) / system_page() * system_page()
                  : reinterpret_cast<const char*>(UINTPTR_MAX);
  };
  front_end_ = end_of(in_place.front);
  large_front_end_ = end_of(std::max(in_place.front, in_place.large_front));
  if (begin_ && large_front_end_ > begin_)
    pinnable_ =
        std::make_unique<device::Pinnable>(std::as_bytes(std::span(begin_, large_front_end_)), file_.pages_are_told());
}

bool PartialMap::shrank() const noexcept {
  struct stat status {};
  return begin_ && (::fstat(file_.fd(), &status) != 0 || status.st_size < end_ - begin_);
}

void PartialMap::check_whole() const {
  PENSTOCK_CHECK(!shrank(), DataError, "file shrank while being read: there were {} bytes", end_ - begin_);
}

void PartialMap::check_whole_once_a_tick() const {
  struct timespec now {};
  ::clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
  const int64_t tick = int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
  const std::atomic_ref<int64_t> found_whole(tick_);
  if (found_whole.load(std::memory_order_relaxed) == tick) return;
  check_whole();
  found_whole.store(tick, std::memory_order_relaxed);
}

void PartialMap::copy_to(char* copy, std::string_view bytes) const {
  file_.read(std::as_writable_bytes(std::span(copy, bytes.size())), bytes.data() - begin_);
}

void PartialMap::will_need(std::string_view record) const noexcept {
  if (!in_place(record, record.size()))
    return file_.will_need(record.data() - begin_, static_cast<int64_t>(record.size()));
  if (!shrank()) bring_in(record);
}

void PartialMap::let_go(const char* begin, const char* end) const noexcept {
  if (!begin_) return;
  begin = page_of(std::max(begin, front_end_));
  // The system keeps the pages in its cache; an error would only mean that they stay here, too.
  if (begin < end) ::madvise(const_cast<char*>(begin), static_cast<size_t>(end - begin), MADV_DONTNEED);
}

void PartialMap::Walk::visit(const char* place) {
  if (place - since_ >= kStep) map_.let_go(since_, page_of(place));
  if (place < since_ || place - since_ >= kStep) since_ = place;
}

}  // namespace penstock
