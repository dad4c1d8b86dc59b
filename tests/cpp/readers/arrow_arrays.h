// Columns as the Arrow C data interface hands them over, made by hand, so that tests can also make bad ones.
#pragma once

#include <cstddef>
#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "readers/table/arrow.h"

namespace penstock::test {

/// A type with values: buffers are copied from what they are given.
struct ArrowNode {
  std::string format;
  int64_t length = 0, null_count = 0, offset = 0;
  std::vector<std::vector<std::byte>> buffers;
  std::vector<ArrowNode> children;
  bool has_dictionary = false;

  template <class T>
  static std::vector<std::byte> buffer(const std::vector<T>& values) {
    std::vector<std::byte> bytes(values.size() * sizeof(T));
    if (!bytes.empty()) std::memcpy(bytes.data(), values.data(), bytes.size());
    return bytes;
  }
  /// Numbers without nulls.
  template <class T>
  static ArrowNode numbers(std::string format, const std::vector<T>& values) {
    return {
        .format = std::move(format), .length = static_cast<int64_t>(values.size()), .buffers = {{}, buffer(values)}};
  }
};

/// What a column points to; freed when the column's array is released.
struct ArrowMemory {
  ArrowNode node;
  std::vector<const void*> buffers;
  std::vector<std::unique_ptr<ArrowMemory>> children;
  std::vector<ArrowSchema*> child_schemas;
  std::vector<ArrowArray*> child_arrays;
  ArrowSchema schema{};
  ArrowArray array{};

  explicit ArrowMemory(ArrowNode of) : node(std::move(of)) {
    for (const auto& one : node.buffers) buffers.push_back(one.empty() ? nullptr : one.data());
    for (ArrowNode& child : node.children) {
      children.push_back(std::make_unique<ArrowMemory>(std::move(child)));
      child_schemas.push_back(&children.back()->schema);
      child_arrays.push_back(&children.back()->array);
    }
    const auto parts = static_cast<int64_t>(children.size());
    schema = {.format = node.format.c_str(), .n_children = parts, .children = child_schemas.data()};
    if (node.has_dictionary) schema.dictionary = &schema;
    array = {.length = node.length,
             .null_count = node.null_count,
             .offset = node.offset,
             .n_buffers = static_cast<int64_t>(buffers.size()),
             .n_children = parts,
             .buffers = buffers.data(),
             .children = child_arrays.data()};
  }
};

inline ArrowColumn arrow_column(ArrowNode node) {
  auto* memory = new ArrowMemory(std::move(node));
  ArrowSchema schema = memory->schema;
  ArrowArray array = memory->array;
  schema.release = [](ArrowSchema* self) { self->release = nullptr; };
  array.private_data = memory;
  array.release = [](ArrowArray* self) {
    self->release = nullptr;
    delete static_cast<ArrowMemory*>(self->private_data);
  };
  return {schema, array};
}

}  // namespace penstock::test
