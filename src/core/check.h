// The way errors are raised: PENSTOCK_CHECK(ok, ArgumentError, "size must be positive, got {}", size).
#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <utility>

#include <penstock/error.h>

namespace penstock {

template <class E, class... Ts>
[[noreturn]] void fail(fmt::format_string<Ts...> text, Ts&&... values) {
  throw E(fmt::format(text, std::forward<Ts>(values)...));
}

}  // namespace penstock

#define PENSTOCK_CHECK(condition, Kind, ...) \
  do {                                       \
    if (!(condition)) [[unlikely]]           \
      ::penstock::fail<Kind>(__VA_ARGS__);   \
  } while (false)
