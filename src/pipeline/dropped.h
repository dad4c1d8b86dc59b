// The error that a consumer gets which still waits for a batch when it is dropped.
#pragma once

#include <exception>

#include <penstock/error.h>

namespace penstock {

inline std::exception_ptr dropped() {
  return std::make_exception_ptr(
      DataError("the pipeline was closed, or sent to another batch, while this one was being made"));
}

}  // namespace penstock
