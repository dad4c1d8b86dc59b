// The Arrow C data interface, a stable ABI: how columns of a table are handed over without a copy.
#pragma once

#include <cstdint>
#include <utility>

#ifndef ARROW_C_DATA_INTERFACE
#define ARROW_C_DATA_INTERFACE
extern "C" {
struct ArrowSchema {
  const char* format;
  const char* name;
  const char* metadata;
  int64_t flags;
  int64_t n_children;
  ArrowSchema** children;
  ArrowSchema* dictionary;
  void (*release)(ArrowSchema*);
  void* private_data;
};
struct ArrowArray {
  int64_t length;
  int64_t null_count;
  int64_t offset;
  int64_t n_buffers;
  int64_t n_children;
  const void** buffers;
  ArrowArray** children;
  ArrowArray* dictionary;
  void (*release)(ArrowArray*);
  void* private_data;
};
}
#endif

namespace penstock {

/// A column and its type, released by the library that made them.
class ArrowColumn {
 public:
  ArrowColumn() = default;
  /// Takes both over: what they were taken from is marked as released, as the interface asks.
  ArrowColumn(ArrowSchema& schema, ArrowArray& array)
      : schema_(std::exchange(schema, {})), array_(std::exchange(array, {})) {}
  ArrowColumn(ArrowColumn&& other) noexcept
      : schema_(std::exchange(other.schema_, {})), array_(std::exchange(other.array_, {})) {}
  ArrowColumn& operator=(ArrowColumn&& other) noexcept {
    std::swap(schema_, other.schema_);
    std::swap(array_, other.array_);
    return *this;
  }
  ~ArrowColumn() {
    if (array_.release != nullptr) array_.release(&array_);
    if (schema_.release != nullptr) schema_.release(&schema_);
  }
  const ArrowSchema& schema() const { return schema_; }
  const ArrowArray& array() const { return array_; }

 private:
  ArrowSchema schema_{};
  ArrowArray array_{};
};

}  // namespace penstock
