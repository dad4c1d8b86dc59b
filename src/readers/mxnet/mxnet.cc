#include <cstring>

#include "core/check.h"
#include "readers/mxnet/recordio.h"
#include "readers/records/record_reader.h"
#include "schema/registry.h"

namespace penstock {
namespace {

struct MxnetArgs : RecordArgs {
  std::vector<std::string> path;
  std::optional<std::vector<std::string>> index_path;
};

class MxnetReader : public RecordReader<MxnetArgs, ImageRecord> {
 public:
  void infer(Sample& s) const override {
    const Record record = take(s);
    naming_source([&] { return std::string(s.out(0).source); },
                  [&] {
                    const auto room = [&](size_t n) { return s.scratch_array<char>(n); };
                    const ImageRecord& image = state(s) = parse_image_record(join_parts(record.bytes, room));
                    share_bytes(s.out(0), image.image, {static_cast<int64_t>(image.image.size())}, {});
                    const size_t labels = image.labels.size() / sizeof(float);
                    s.out(1).tensor = {{DType::kFloat, {labels == 0 ? 1 : static_cast<int64_t>(labels)}, {}}};
                  });
  }

  void run(Sample& s) const override {
    const ImageRecord& image = state(s);
    auto* out = s.out(1).tensor.as<float>();
    if (image.labels.empty())
      *out = image.label;
    else
      std::memcpy(out, image.labels.data(), image.labels.size());
  }

 protected:
  void check_args() const override {
    const MxnetArgs& a = constants();
    PENSTOCK_CHECK(!a.index_path || a.index_path->size() == a.path.size(), ArgumentError,
                   "Number of index files needs to match the number of data files: got {} of `index_path`, {} of "
                   "`path`; without `index_path` the index is made from the files",
                   a.index_path->size(), a.path.size());
  }

  RecordFiles open() const override {
    const MxnetArgs& a = constants();
    return {a.path, a.in_place(), [&](size_t i, const PosixFile& file) {
              if (!a.index_path) return list_recordio(file);
              const std::string& path = (*a.index_path)[i];
              std::vector<Place> places;
              naming_source([&] { return path; },
                            [&] { places = parse_recordio_index(PosixFile::open_named(path).text(), file.size()); });
              return places;
            }};
  }
};

}  // namespace

[[gnu::cold]] void register_mxnet(Registry& r) {
  auto op = r.add<MxnetReader>("readers.mxnet");
  op.doc(
      "Reads MXNet's RecordIO files of pictures with labels. Large pictures stay where they are in the mapped file "
      "until "
      "a decoder reads them (`dont_use_mmap`).");
  op.output("images", "uint8: an encoded file of one dimension.");
  op.output("labels", "float, one dimension: the record's labels.");
  op.arg("path", &MxnetArgs::path, "Path of the RecordIO file, or a list that is read one after the other.", kRequired);
  op.arg("index_path", &MxnetArgs::index_path,
         "An index (.idx) for each file; records come in the order of their offsets. Without it the index is made when "
         "the data set is opened, by reading the length of each record.");
  op.example({{"path", ExampleData{"recordio"}}});
  op.alias("mxnet_reader");
  add_record_args(op);
}

}  // namespace penstock
