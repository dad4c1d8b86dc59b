#include <penstock/parallel.h>

#include <charconv>

#include "core/check.h"

namespace penstock::parallel {

DeviceId DeviceId::parse(std::string_view text) {
  const size_t colon = text.find(':');
  const std::string_view kind = text.substr(0, colon);
  const std::string_view number = colon == std::string_view::npos ? "0" : text.substr(colon + 1);
  DeviceId device{.kind = kind == "cuda" ? Kind::kCuda : Kind::kHost};
  const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), device.index);
  PENSTOCK_CHECK((kind == "cuda" || kind == "cpu") && error == std::errc() && end == number.data() + number.size() &&
                     device.index >= 0,
                 ArgumentError, "\"{}\" names no device; write \"cuda:1\" or \"cpu:1\"", text);
  return device;
}

std::string to_string(const DeviceId& device) {
  return fmt::format("{}:{}", device.kind == DeviceId::Kind::kCuda ? "cuda" : "cpu", device.index);
}

}  // namespace penstock::parallel
