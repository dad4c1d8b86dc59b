// The libraries that pictures go through, and what they cannot do as they are installed here.
#pragma once

#include <string>
#include <vector>

namespace penstock::codec {

struct Library {
  std::string name, version;       ///< of what is loaded; no version: none is
  std::vector<std::string> lacks;  ///< kinds of files that it does not read
  std::string why{};               ///< why none is loaded, and the command that helps
};

std::vector<Library> libraries();

}  // namespace penstock::codec
