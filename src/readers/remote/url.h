// Names of files on servers.
#pragma once

#include <string>
#include <string_view>

namespace penstock::remote {

/// Whether it begins with http://, https://, s3:// or gs://.
bool is_url(std::string_view path);

/// Bytes that may not stand in the path of a URL as %XX. What is reserved is kept where `keep_reserved`, as in a URL
/// that was written by hand; else all but letters, digits, "-._~" and "/".
std::string percent_encoded(std::string_view text, bool keep_reserved);

/// The inverse. Text that is not well formed stays as it is.
std::string percent_decoded(std::string_view text);

}  // namespace penstock::remote
