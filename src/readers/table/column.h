// Cells of a column of Arrow's as tensors.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include <penstock/tensor.h>

#include "readers/table/arrow.h"

namespace penstock {

/// One value of a column: what it is, and where its elements lie.
struct Cell {
  TensorDesc desc;
  const std::byte* data = nullptr;  ///< of the buffer, for bool in bits
  int64_t first = 0;                ///< element of the buffer that is the cell's first
  bool is_null = false;             ///< texts, bytes and lists are empty then
  std::string_view path;            ///< of the file that has the bytes in the cell's place
};

class Column {
 public:
  /// @throws DataError for a type that no tensor can be made of, and for contradictions
  explicit Column(ArrowColumn column);
  Column(Column&&) noexcept;
  Column& operator=(Column&&) noexcept;
  ~Column();

  int64_t rows() const { return column_.array().length; }
  /// @throws DataError for a list that is no tensor, and for offsets that lead out of the column
  Cell at(int64_t row) const;
  /// Whether the cell, or an element of it, is null.
  bool has_nulls(const Cell& cell) const;
  /// The elements of a cell of at(), in C order, with `fill` for those that are null.
  void write(const Cell& cell, double fill, std::byte* out) const;
  /// How long a row is: the extent of its first axis; of a number, that number, rounded. 0 for nulls.
  /// @throws as at()
  int64_t length_at(int64_t row) const;
  /// Asks the processor for what says where a cell lies, and, for which that has to be there, for the cell's first
  /// kilobyte. Nothing happens for rows that are not there.
  void prefetch_place(int64_t row) const noexcept;
  void prefetch_bytes(int64_t row) const noexcept;
  /// Whether cells are texts or bytes.
  bool is_bytes() const;
  /// Where a cell of these begins, and all of it.
  static const std::byte* start_of(const Cell& cell) { return cell.data + cell.first; }
  static std::string_view bytes_of(const Cell& cell) {
    return {reinterpret_cast<const char*>(start_of(cell)), static_cast<size_t>(cell.desc.shape[0])};
  }

 private:
  struct Node;
  ArrowColumn column_;
  std::unique_ptr<Node> root_;
  const Node* leaf_ = nullptr;
};

}  // namespace penstock
