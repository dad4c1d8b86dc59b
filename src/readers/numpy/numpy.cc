#include <algorithm>
#include <array>
#include <atomic>

#include "codec/npy.h"
#include "core/check.h"
#include "core/convert.h"
#include "core/dispatch.h"
#include "readers/file/file_set.h"
#include "readers/numpy/roi.h"
#include "readers/reader.h"
#include "schema/registry.h"

namespace penstock {
namespace {

struct NumpyArgs : ReaderArgs, RoiArgs {
  std::optional<std::string> file_root, file_list;
  std::optional<std::vector<std::string>> files;
  std::string file_filter = "*.npy";
  std::string out_of_bounds_policy = "error";
  float fill_value = 0;
};

struct OpenArray {
  PosixFile file;
  npy::Header header;
  RoiWindow window;
};

/// Reads a block of an array that lies in a file with the last axis quickest, piece by piece.
class BlockReader {
 public:
  BlockReader(const PosixFile& file, const npy::Header& header, Sample& s) : file_(file), header_(header), sample_(s) {
    size_ = size_of(header.dtype);
    strides_ = npy::dense_strides(header.shape, size_, header.fortran);
  }
  void read(const RoiWindow& window, std::byte* out) {
    to_strides_ = npy::dense_strides(window.output, size_, false);
    int64_t begin = static_cast<int64_t>(header_.data), at = 0;
    for (size_t axis = 0; axis < static_cast<size_t>(window.extent.ndim()); ++axis) {
      if (window.extent[static_cast<int>(axis)] == 0) return;
      begin += window.begin[static_cast<int>(axis)] * strides_[axis];
      at += window.at[static_cast<int>(axis)] * to_strides_[axis];
    }
    if (window.extent == header_.shape && !window.padded() && !header_.fortran)
      return file_.read({out, static_cast<size_t>(window.extent.volume()) * size_}, begin);
    read_part(window.extent, 0, begin, out + at);
  }

 private:
  /// As one piece, unless that brings much that is not wanted: then row by row of the slowest axis that is left.
  void read_part(Shape extent, int depth, int64_t begin, std::byte* out) {
    constexpr size_t kPiece = size_t{64} << 10;
    const size_t piece = std::max(kPiece, static_cast<size_t>(file_.piece()));
    size_t span = size_, wanted = size_;
    for (int axis = 0; axis < extent.ndim(); ++axis) {
      span += static_cast<size_t>((extent[axis] - 1) * strides_[static_cast<size_t>(axis)]);
      wanted *= static_cast<size_t>(extent[axis]);
    }
    if (depth == extent.ndim() || span <= std::max(piece, wanted + wanted / 4)) {
      std::byte* read = room(span);
      file_.read({read, span}, begin);
      return npy::copy_block(extent, size_, out, to_strides_, read, strides_);
    }
    const int axis = header_.fortran ? extent.ndim() - 1 - depth : depth;
    const int64_t rows = extent[axis];
    extent[axis] = 1;
    for (int64_t i = 0; i < rows; ++i)
      read_part(extent, depth + 1, begin + i * strides_[static_cast<size_t>(axis)],
                out + i * to_strides_[static_cast<size_t>(axis)]);
  }
  std::byte* room(size_t bytes) {
    if (bytes > room_.size()) room_ = {sample_.scratch(bytes), bytes};
    return room_.data();
  }

  const PosixFile& file_;
  const npy::Header& header_;
  Sample& sample_;
  size_t size_;
  npy::Strides strides_, to_strides_{};
  std::span<std::byte> room_;
};

class NumpyReader : public ReaderOperator<NumpyArgs, FileSet, OpenArray> {
 public:
  NumpyReader() {
    traits_.makes_regions = true;
    traits_.region_axes = kAnyAxis;
  }
  void setup() override {
    policy_ = out_of_bounds_from(constants().out_of_bounds_policy);
    takes_parts_ = constants().any() || !spec().arg_inputs.empty();
    ReaderOperator::setup();
  }

  void infer(Sample& s) const override {
    OpenArray& open = state(s);
    const int64_t number = index(s);
    Value& out = s.out(0);
    out.source = data().list().path(number);
    naming_source([&] { return data().list().full_path(number); },
                  [&] {
                    open.file = data().open(number, takes_parts());
                    open.header = read_header(open.file);
                    open.window = window_of(s, open.header.shape);
                    out.tensor = {{open.header.dtype, open.window.output, {}}};
                  });
  }

  /// Where windows take parts of arrays, a whole file would be brought into memory for little of it.
  void will_need(int64_t index) const noexcept override {
    if (!takes_parts()) return ReaderOperator::will_need(index);
    try {
      data().will_need(index, true);
    } catch (const Error&) {
      // The read itself will meet the same error, in a place where it can be reported.
    }
  }

  std::string place(int64_t index, std::string_view name) const override {
    return data().list().path(index) == name ? data().list().full_path(index) : std::string();
  }

  void run(Sample& s) const override {
    OpenArray& open = state(s);
    const Value& out = s.out(0);
    const RoiWindow window = open.window.within(out.held);
    takes_parts_.store(window.extent.volume() < open.header.shape.volume() / 2, std::memory_order_relaxed);
    if (window.padded()) fill({cut(out.tensor, out.held), out.tensor.data});
    naming_source([&] { return data().list().full_path(index(s)); },
                  [&] { BlockReader(open.file, open.header, s).read(window, out.tensor.data); });
    open.file = PosixFile();
  }

 protected:
  void check_args() const override {
    const NumpyArgs& a = constants();
    PENSTOCK_CHECK(a.file_root || a.files || a.file_list, ArgumentError,
                   "`file_root` argument is required when not using `files` or `file_list`.");
    PENSTOCK_CHECK(!a.files || !a.file_list, ArgumentError,
                   "File paths can be provided through `files` or `file_list` but not both.");
    a.check();
  }

  FileSet open() const override {
    const NumpyArgs& a = constants();
    if (a.files) return {FileList::of(*a.files, {}, a.file_root.value_or("")), "`files` is empty"};
    if (a.file_list)
      return {FileList::parse_unlabelled(*a.file_list, a.file_root),
              fmt::format("`file_list` (\"{}\") names none", *a.file_list)};
    return {FileList::scan_unlabelled(*a.file_root, a.file_filter),
            fmt::format("there is none that matches `file_filter` (\"{}\") in `file_root` (\"{}\") and the directories "
                        "directly below it",
                        a.file_filter, *a.file_root)};
  }

 private:
  static npy::Header read_header(const PosixFile& file) {
    constexpr size_t kUsual = 256;  // NumPy's headers have 128 bytes
    std::array<char, kUsual> head;
    std::string longer;
    const auto read = [&](std::span<char> bytes) {
      file.read(std::as_writable_bytes(bytes));
      return std::string_view(bytes.data(), bytes.size());
    };
    const auto size = static_cast<size_t>(file.size());
    std::string_view text = read(std::span(head).first(std::min(kUsual, size)));
    const size_t needed = std::min(npy::header_size(text), size);
    if (needed > text.size()) longer.resize(needed), text = read(longer);
    return npy::parse_header(text, size);
  }

  RoiWindow window_of(const Sample& s, const Shape& shape) const {
    const RoiArgs& given = constants();
    if (s.num_arg_inputs() == 0) return roi_window(given, shape, policy_);
    const RoiArgs both = given.with(args(s));
    both.check();
    return roi_window(both, shape, policy_);
  }

  void fill(const TensorView& out) const {
    dispatch_all(out.dtype, [&](auto tag) {
      using T = typename decltype(tag)::type;
      std::fill_n(out.as<T>(), out.shape.volume(), convert_sat<T>(constants().fill_value));
    });
  }

  bool takes_parts() const { return takes_parts_.load(std::memory_order_relaxed); }

  OutOfBounds policy_ = OutOfBounds::kError;
  mutable std::atomic<bool> takes_parts_{false};  // the sample that was read last did; before: it may be asked to
};

}  // namespace

[[gnu::cold]] void register_numpy(Registry& r) {
  auto op = r.add<NumpyReader>("readers.numpy");
  op.doc(
      "Reads arrays from NumPy's files (.npy), whole or a region of each. Arrays in Fortran order come in C order. Of "
      "a "
      "region little more is read than what lies in it.");
  op.output("array", "The array in its own type and shape, or in that of the region.");
  op.arg("file_root", &NumpyArgs::file_root,
         "Directory that paths start from. Without `files` and `file_list`, all matching files in it and in the "
         "directories directly below it are read.");
  op.arg(
      "file_list", &NumpyArgs::file_list,
      "Text file with a path in each line. Relative paths start from `file_root`, or from the directory of the list.");
  op.arg("files", &NumpyArgs::files, "Paths of the files, in the order of the data set.");
  op.arg("file_filter", &NumpyArgs::file_filter, "Pattern that names of files must match in a directory scan.");
  op.arg("roi_start", &RoiArgs::roi_start, "Where the region begins, in elements, one value for each axis or for all.",
         kPerSample);
  op.arg("rel_roi_start", &RoiArgs::rel_roi_start, "The same as a part of the array's extent.", kPerSample);
  op.arg("roi_end", &RoiArgs::roi_end,
         "Where the region ends (the first element behind it); by default with the array.", kPerSample);
  op.arg("rel_roi_end", &RoiArgs::rel_roi_end, "The same as a part of the array's extent.", kPerSample);
  op.arg("roi_shape", &RoiArgs::roi_shape, "Extent of the region, in place of its end.", kPerSample);
  op.arg("rel_roi_shape", &RoiArgs::rel_roi_shape, "The same as a part of the array's extent.", kPerSample);
  op.arg("roi_axes", &RoiArgs::roi_axes, "The axes that the region is given for, in that order; by default all.");
  op.arg(
      "out_of_bounds_policy", &NumpyArgs::out_of_bounds_policy,
      "What happens to a region that is partly outside: \"error\", \"pad\" (with `fill_value`) or \"trim_to_shape\".");
  op.arg("fill_value", &NumpyArgs::fill_value, "Value outside of the array.");
  op.ignored("cache_header_information", ArgType::kBool, "A header is read with the file's first bytes.");
  op.ignored("dont_use_mmap", ArgType::kBool, "Files are read, not mapped.");
  op.ignored("use_o_direct", ArgType::kBool, "Files are read through the system's cache.");
  op.ignored("register_buffers", ArgType::kBool, "Nothing is read past the host.");
  op.example({{"file_root", ExampleData{"arrays"}}, {"roi_start", {1, 0}}, {"roi_shape", {2, 3}}});
  op.alias("numpy_reader");
  add_reader_args(op);
}

}  // namespace penstock
