// IDX: the file format of MNIST.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <penstock/shape.h>

namespace penstock {

/// An array of unsigned bytes.
struct IdxArray {
  Shape shape;
  std::vector<uint8_t> data;
};

/// Reads a file, plain or compressed by gzip.
/// @throws ArgumentError for a file that cannot be opened, DataError for one that is no IDX file of bytes, has less
/// data than its head says, or more
IdxArray read_idx(const std::string& path);

}  // namespace penstock
