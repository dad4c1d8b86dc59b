#include <sys/stat.h>

#include <system_error>

#include "core/check.h"
#include "core/whole_file.h"
#include "readers/records/record_reader.h"
#include "readers/tfrecord/example.h"
#include "readers/tfrecord/framing.h"
#include "schema/registry.h"

namespace penstock {
namespace {

struct TFRecordArgs : RecordArgs {
  std::vector<std::string> path;
  std::optional<std::vector<std::string>> index_path;
  Dict features;
  bool check_crc = false;
  bool save_index = false;
};

/// Whether there is an index in `path` that was written for the file as it is now.
std::optional<std::vector<Place>> saved_index(const std::string& path, const PosixFile& file) {
  struct stat of_index {
  }, of_file{};
  if (::stat(path.c_str(), &of_index) != 0 || ::fstat(file.fd(), &of_file) != 0) return {};
  const auto time = [](const struct stat& status) { return std::pair(status.st_mtim.tv_sec, status.st_mtim.tv_nsec); };
  if (time(of_index) < time(of_file)) return {};
  std::vector<Place> places = parse_tfrecord_index(PosixFile::open_named(path).text());
  if (places.back().begin + places.back().size != file.size()) return {};
  return places;
}

void save(const std::string& path, const std::string& text) {
  const int error = write_whole_file(path, {text});
  PENSTOCK_CHECK(error == 0, ArgumentError,
                 "cannot write the index {}: {}; leave `save_index` out to keep it in memory", path,
                 std::generic_category().message(error));
}

class TFRecordReader : public RecordReader<TFRecordArgs, std::vector<FeatureValues>> {
 public:
  void setup() override {
    for (const auto& [name, text] : constants().features) features_.push_back(parse_feature(name, text));
    RecordReader::setup();
  }

  void infer(Sample& s) const override {
    const Record record = take(s);
    naming_source([&] { return std::string(s.out(0).source); },
                  [&] {
                    std::vector<FeatureValues>& found = state(s);
                    found.resize(features_.size());
                    find_features(unframe(record.bytes, constants().check_crc), features_, found);
                    for (size_t i = 0; i < found.size(); ++i)
                      describe(s.out(static_cast<int>(i)), features_[i], found[i]);
                  });
  }

  void run(Sample& s) const override {
    for (size_t i = 0; i < features_.size(); ++i) {
      const TensorView& out = s.out(static_cast<int>(i)).tensor;
      if (features_[i].type == FeatureType::kFloat)
        write<float>(out, features_[i], state(s)[i]);
      else if (features_[i].type == FeatureType::kInt64)
        write<int64_t>(out, features_[i], state(s)[i]);
    }
  }

 protected:
  void check_args() const override {
    const TFRecordArgs& a = constants();
    PENSTOCK_CHECK(!a.index_path || a.index_path->size() == a.path.size(), ArgumentError,
                   "Number of index files needs to match the number of data files: got {} of `index_path`, {} of "
                   "`path`; without `index_path` the index is made from the files",
                   a.index_path->size(), a.path.size());
    PENSTOCK_CHECK(!a.index_path || !a.save_index, ArgumentError,
                   "`save_index` writes an index beside each file; leave `index_path` out");
  }

  RecordFiles open() const override {
    const TFRecordArgs& a = constants();
    return {a.path, a.in_place(), [&](size_t i, const PosixFile& file) { return list(i, file); }};
  }

 private:
  std::vector<Place> list(size_t i, const PosixFile& file) const {
    const TFRecordArgs& a = constants();
    if (a.index_path) {
      const std::string& path = (*a.index_path)[i];
      std::vector<Place> places;
      naming_source([&] { return path; }, [&] { places = parse_tfrecord_index(PosixFile::open_named(path).text()); });
      return places;
    }
    const std::string beside = a.path[i] + ".idx";
    if (a.save_index)
      if (auto places = saved_index(beside, file)) return std::move(*places);
    std::vector<Place> places = list_tfrecords(file, a.check_crc);
    if (a.save_index) save(beside, write_tfrecord_index(places));
    return places;
  }

  static void describe(Value& out, const Feature& feature, const FeatureValues& values) {
    PENSTOCK_CHECK(values.count == 0 || values.type == feature.type, DataError,
                   "feature \"{}\" holds {} values, {} was asked for", feature.name, name_of(values.type),
                   name_of(feature.type));
    if (feature.type == FeatureType::kString) {
      const std::string_view text = first_string(values);
      return share_bytes(out, text, {static_cast<int64_t>(text.size())}, {});
    }
    out.tensor = {{feature.dtype(), shape_of(feature, values.count), {}}};
  }

  static Shape shape_of(const Feature& feature, int64_t count) {
    std::vector<int64_t> extents = feature.extents;
    int64_t row = 1;
    for (const int64_t extent : extents) row *= extent;
    if (feature.variable) {
      PENSTOCK_CHECK(count % row == 0, DataError,
                     "Feature size not matching partial shape: feature \"{}\" has {} values, a row has {}",
                     feature.name, count, row);
      extents.insert(extents.begin(), count / row);
    } else if (count == 0 && !extents.empty()) {
      extents[0] = 0;  // the record has none
    } else {
      PENSTOCK_CHECK(count == row || count == 0, DataError, "feature \"{}\" has {} values, its shape takes {}",
                     feature.name, count, row);
    }
    return Shape(extents);
  }

  template <class T>
  static void write(const TensorView& out, const Feature& feature, const FeatureValues& values) {
    if (values.count > 0) return copy_values(values, out.as<T>());
    if (out.shape.volume() == 1) *out.as<T>() = static_cast<T>(feature.fallback);
  }

  std::vector<Feature> features_;
};

}  // namespace

[[gnu::cold]] void register_tfrecord(Registry& r) {
  auto op = r.add<TFRecordReader>("readers.tfrecord");
  op.doc(
      "Reads TFRecord files of TensorFlow's Examples. There is an output for each entry of `features`, in a dict of "
      "the "
      "same names: numbers in their shape, strings as bytes. A feature that a record lacks is an empty tensor; where "
      "its shape is that of one number, it is the feature's default.");
  op.output("features",
            "int64 or float32 in the shape asked for, or uint8 of one dimension, the first of the strings.");
  op.outputs_by("features");
  op.arg("path", &TFRecordArgs::path, "Path of the TFRecord file, or a list that is read one after the other.",
         kRequired);
  op.arg("index_path", &TFRecordArgs::index_path,
         "An index for each file, as the script `tfrecord2idx` writes it. Without it the index is made when the data "
         "set is opened, by reading the length of each record.");
  op.arg(
      "features", &TFRecordArgs::features,
      "Names of features and what they hold: `FixedLenFeature` and `VarLenFeature` of `penstock.tfrecord`, or texts "
      "such as \"string[]\", \"int64[2, 3]\", \"float32[..., 4]\" (as many rows of 4 as there are) and \"int64[]=7\" "
      "(one number, by default 7).",
      kRequired);
  op.arg("check_crc", &TFRecordArgs::check_crc, "Compare each record with its checksum.");
  op.arg("save_index", &TFRecordArgs::save_index,
         "Keep the index that is made in a file beside each TFRecord file, called as that with \".idx\" behind it, and "
         "read it from there as long as it is not older.");
  op.example({{"path", ExampleData{"tfrecord"}}, {"features", Dict{{"image", "string[]"}, {"label", "int64[]"}}}});
  op.alias("tfrecord_reader");
  add_record_args(op);
}

}  // namespace penstock
