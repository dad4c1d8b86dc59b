#include <algorithm>

#include "core/check.h"
#include "readers/caffe2/tensor_protos.h"
#include "readers/lmdb/lmdb_reader.h"
#include "schema/registry.h"
#include "schema/take_constant.h"

namespace penstock {
namespace {

enum LabelType { kSingle = 0, kMultiSparse = 1, kMultiDense = 2, kMultiWeightedSparse = 3, kNone = 4 };

struct Caffe2Args : LmdbArgs {
  int64_t num_labels = 1;
  int64_t label_type = kSingle;
  int64_t additional_inputs = 0;
  bool bbox = false;
};

int count_outputs(const Caffe2Args& args) {
  return args.image_available + (args.label_type != kNone) + static_cast<int>(args.additional_inputs) + args.bbox;
}

/// Calls visit with the numbers of the proto, which are float, int32 or (if `wide`) int64.
template <class Visit>
void visit_numbers(const TensorProto& proto, bool wide, std::string_view what, Visit&& visit) {
  if (proto.type == ProtoType::kFloat) return visit(proto.floats);
  if (proto.type == ProtoType::kInt32) return visit(proto.int32s);
  if (proto.type == ProtoType::kInt64 && wide) return visit(proto.int64s);
  fail<DataError>("Unsupported {} data type: {} (Caffe2's number); FLOAT (1), INT32 (2){} can be read", what,
                  static_cast<int32_t>(proto.type), wide ? " and INT64 (10)" : "");
}

/// Takes the protos of a record one after the other.
class ProtoCursor {
 public:
  explicit ProtoCursor(const std::vector<TensorProto>& protos) : protos_(protos) {}
  const TensorProto& next(std::string_view what) {
    PENSTOCK_CHECK(next_ < protos_.size(), DataError, "the record has {} tensors; there is none for the {}",
                   protos_.size(), what);
    return protos_[next_++];
  }

 private:
  const std::vector<TensorProto>& protos_;
  size_t next_ = 0;
};

template <class T>
void copy_numbers(const std::vector<T>& numbers, const Value& out) {
  std::copy(numbers.begin(), numbers.end(), out.tensor.as<T>());
}

template <class T>
void describe(Value& out, const std::vector<T>&, size_t size) {
  out.tensor = {{dtype_of<T>, {static_cast<int64_t>(size)}, {}}};
}

void share_image(Value& out, const TensorProto& proto) {
  if (proto.type == ProtoType::kString) {
    PENSTOCK_CHECK(!proto.strings.empty() && !proto.strings[0].empty(), DataError, "the record's image is empty");
    const std::string_view file = proto.strings[0];
    return share_bytes(out, file, {static_cast<int64_t>(file.size())}, {});
  }
  PENSTOCK_CHECK(proto.type == ProtoType::kByte, DataError,
                 "Unsupported image data type: {} (Caffe2's number); BYTE (3) and STRING (4) can be read",
                 static_cast<int32_t>(proto.type));
  PENSTOCK_CHECK(proto.dims.size() == 2 || proto.dims.size() == 3, DataError,
                 "an image of raw pixels must have 2 or 3 dimensions, got {}", proto.dims.size());
  share_pixels(out, proto.bytes, {proto.dims[0], proto.dims[1], proto.dims.size() == 3 ? proto.dims[2] : 1});
}

/// Writes value(i) at the place that the i-th index names and 0 elsewhere.
template <class Index, class T, class Get>
void scatter(const std::vector<Index>& indices, T* out, int64_t num_labels, Get&& value) {
  std::fill_n(out, num_labels, T{0});
  for (size_t i = 0; i < indices.size(); ++i) {
    const auto index = static_cast<double>(indices[i]);  // exact, and comparable whatever a float may hold
    PENSTOCK_CHECK(index >= 0 && index < static_cast<double>(num_labels), DataError,
                   "Label index out of bounds: {} (num_labels: {})", indices[i], num_labels);
    out[static_cast<int64_t>(index)] = value(i);
  }
}

using Protos = std::vector<TensorProto>;

class Caffe2Reader : public LmdbReader<Caffe2Args, Protos> {
 public:
  void infer(Sample& s) const override {
    const LmdbRecord record = take(s);
    naming_source([&] { return std::string(s.out(0).source); },
                  [&] {
                    parse_tensor_protos(record.value, state(s));
                    describe_outputs(s);
                  });
  }

  void run(Sample& s) const override {
    naming_source([&] { return std::string(s.out(0).source); }, [&] { write_outputs(s); });
  }

 protected:
  void check_args() const override {
    const Caffe2Args& a = constants();
    PENSTOCK_CHECK(a.label_type >= kSingle && a.label_type <= kNone, ArgumentError,
                   "label_type must be from 0 to 4, got {}", a.label_type);
    PENSTOCK_CHECK(a.num_labels > 0, ArgumentError, "num_labels must be positive, got {}", a.num_labels);
    PENSTOCK_CHECK(a.additional_inputs >= 0 && a.additional_inputs <= kMaxAdditional, ArgumentError,
                   "additional_inputs must be from 0 to {}, got {}", kMaxAdditional, a.additional_inputs);
    PENSTOCK_CHECK(count_outputs(a) > 0, ArgumentError,
                   "nothing is to be read: neither image nor label nor other inputs");
  }

 private:
  static constexpr int64_t kMaxAdditional = 1000;

  void describe_outputs(Sample& s) const {
    const Caffe2Args& a = constants();
    ProtoCursor cursor(state(s));
    int out = 0;
    if (a.image_available) share_image(s.out(out++), cursor.next("image"));
    if (a.label_type != kNone) {
      const Labels labels = take_labels(cursor);
      visit_numbers(*labels.numbers, false, "label",
                    [&](const auto& numbers) { describe_label(s.out(out), numbers, labels.weights); });
      ++out;
    }
    for (int64_t i = 0; i < a.additional_inputs; ++i)
      visit_numbers(cursor.next("additional inputs"), true, "additional input",
                    [&](const auto& numbers) { describe(s.out(out++), numbers, numbers.size()); });
    if (a.bbox) {
      const TensorProto& box = cursor.next("bounding box");
      PENSTOCK_CHECK(box.type == ProtoType::kInt32 && box.int32s.size() == 4, DataError,
                     "a bounding box must be 4 numbers of type INT32");
      describe(s.out(out), box.int32s, 4);
    }
  }

  struct Labels {
    const TensorProto* numbers;
    const TensorProto* weights;  ///< of weighted labels only
  };
  Labels take_labels(ProtoCursor& cursor) const {
    const TensorProto* numbers = &cursor.next("label");
    return {numbers, constants().label_type == kMultiWeightedSparse ? &cursor.next("label weights") : nullptr};
  }

  template <class T>
  void describe_label(Value& out, const std::vector<T>& numbers, const TensorProto* weights) const {
    const Caffe2Args& a = constants();
    const auto num_labels = static_cast<size_t>(a.num_labels);
    if (weights) {
      PENSTOCK_CHECK(weights->floats.size() == numbers.size(), DataError,
                     "the record has {} label weights for {} labels", weights->floats.size(), numbers.size());
      return describe(out, weights->floats, num_labels);
    }
    PENSTOCK_CHECK(a.label_type != kSingle || numbers.size() == 1, DataError,
                   "label_type=0 (single label) needs exactly one number, the record has {}", numbers.size());
    describe(out, numbers, a.label_type == kMultiSparse ? num_labels : numbers.size());
  }

  void write_outputs(Sample& s) const {
    const Caffe2Args& a = constants();
    ProtoCursor cursor(state(s));
    int out = 0;
    if (a.image_available) ++out, cursor.next("image");  // lies in the database
    if (a.label_type != kNone) {
      const Labels labels = take_labels(cursor);
      visit_numbers(*labels.numbers, false, "label",
                    [&](const auto& numbers) { write_label(s.out(out), numbers, labels.weights); });
      ++out;
    }
    while (out < s.num_outputs())
      visit_numbers(cursor.next("additional inputs"), true, "additional input",
                    [&](const auto& numbers) { copy_numbers(numbers, s.out(out++)); });
  }

  template <class T>
  void write_label(const Value& out, const std::vector<T>& numbers, const TensorProto* weights) const {
    const int64_t num_labels = constants().num_labels;
    if (weights)
      return scatter(numbers, out.tensor.as<float>(), num_labels, [&](size_t i) { return weights->floats[i]; });
    if (constants().label_type == kMultiSparse)
      return scatter(numbers, out.tensor.as<T>(), num_labels, [](size_t) { return T{1}; });
    copy_numbers(numbers, out);
  }
};

/// The arguments that the number of outputs depends on.
Caffe2Args output_args(const OpSpec& spec) {
  Caffe2Args args;
  take_constant(spec, "image_available", args.image_available);
  take_constant(spec, "label_type", args.label_type);
  take_constant(spec, "additional_inputs", args.additional_inputs);
  take_constant(spec, "bbox", args.bbox);
  PENSTOCK_CHECK(args.additional_inputs >= 0, ArgumentError, "`additional_inputs` must not be negative, got {}",
                 args.additional_inputs);
  return args;
}

}  // namespace

[[gnu::cold]] void register_caffe2(Registry& r) {
  auto op = r.add<Caffe2Reader>("readers.caffe2");
  op.doc(
      "Reads Caffe2 LMDB databases: images, encoded or as pixels, with labels. Large images stay where they are in the "
      "mapped file until a decoder reads them (`dont_use_mmap`).");
  op.output("images", "uint8: an encoded file of one dimension, or pixels (height, width, channels).");
  op.output("labels", "float or int32, as stored; for sparse labels one element per class.");
  op.output("additional", "`additional_inputs` outputs of numbers as stored: float, int32 or int64.");
  op.output("bbox", "int32, 4 elements.");
  op.count_outputs([](const OpSpec& spec) { return count_outputs(output_args(spec)); });
  op.arg(
      "label_type", &Caffe2Args::label_type,
      "0: one label. 1: numbers of classes, made into a vector of zeros and ones. 2: a vector. 3: numbers of classes "
      "and their weights, made into a vector. 4: no label.");
  op.arg("num_labels", &Caffe2Args::num_labels, "Number of classes, for label types 1 and 3.");
  op.arg("additional_inputs", &Caffe2Args::additional_inputs, "Number of further tensors in a record.");
  op.arg("bbox", &Caffe2Args::bbox, "The last tensor of a record is a bounding box.");
  op.differs("Label types 1 and 3 have one output; DALI declares another behind it, which it leaves empty.");
  op.differs("There is no pipeline of a reader without outputs (`image_available` False and label type 4).");
  op.example({{"path", ExampleData{"caffe2"}}});
  op.alias("caffe2_reader");
  add_lmdb_args(op);
}

}  // namespace penstock
