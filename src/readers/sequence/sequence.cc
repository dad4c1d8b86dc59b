#include <optional>

#include "codec/codec.h"
#include "core/check.h"
#include "readers/file/file_set.h"
#include "readers/fingerprint.h"
#include "readers/reader.h"
#include "schema/registry.h"

namespace penstock {
namespace {

struct SequenceArgs : ReaderArgs {
  std::string file_root;
  int64_t sequence_length = 1, step = 1, stride = 1;
  ImageType image_type = ImageType::kRGB;
};

/// Frames in files, and where sequences of them begin.
class Sequences {
 public:
  Sequences(const SequenceArgs& a, FileList list, std::string_view where)
      : files_(std::move(list), where), length_(a.sequence_length), stride_(a.stride) {
    const FileList& all = files_.list();
    for (int64_t first = 0, end = 0; first < all.size(); first = end) {
      while (end < all.size() && all.label(end) == all.label(first)) ++end;
      const int64_t frames = end - first;
      if (length_ > 1 && stride_ > (frames - 1) / (length_ - 1)) continue;  // shorter than a sequence
      const int64_t last = end - 1 - (length_ - 1) * stride_;
      for (int64_t begin = first; begin <= last; begin += a.step) {
        begins_.push_back(begin);
        if (a.step > last - begin) break;
      }
    }
    PENSTOCK_CHECK(!begins_.empty(), ArgumentError,
                   "no directory below `file_root` (\"{}\") has the frames of a sequence: {} of them, {} apart",
                   a.file_root, length_, stride_);
  }
  const FileSet& files() const { return files_; }
  int64_t size() const { return static_cast<int64_t>(begins_.size()); }
  int64_t length() const { return length_; }
  /// The file of a frame.
  int64_t frame(int64_t sequence, int64_t k) const { return begins_[static_cast<size_t>(sequence)] + k * stride_; }
  void will_need(int64_t sequence) const {
    for (int64_t k = 0; k < length_; ++k) files_.will_need(frame(sequence, k));
  }
  uint64_t fingerprint() const {
    Fingerprint all;
    all.add(files_.fingerprint());
    for (const int64_t number : {length_, stride_, size()}) all.add(static_cast<uint64_t>(number));
    return all.value();
  }

 private:
  FileSet files_;
  int64_t length_, stride_;
  std::vector<int64_t> begins_;
};

struct SequenceState {
  codec::Decoder decoder;
  codec::Info info;
  std::vector<uint8_t> bytes;
};

class SequenceReader : public ReaderOperator<SequenceArgs, Sequences, SequenceState> {
 public:
  void infer(Sample& s) const override {
    SequenceState& state = this->state(s);
    s.out(0).source = data().files().list().path(data().frame(index(s), 0));
    read(s, 0, state);
    const TensorDesc frame = codec::describe(state.info, request());
    Shape shape = frame.shape;
    shape.insert(0, data().length());
    s.out(0).tensor = {{frame.dtype, shape, "FHWC"}};
  }

  std::string place(int64_t index, std::string_view name) const override {
    const FileList& list = data().files().list();
    const int64_t first = data().frame(index, 0);
    return list.path(first) == name ? list.full_path(first) : std::string();
  }

  /// infer has read the first frame.
  void run(Sample& s) const override {
    SequenceState& state = this->state(s);
    const TensorView& out = s.out(0).tensor;
    const size_t bytes = out.nbytes() / static_cast<size_t>(data().length());
    for (int64_t k = 0; k < data().length(); ++k) {
      if (k > 0) read(s, k, state);
      naming_frame(s, k, [&] {
        const TensorDesc frame = codec::describe(state.info, request());
        PENSTOCK_CHECK(frame.nbytes() == bytes && frame.shape[0] == out.shape[1] && frame.shape[1] == out.shape[2],
                       DataError, "a frame of {}, where the first one of its sequence is {} x {} x {}",
                       to_string(frame.shape), out.shape[1], out.shape[2], out.shape[3]);
        state.decoder.decode(state.bytes, state.info, codec::whole(state.info, request()),
                             out.data + static_cast<size_t>(k) * bytes);
      });
    }
  }

 protected:
  void check_args() const override {
    const SequenceArgs& a = constants();
    for (const auto& [name, value] :
         {std::pair("sequence_length", a.sequence_length), {"step", a.step}, {"stride", a.stride}})
      PENSTOCK_CHECK(value > 0, ArgumentError, "`{}` must be positive, got {}", name, value);
    PENSTOCK_CHECK(a.image_type >= ImageType::kRGB && a.image_type <= ImageType::kAnyData, ArgumentError,
                   "unknown image_type {}", static_cast<int>(a.image_type));
  }

  Sequences open() const override {
    const SequenceArgs& a = constants();
    return {a, FileList::scan(a.file_root, {.files = usual_file_filters()}),
            fmt::format("there is no picture in those directories directly below `file_root` (\"{}\")", a.file_root)};
  }

 private:
  codec::Request request() const { return {.type = constants().image_type}; }

  template <class Action>
  void naming_frame(Sample& s, int64_t k, Action&& action) const {
    const int64_t file = data().frame(index(s), k);
    naming_source([&] { return data().files().list().full_path(file); }, std::forward<Action>(action));
  }

  void read(Sample& s, int64_t k, SequenceState& state) const {
    naming_frame(s, k, [&] {
      const PosixFile file = data().files().open(data().frame(index(s), k));
      state.bytes.resize(static_cast<size_t>(file.size()));
      file.read(std::as_writable_bytes(std::span(state.bytes)));
      state.info = codec::peek(state.bytes);
    });
  }
};

}  // namespace

[[gnu::cold]] void register_sequence(Registry& r) {
  auto op = r.add<SequenceReader>("readers.sequence");
  op.doc(
      "Reads and decodes sequences of frames that lie in files of their own: each directory directly below a root "
      "holds "
      "one video, whose frames are ordered by name. Sequences do not go from one directory to the next.");
  op.output("frames", "UINT8 with the layout FHWC.");
  op.arg("file_root", &SequenceArgs::file_root, "Directory of the videos' directories.", kRequired);
  op.arg("sequence_length", &SequenceArgs::sequence_length, "Frames of a sequence.", kRequired);
  op.arg("step", &SequenceArgs::step, "Frames from the first one of a sequence to that of the next.");
  op.arg("stride", &SequenceArgs::stride, "Frames from one of a sequence to the next.");
  op.arg("image_type", &SequenceArgs::image_type, "Colour space of the result.");
  op.ignored("dont_use_mmap", ArgType::kBool, "Files are read, not mapped.");
  op.example({{"file_root", ExampleData{"frames"}}, {"sequence_length", 3}, {"step", 2}});
  op.alias("sequence_reader");
  add_reader_args(op);
}

}  // namespace penstock
