// What lies in a folder of a bucket.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace penstock::remote {

/// Names directly in a folder, without those that stand for the folder itself.
struct Listing {
  std::vector<std::string> folders, files;
};

/// @throws DataError when the server does not list it, ArgumentError for what is no s3:// or gs://
Listing list_folder(const std::string& url);

/// One answer of ListObjectsV2 about the folder whose names begin with `prefix`, added to `listing`: the token that
/// asks for the next one, empty at the end. @throws DataError for what is no such answer
std::string parse_listing(std::string_view xml, std::string_view prefix, Listing& listing);

}  // namespace penstock::remote
