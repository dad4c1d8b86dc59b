// How long samples are, as files say it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace penstock {

/// The numbers of a NumPy file of one dimension, rounded to whole ones.
/// @throws ArgumentError for what is no such file, and where there are not `size` numbers
std::vector<int64_t> read_lengths(const std::string& path, int64_t size);

}  // namespace penstock
