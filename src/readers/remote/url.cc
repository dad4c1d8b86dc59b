#include "readers/remote/url.h"

#include <charconv>

namespace penstock::remote {
namespace {

bool is_unreserved(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
         std::string_view("-._~/").find(c) != std::string_view::npos;
}

bool is_reserved(char c) { return std::string_view(":?#[]@!$&'()*+,;=%").find(c) != std::string_view::npos; }

}  // namespace

bool is_url(std::string_view path) {
  for (const std::string_view scheme : {"http://", "https://", "s3://", "gs://"})
    if (path.starts_with(scheme)) return true;
  return false;
}

std::string percent_encoded(std::string_view text, bool keep_reserved) {
  constexpr char kDigits[] = "0123456789ABCDEF";
  std::string encoded;
  for (const char c : text) {
    if (is_unreserved(c) || (keep_reserved && is_reserved(c))) {
      encoded += c;
      continue;
    }
    const auto byte = static_cast<unsigned char>(c);
    encoded += {'%', kDigits[byte >> 4], kDigits[byte & 15]};
  }
  return encoded;
}

std::string percent_decoded(std::string_view text) {
  std::string decoded;
  for (size_t i = 0; i < text.size(); ++i) {
    unsigned value = 0;
    const char* digits = text.data() + i + 1;
    const bool escape =
        text[i] == '%' && i + 2 < text.size() && std::from_chars(digits, digits + 2, value, 16).ptr == digits + 2;
    decoded += escape ? static_cast<char>(value) : text[i];
    if (escape) i += 2;
  }
  return decoded;
}

}  // namespace penstock::remote
