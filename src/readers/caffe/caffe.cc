#include "core/check.h"
#include "readers/caffe/datum.h"
#include "readers/lmdb/lmdb_reader.h"
#include "schema/registry.h"
#include "schema/take_constant.h"

namespace penstock {
namespace {

struct CaffeArgs : LmdbArgs {
  bool label_available = true;
};

class CaffeReader : public LmdbReader<CaffeArgs, Datum> {
 public:
  void infer(Sample& s) const override {
    const LmdbRecord record = take(s);
    naming_source([&] { return std::string(s.out(0).source); },
                  [&] {
                    Datum& datum = state(s) = parse_datum(record.value);
                    if (constants().image_available) share_image(s.out(0), datum);
                    if (constants().label_available)
                      s.out(s.num_outputs() - 1).tensor = {{DType::kInt32, {datum.label ? 1 : 0}, {}}};
                  });
  }

  void run(Sample& s) const override {
    if (constants().label_available && state(s).label)
      *s.out(s.num_outputs() - 1).tensor.as<int32_t>() = *state(s).label;
  }

 protected:
  void check_args() const override {
    PENSTOCK_CHECK(constants().image_available || constants().label_available, ArgumentError,
                   "nothing is to be read: neither image nor label");
  }

 private:
  static void share_image(Value& out, const Datum& datum) {
    PENSTOCK_CHECK(!datum.data.empty(), DataError, "the record's image is empty");
    if (datum.raw) return share_pixels(out, datum.data, {datum.height, datum.width, datum.channels});
    share_bytes(out, datum.data, {static_cast<int64_t>(datum.data.size())}, {});
  }
};

int count_outputs(const OpSpec& spec) {
  const auto available = [&](const char* name) {
    bool value = true;
    take_constant(spec, name, value);
    return value;
  };
  return available("image_available") + available("label_available");
}

}  // namespace

[[gnu::cold]] void register_caffe(Registry& r) {
  auto op = r.add<CaffeReader>("readers.caffe");
  op.doc(
      "Reads Caffe LMDB databases: images, encoded or as pixels, with a label. Large images stay where they are in the "
      "mapped file until a decoder reads them (`dont_use_mmap`).");
  op.output(
      "images",
      "uint8: an encoded file, of one dimension; of a record that says encoded=false its bytes as they are, under the "
      "shape (height, width, channels) and without a layout. Caffe's own tools write planes: `reshape` with "
      "`src_dims=[2, 0, 1], layout=\"CHW\"` says so.");
  op.output("labels", "int32, one element; none for a record without a label.");
  op.count_outputs(count_outputs);
  op.arg("label_available", &CaffeArgs::label_available, "Records hold a label.");
  op.example({{"path", ExampleData{"caffe"}}});
  op.alias("caffe_reader");
  add_lmdb_args(op);
}

}  // namespace penstock
