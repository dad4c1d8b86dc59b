#include "readers/caffe/datum.h"

#include <protozero/pbf_reader.hpp>

#include "core/check.h"

namespace penstock {
namespace {

using protozero::pbf_wire_type;
using protozero::tag_and_type;

enum Tag : protozero::pbf_tag_type { kChannels = 1, kHeight = 2, kWidth = 3, kData = 4, kLabel = 5, kEncoded = 7 };

// Fields are chosen by tag and wire type together: protozero only asserts that they fit.
void parse(protozero::pbf_reader message, Datum& datum) {
  while (message.next()) {
    switch (message.tag_and_type()) {
      case tag_and_type(kChannels, pbf_wire_type::varint):
        datum.channels = message.get_int32();
        break;
      case tag_and_type(kHeight, pbf_wire_type::varint):
        datum.height = message.get_int32();
        break;
      case tag_and_type(kWidth, pbf_wire_type::varint):
        datum.width = message.get_int32();
        break;
      case tag_and_type(kLabel, pbf_wire_type::varint):
        datum.label = message.get_int32();
        break;
      case tag_and_type(kEncoded, pbf_wire_type::varint):
        datum.raw = message.get_uint64() == 0;  // get_bool of protozero 1.7 reads behind the end of a cut record
        break;
      case tag_and_type(kData, pbf_wire_type::length_delimited): {
        const protozero::data_view view = message.get_view();
        datum.data = {view.data(), view.size()};
        break;
      }
      default:
        message.skip();
    }
  }
}

}  // namespace

Datum parse_datum(std::string_view record) {
  Datum datum;
  try {
    parse(protozero::pbf_reader(record.data(), record.size()), datum);
  } catch (const protozero::exception& e) {
    fail<DataError>("Error while parsing Caffe record (raw data length: {} bytes): {}", record.size(), e.what());
  }
  return datum;
}

}  // namespace penstock
