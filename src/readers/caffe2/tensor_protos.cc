#include "readers/caffe2/tensor_protos.h"

#include <protozero/pbf_reader.hpp>
#include <protozero/pbf_writer.hpp>

#include "core/check.h"

namespace penstock {
namespace {

using protozero::pbf_reader;
using protozero::pbf_wire_type;
using protozero::tag_and_type;

enum Tag : protozero::pbf_tag_type {
  kProtos = 1,
  kDims = 1,
  kDataType = 2,
  kFloatData = 3,
  kInt32Data = 4,
  kByteData = 5,
  kStringData = 6,
  kInt64Data = 10
};

std::string_view view_of(const protozero::data_view& data) { return {data.data(), data.size()}; }

void clear(TensorProto& proto) {
  proto.dims.clear();
  proto.type = ProtoType::kFloat;
  proto.floats.clear();
  proto.int32s.clear();
  proto.int64s.clear();
  proto.bytes = {};
  proto.strings.clear();
}

template <class Range, class T>
void append(const Range& range, std::vector<T>& list) {
  for (const auto value : range) list.push_back(value);
}

// Fields are chosen by tag and wire type together: protozero only asserts that they fit.
void parse_tensor_proto(pbf_reader message, TensorProto& proto) {
  clear(proto);
  while (message.next()) {
    switch (message.tag_and_type()) {
      case tag_and_type(kDims, pbf_wire_type::length_delimited):
        append(message.get_packed_int64(), proto.dims);
        break;
      case tag_and_type(kDims, pbf_wire_type::varint):
        proto.dims.push_back(message.get_int64());
        break;
      case tag_and_type(kDataType, pbf_wire_type::varint):
        proto.type = static_cast<ProtoType>(message.get_enum());
        break;
      case tag_and_type(kFloatData, pbf_wire_type::length_delimited):
        append(message.get_packed_float(), proto.floats);
        break;
      case tag_and_type(kFloatData, pbf_wire_type::fixed32):
        proto.floats.push_back(message.get_float());
        break;
      case tag_and_type(kInt32Data, pbf_wire_type::length_delimited):
        append(message.get_packed_int32(), proto.int32s);
        break;
      case tag_and_type(kInt32Data, pbf_wire_type::varint):
        proto.int32s.push_back(message.get_int32());
        break;
      case tag_and_type(kByteData, pbf_wire_type::length_delimited):
        proto.bytes = view_of(message.get_view());
        break;
      case tag_and_type(kStringData, pbf_wire_type::length_delimited):
        proto.strings.push_back(view_of(message.get_view()));
        break;
      case tag_and_type(kInt64Data, pbf_wire_type::length_delimited):
        append(message.get_packed_int64(), proto.int64s);
        break;
      case tag_and_type(kInt64Data, pbf_wire_type::varint):
        proto.int64s.push_back(message.get_int64());
        break;
      default:
        message.skip();
    }
  }
}

}  // namespace

void parse_tensor_protos(std::string_view record, std::vector<TensorProto>& protos) {
  size_t count = 0;
  try {
    pbf_reader message(record.data(), record.size());
    while (message.next()) {
      if (message.tag_and_type() != tag_and_type(kProtos, pbf_wire_type::length_delimited)) {
        message.skip();
        continue;
      }
      if (count == protos.size()) protos.emplace_back();
      parse_tensor_proto(message.get_message(), protos[count++]);
    }
  } catch (const protozero::exception& e) {
    fail<DataError>("Error while parsing Caffe2 record (raw data length: {} bytes): {}", record.size(), e.what());
  }
  protos.resize(count);
}

std::string serialise(std::span<const TensorProto> protos) {
  std::string record;
  protozero::pbf_writer all(record);
  for (const TensorProto& proto : protos) {
    protozero::pbf_writer message(all, kProtos);
    message.add_packed_int64(kDims, proto.dims.begin(), proto.dims.end());
    message.add_enum(kDataType, static_cast<int32_t>(proto.type));
    message.add_packed_float(kFloatData, proto.floats.begin(), proto.floats.end());
    message.add_packed_int32(kInt32Data, proto.int32s.begin(), proto.int32s.end());
    if (!proto.bytes.empty()) message.add_bytes(kByteData, proto.bytes.data(), proto.bytes.size());
    for (const std::string_view text : proto.strings) message.add_bytes(kStringData, text.data(), text.size());
    message.add_packed_int64(kInt64Data, proto.int64s.begin(), proto.int64s.end());
  }
  return record;
}

}  // namespace penstock
