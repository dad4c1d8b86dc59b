// What numbers in TIFF headers mean, for errors.
#pragma once

#include <cstdint>
#include <string_view>

namespace penstock::codec::tiff {

std::string_view name_of_photometric(uint16_t photometric);
std::string_view name_of_compression(uint16_t compression);

}  // namespace penstock::codec::tiff
