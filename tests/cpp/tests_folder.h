// Where the files of the tests lie.
#pragma once

#include <filesystem>

namespace penstock {

/// The folder `tests` of the checkout.
std::filesystem::path tests_folder();

}  // namespace penstock
