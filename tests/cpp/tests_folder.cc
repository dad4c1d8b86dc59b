#include "tests_folder.h"

namespace penstock {

std::filesystem::path tests_folder() { return PENSTOCK_TESTS_FOLDER; }

}  // namespace penstock
