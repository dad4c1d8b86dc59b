// TFRecord files, their indices and features from strangers.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <penstock/error.h>

#include "readers/tfrecord/example.h"
#include "readers/tfrecord/framing.h"

namespace {

template <class T>
void copy_all(const penstock::FeatureValues& values) {
  std::vector<T> numbers(static_cast<size_t>(values.count));
  penstock::copy_values(values, numbers.data());
}

void read_example(std::string_view record) {
  using penstock::FeatureType;
  static const std::vector<penstock::Feature> wanted = {{.name = "a"}, {.name = "b"}, {.name = ""}};
  std::vector<penstock::FeatureValues> found(wanted.size());
  penstock::find_features(record, wanted, found);
  for (const penstock::FeatureValues& values : found) {
    if (values.type == FeatureType::kString)
      penstock::first_string(values);
    else if (values.type == FeatureType::kFloat)
      copy_all<float>(values);
    else
      copy_all<int64_t>(values);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto attempt = [](auto&& action) {
    try {
      action();
    } catch (const penstock::DataError&) {
    } catch (const penstock::ArgumentError&) {
    }
  };
  attempt([&] { read_example(text); });
  attempt([&] { read_example(penstock::unframe(text, false)); });
  attempt([&] { penstock::unframe(text, true); });
  attempt([&] {
    const auto places = penstock::parse_tfrecord_index(text);
    if (penstock::parse_tfrecord_index(penstock::write_tfrecord_index(places)) != places) __builtin_trap();
  });
  attempt([&] { penstock::parse_feature("a", text); });
  return 0;
}
