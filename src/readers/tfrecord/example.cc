#include "readers/tfrecord/example.h"

#include <algorithm>
#include <cstring>
#include <optional>
#include <protozero/pbf_reader.hpp>

#include "core/check.h"

namespace penstock {
namespace {

using protozero::pbf_wire_type;
using protozero::tag_and_type;
using Message = protozero::pbf_reader;

// Of all messages here but Feature, whose fields are kinds of lists.
enum Tag : protozero::pbf_tag_type { kFeatures = 1, kEntry = 1, kKey = 1, kValue = 2, kItem = 1 };
constexpr protozero::pbf_tag_type kBytesList = 1, kFloatList = 2, kInt64List = 3;

std::string_view view_of(Message& message) {
  const protozero::data_view view = message.get_view();
  return {view.data(), view.size()};
}

Message message_in(std::string_view bytes) { return {bytes.data(), bytes.size()}; }

/// Calls visit(view) for each field `tag` that holds bytes.
template <class Visit>
void for_each_view(Message message, protozero::pbf_tag_type tag, Visit&& visit) {
  while (message.next()) {
    if (message.tag_and_type() == tag_and_type(tag, pbf_wire_type::length_delimited))
      visit(view_of(message));
    else
      message.skip();
  }
}

std::optional<FeatureType> list_type(protozero::pbf_tag_type tag) {
  if (tag == kBytesList) return FeatureType::kString;
  if (tag == kFloatList) return FeatureType::kFloat;
  if (tag == kInt64List) return FeatureType::kInt64;
  return {};
}

/// Calls packed(view) or single(message) for what a list of numbers consists of: writers may choose.
template <class Packed, class Single>
void for_each_number(std::string_view list, pbf_wire_type one, Packed&& packed, Single&& single) {
  Message message = message_in(list);
  while (message.next()) {
    if (message.tag_and_type() == tag_and_type(kItem, pbf_wire_type::length_delimited))
      packed(view_of(message));
    else if (message.tag_and_type() == tag_and_type(kItem, one))
      single(message);
    else
      message.skip();
  }
}

int64_t count_of(FeatureType type, std::string_view list) {
  int64_t count = 0;
  if (type == FeatureType::kString) {
    for_each_view(message_in(list), kItem, [&](std::string_view) { ++count; });
  } else if (type == FeatureType::kFloat) {
    for_each_number(
        list, pbf_wire_type::fixed32,
        [&](std::string_view view) {
          PENSTOCK_CHECK(view.size() % sizeof(float) == 0, DataError, "a list of floats has {} bytes", view.size());
          count += static_cast<int64_t>(view.size() / sizeof(float));
        },
        [&](Message& message) { message.get_fixed32(), ++count; });
  } else {
    for_each_number(
        list, pbf_wire_type::varint,
        [&](std::string_view view) {  // the last byte of a number is the one below 128
          count += std::count_if(view.begin(), view.end(), [](char byte) { return (byte & 0x80) == 0; });
          PENSTOCK_CHECK(view.empty() || (view.back() & 0x80) == 0, DataError, "a list of integers is cut off");
        },
        [&](Message& message) { message.get_int64(), ++count; });
  }
  return count;
}

/// The feature's last list: of a message's alternatives the last counts.
FeatureValues values_of(std::string_view feature) {
  FeatureValues values;
  Message message = message_in(feature);
  while (message.next()) {
    const std::optional<FeatureType> type = list_type(message.tag());
    if (type && message.wire_type() == pbf_wire_type::length_delimited)
      values = {*type, view_of(message), 0};
    else
      message.skip();
  }
  return values;
}

/// Key and value of an entry of the map.
void take_entry(Message entry, std::span<const Feature> wanted, std::span<FeatureValues> found) {
  std::string_view key, value;
  while (entry.next()) {
    if (entry.tag_and_type() == tag_and_type(kKey, pbf_wire_type::length_delimited))
      key = view_of(entry);
    else if (entry.tag_and_type() == tag_and_type(kValue, pbf_wire_type::length_delimited))
      value = view_of(entry);
    else
      entry.skip();
  }
  for (size_t i = 0; i < wanted.size(); ++i)
    if (wanted[i].name == key) found[i] = values_of(value);
}

/// protozero's exceptions as errors of the record.
template <class Action>
auto parsing(size_t size, Action&& action) {
  try {
    return action();
  } catch (const protozero::exception& e) {
    fail<DataError>("Error while parsing TFRecord file (raw data length: {} bytes): {}", size, e.what());
  }
}

}  // namespace

void find_features(std::string_view record, std::span<const Feature> wanted, std::span<FeatureValues> found) {
  std::fill(found.begin(), found.end(), FeatureValues{});
  parsing(record.size(), [&] {
    for_each_view(message_in(record), kFeatures, [&](std::string_view features) {
      for_each_view(message_in(features), kEntry,
                    [&](std::string_view entry) { take_entry(message_in(entry), wanted, found); });
    });
    for (FeatureValues& one : found) one.count = count_of(one.type, one.list);
  });
}

std::string_view first_string(const FeatureValues& values) {
  std::optional<std::string_view> first;
  for_each_view(message_in(values.list), kItem, [&](std::string_view view) {
    if (!first) first = view;
  });
  return first.value_or(std::string_view());
}

void copy_values(const FeatureValues& values, float* out) {
  const auto copy = [&](const void* bytes, size_t size) {
    if (size > 0) std::memcpy(out, bytes, size);  // of no values there may be no memory either
    out += size / sizeof(float);
  };
  for_each_number(
      values.list, pbf_wire_type::fixed32, [&](std::string_view view) { copy(view.data(), view.size()); },
      [&](Message& message) {
        const uint32_t bits = message.get_fixed32();
        copy(&bits, sizeof(bits));
      });
}

void copy_values(const FeatureValues& values, int64_t* out) {
  parsing(values.list.size(), [&] {
    for_each_number(
        values.list, pbf_wire_type::varint,
        [&](std::string_view view) {
          const char* at = view.data();
          while (at < view.data() + view.size())
            *out++ = static_cast<int64_t>(protozero::decode_varint(&at, view.data() + view.size()));
        },
        [&](Message& message) { *out++ = message.get_int64(); });
  });
}

}  // namespace penstock
