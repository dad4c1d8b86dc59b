#include "readers/table/column.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <utility>

#include "core/check.h"
#include "core/convert.h"
#include "core/dispatch.h"

namespace penstock {
namespace {

enum class Kind { kNumber, kBits, kBytes, kLargeBytes, kFixedBytes, kList, kLargeList, kFixedList, kFile };

struct Named {
  std::string_view format;
  Kind kind;
  DType dtype;
};

// Times and dates are numbers in the unit of the column.
constexpr std::array<Named, 28> kFormats = {{
    {"b", Kind::kBits, DType::kBool},        {"c", Kind::kNumber, DType::kInt8},
    {"C", Kind::kNumber, DType::kUInt8},     {"s", Kind::kNumber, DType::kInt16},
    {"S", Kind::kNumber, DType::kUInt16},    {"i", Kind::kNumber, DType::kInt32},
    {"I", Kind::kNumber, DType::kUInt32},    {"l", Kind::kNumber, DType::kInt64},
    {"L", Kind::kNumber, DType::kUInt64},    {"e", Kind::kNumber, DType::kFloat16},
    {"f", Kind::kNumber, DType::kFloat},     {"g", Kind::kNumber, DType::kFloat64},
    {"tdD", Kind::kNumber, DType::kInt32},   {"tdm", Kind::kNumber, DType::kInt64},
    {"tts", Kind::kNumber, DType::kInt32},   {"ttm", Kind::kNumber, DType::kInt32},
    {"ttu", Kind::kNumber, DType::kInt64},   {"ttn", Kind::kNumber, DType::kInt64},
    {"tDs", Kind::kNumber, DType::kInt64},   {"tDm", Kind::kNumber, DType::kInt64},
    {"tDu", Kind::kNumber, DType::kInt64},   {"tDn", Kind::kNumber, DType::kInt64},
    {"z", Kind::kBytes, DType::kUInt8},      {"u", Kind::kBytes, DType::kUInt8},
    {"Z", Kind::kLargeBytes, DType::kUInt8}, {"U", Kind::kLargeBytes, DType::kUInt8},
    {"+l", Kind::kList, DType::kNone},       {"+L", Kind::kLargeList, DType::kNone},
}};

/// The number behind "w:" or "+w:".
int64_t width_from(std::string_view format) {
  const std::string_view digits = format.substr(format.find(':') + 1);
  int64_t width = -1;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), width);
  PENSTOCK_CHECK(error == std::errc() && end == digits.data() + digits.size() && width >= 0 && width < (1LL << 31),
                 DataError, "\"{}\" is no type of Arrow's", format.substr(0, 30));
  return width;
}

bool bit(const void* bits, int64_t i) { return static_cast<const uint8_t*>(bits)[i >> 3] >> (i & 7) & 1; }

}  // namespace

struct Column::Node {
  Kind kind = Kind::kNumber;
  DType dtype = DType::kNone;
  int64_t width = 0;  // of fixed bytes and lists
  const ArrowArray* array = nullptr;
  std::unique_ptr<Node> child;  // of a list; of a file, its bytes
  std::unique_ptr<Node> path;   // of a file

  Node(const ArrowSchema& schema, const ArrowArray& from, int depth);
  bool is_number() const { return kind == Kind::kNumber || kind == Kind::kBits; }
  bool has_offsets() const { return kind == Kind::kBytes || kind == Kind::kLargeBytes; }
  bool is_bytes() const { return has_offsets() || kind == Kind::kFixedBytes; }
  bool is_list() const { return kind == Kind::kList || kind == Kind::kLargeList || kind == Kind::kFixedList; }
  bool is_null(int64_t i) const {
    return array->null_count != 0 && array->buffers[0] != nullptr && !bit(array->buffers[0], array->offset + i);
  }
  /// Whether one of the values from `begin` to `end` is null.
  bool any_null(int64_t begin, int64_t end) const {
    if (array->null_count == 0 || array->buffers[0] == nullptr) return false;
    for (int64_t i = begin; i < end; ++i)
      if (is_null(i)) return true;
    return false;
  }
  /// Elements of the child that the lists from `begin` to `end` have, which must be equally long: their length goes to
  /// `shape`. A list of variable length that is null is empty. @throws DataError
  std::pair<int64_t, int64_t> lists(int64_t begin, int64_t end, bool outermost, Shape& shape) const;
  /// Elements of the child, or bytes, that make value i.
  std::pair<int64_t, int64_t> bounds(int64_t i) const {
    switch (kind) {
      case Kind::kBytes:
      case Kind::kList:
        return offsets<int32_t>(i);
      case Kind::kLargeBytes:
      case Kind::kLargeList:
        return offsets<int64_t>(i);
      default:
        return {(array->offset + i) * width, (array->offset + i + 1) * width};
    }
  }

 private:
  void take_format(std::string_view format);
  void check_buffers(int64_t needed) const;
  template <class T>
  std::pair<int64_t, int64_t> offsets(int64_t i) const {
    const auto* all = static_cast<const T*>(array->buffers[1]) + array->offset;
    const T begin = all[i], end = all[i + 1];
    PENSTOCK_CHECK(begin >= 0 && begin >= all[0] && begin <= end && end <= all[array->length], DataError,
                   "the table is damaged: offsets lead from {} to {}, of {}", begin, end, all[array->length]);
    return {begin, end};
  }
};

void Column::Node::take_format(std::string_view format) {
  for (const Named& one : kFormats)
    if (one.format == format) {
      kind = one.kind, dtype = one.dtype;
      return;
    }
  if (format.starts_with("ts") && format.size() >= 4) {
    kind = Kind::kNumber, dtype = DType::kInt64;
  } else if (format.starts_with("w:")) {
    kind = Kind::kFixedBytes, dtype = DType::kUInt8, width = width_from(format);
  } else if (format.starts_with("+w:")) {
    kind = Kind::kFixedList, width = width_from(format);
  } else if (format == "+s") {
    kind = Kind::kFile, dtype = DType::kUInt8;
  } else {
    fail<DataError>("its type (Arrow's \"{}\") makes no tensor; numbers, texts, bytes and lists of numbers do",
                    format.substr(0, 30));
  }
}

void Column::Node::check_buffers(int64_t needed) const {
  PENSTOCK_CHECK(array->length >= 0 && array->offset >= 0 && array->n_buffers == needed && array->buffers != nullptr,
                 DataError, "the table is damaged: a column of {} buffers where its type has {}", array->n_buffers,
                 needed);
  const bool holds_nothing = array->length == 0 || needed < 2 || (kind == Kind::kFixedBytes && width == 0);
  PENSTOCK_CHECK(holds_nothing || array->buffers[1] != nullptr, DataError,
                 "the table is damaged: a column lacks its values");
}

Column::Node::Node(const ArrowSchema& schema, const ArrowArray& from, int depth) : array(&from) {
  constexpr int kMostLists = 6;
  PENSTOCK_CHECK(schema.format != nullptr && schema.dictionary == nullptr, DataError,
                 "a column of a dictionary; it should have been decoded");
  PENSTOCK_CHECK(depth <= kMostLists, DataError, "lists within lists, more than {} deep", kMostLists);
  take_format(schema.format);
  check_buffers(has_offsets() ? 3 : kind == Kind::kFixedList || kind == Kind::kFile ? 1 : 2);
  const int64_t children = kind == Kind::kFile ? 2 : is_list() ? 1 : 0;
  PENSTOCK_CHECK(schema.n_children == children && from.n_children == children, DataError,
                 "a column of {} parts; of those with parts only lists and files (bytes and path) make tensors",
                 schema.n_children);
  if (children == 0) return;
  child = std::make_unique<Node>(*schema.children[0], *from.children[0], depth + 1);
  if (kind == Kind::kFile) {
    path = std::make_unique<Node>(*schema.children[1], *from.children[1], depth + 1);
    PENSTOCK_CHECK(depth == 0 && child->has_offsets() && path->has_offsets(), DataError,
                   "a file is bytes and a path; it has other parts");
    PENSTOCK_CHECK(from.offset + from.length <= std::min(child->array->length, path->array->length), DataError,
                   "the table is damaged: its columns have other lengths than it");
    return;
  }
  PENSTOCK_CHECK(child->is_list() || child->is_number(), DataError,
                 "lists of texts, bytes or files make no tensor; name a column of numbers");
  if (kind == Kind::kFixedList)
    PENSTOCK_CHECK(width == 0 || from.offset + from.length <= child->array->length / width, DataError,
                   "the table is damaged: its lists have fewer elements than they should");
}

std::pair<int64_t, int64_t> Column::Node::lists(int64_t begin, int64_t end, bool outermost, Shape& shape) const {
  PENSTOCK_CHECK(outermost || !any_null(begin, end), DataError, "a list within a list is null: it makes no tensor");
  if (begin == end) {
    shape.push_back(width);
    return {0, 0};
  }
  const int64_t first = bounds(begin).first;
  int64_t last = first, count = -1;
  for (int64_t i = begin; i < end; ++i) {
    const auto [from, to] = bounds(i);
    const int64_t size = kind != Kind::kFixedList && is_null(i) ? 0 : to - from;
    PENSTOCK_CHECK(count < 0 || size == count, DataError,
                   "lists of {} and of {} elements in one cell: they make no tensor", count, size);
    count = size, last = from + size;
  }
  shape.push_back(count);
  return {first, last};
}

Column::Column(ArrowColumn column) : column_(std::move(column)) {
  PENSTOCK_CHECK(column_.schema().format != nullptr && column_.array().release != nullptr, DataError,
                 "the table gave no column");
  root_ = std::make_unique<Node>(column_.schema(), column_.array(), 0);
  leaf_ = root_.get();
  while (leaf_->is_list()) leaf_ = leaf_->child.get();
}

// A move takes the arrays of the column along, to which the nodes point below the first; the first is found anew.
Column::Column(Column&& other) noexcept
    : column_(std::move(other.column_)), root_(std::move(other.root_)), leaf_(other.leaf_) {
  root_->array = &column_.array();
}
Column& Column::operator=(Column&& other) noexcept {
  column_ = std::move(other.column_), root_ = std::move(other.root_), leaf_ = other.leaf_;
  root_->array = &column_.array();
  return *this;
}
Column::~Column() = default;

int64_t Column::length_at(int64_t row) const {
  const Cell cell = at(row);
  if (cell.desc.shape.ndim() > 0) return cell.desc.shape[0];
  return dispatch_all(cell.desc.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    T value{};
    write(cell, 0, reinterpret_cast<std::byte*>(&value));
    return convert_sat<int64_t>(value);
  });
}

bool Column::is_bytes() const { return !leaf_->is_number() && leaf_ == root_.get(); }

bool Column::has_nulls(const Cell& cell) const {
  return cell.is_null || (leaf_->is_number() && leaf_->any_null(cell.first, cell.first + cell.desc.shape.volume()));
}

Cell Column::at(int64_t row) const {
  PENSTOCK_CHECK(row >= 0 && row < rows(), IndexError, "row {} of {}", row, rows());
  const Node* node = root_.get();
  Cell cell;
  cell.is_null = node->is_null(row);
  int64_t begin = row, end = row + 1;
  if (node->kind == Kind::kFile) {
    const int64_t i = node->array->offset + row;
    const bool has_path = !cell.is_null && node->child->is_null(i) && !node->path->is_null(i);
    cell.is_null = cell.is_null || node->child->is_null(i);
    if (has_path) {
      const auto [from, to] = node->path->bounds(i);
      if (to > from)
        cell.path = {static_cast<const char*>(node->path->array->buffers[2]) + from, static_cast<size_t>(to - from)};
    }
    node = node->child.get();
    begin = i, end = i + 1;
  }
  Shape shape;
  for (bool outermost = true; node->is_list(); node = node->child.get(), outermost = false) {
    const std::pair<int64_t, int64_t> all = node->lists(begin, end, outermost, shape);
    PENSTOCK_CHECK(all.second <= node->child->array->length, DataError,
                   "the table is damaged: a list ends at element {}, of {}", all.second, node->child->array->length);
    begin = all.first, end = all.second;
  }
  cell.data = static_cast<const std::byte*>(node->array->buffers[node->has_offsets() ? 2 : 1]);
  cell.first = begin;
  if (node->is_bytes()) {
    const auto [from, to] = cell.is_null ? std::pair<int64_t, int64_t>(0, 0) : node->bounds(begin);
    PENSTOCK_CHECK(cell.data != nullptr || from == to, DataError, "the table is damaged: a column lacks its bytes");
    cell.first = from;
    shape.push_back(to - from);
  }
  cell.desc = {node->dtype, shape, {}};
  return cell;
}

void Column::prefetch_place(int64_t row) const noexcept {
  if (row < 0 || row >= rows()) return;
  const bool is_file = root_->kind == Kind::kFile;
  const Node& node = is_file ? *root_->child : *root_;
  const int64_t at = node.array->offset + row + (is_file ? root_->array->offset : 0);
  const size_t each = node.kind == Kind::kNumber ? size_of(node.dtype) : node.kind == Kind::kLargeBytes ? 8 : 4;
  if (node.kind == Kind::kNumber || node.has_offsets())
    __builtin_prefetch(static_cast<const std::byte*>(node.array->buffers[1]) + static_cast<size_t>(at) * each);
}

void Column::prefetch_bytes(int64_t row) const noexcept {
  constexpr int64_t kLine = 64, kFirst = 1024;  // as the processor sees from then on that it is read in order
  if (row < 0 || row >= rows()) return;
  const bool is_file = root_->kind == Kind::kFile;
  const Node& node = is_file ? *root_->child : *root_;
  if (!node.has_offsets()) return;
  try {
    const auto [begin, end] = node.bounds(row + (is_file ? root_->array->offset : 0));
    const auto* data = static_cast<const std::byte*>(node.array->buffers[2]);
    for (int64_t at = begin; at < std::min(end, begin + kFirst); at += kLine) __builtin_prefetch(data + at);
  } catch (const DataError&) {
    // Reading the cell says so.
  }
}

void Column::write(const Cell& cell, double fill, std::byte* out) const {
  const int64_t count = cell.desc.shape.volume();
  if (count == 0) return;
  const ArrowArray& leaf = *leaf_->array;
  if (leaf_->kind == Kind::kBits) {
    for (int64_t i = 0; i < count; ++i) reinterpret_cast<bool*>(out)[i] = bit(cell.data, leaf.offset + cell.first + i);
  } else {
    const int64_t from = cell.first + (leaf_->kind == Kind::kNumber ? leaf.offset : 0);
    const auto each = static_cast<int64_t>(size_of(cell.desc.dtype));
    std::memcpy(out, cell.data + from * each, static_cast<size_t>(count * each));
  }
  if (has_nulls(cell))
    dispatch_all(cell.desc.dtype, [&](auto tag) {
      using T = typename decltype(tag)::type;
      for (int64_t i = 0; i < count; ++i)
        if (cell.is_null || leaf_->is_null(cell.first + i)) reinterpret_cast<T*>(out)[i] = convert_sat<T>(fill);
    });
}

}  // namespace penstock
