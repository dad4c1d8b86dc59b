#include "readers/remote/target.h"

#include <algorithm>

#include "core/check.h"
#include "readers/remote/credentials.h"
#include "readers/remote/url.h"

namespace penstock::remote {
namespace {

std::string without_slash(std::string text) {
  while (text.ends_with('/')) text.pop_back();
  return text;
}

std::string first_of(std::initializer_list<const char*> names) {
  for (const char* name : names)
    if (std::string value = environment(name); !value.empty()) return without_slash(std::move(value));
  return {};
}

/// The address that all objects of a bucket begin with. With a server of one's own, and for names with dots, which its
/// certificate does not cover, the bucket is the first part of the path.
std::string address_of(const BucketPath& path, const std::string& region) {
  if (path.scheme == "gs") {
    std::string server = first_of({"STORAGE_EMULATOR_HOST"});
    if (server.empty()) server = "https://storage.googleapis.com";
    if (!is_url(server)) server = "http://" + server;
    return fmt::format("{}/{}", server, path.bucket);
  }
  const std::string server = first_of({"AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL"});
  if (!server.empty()) return fmt::format("{}/{}", server, path.bucket);
  if (path.bucket.find('.') != std::string::npos)
    return fmt::format("https://s3.{}.amazonaws.com/{}", region, path.bucket);
  return fmt::format("https://{}.s3.{}.amazonaws.com", path.bucket, region);
}

Target signed_target(const BucketPath& path, const std::string& rest) {
  const bool google = path.scheme == "gs";
  const std::string region = google ? "auto" : aws_region();
  const Credentials credentials = google ? google_credentials() : aws_credentials();
  Target target{.url = address_of(path, region) + rest};
  if (!credentials.key.empty()) {
    target.signature = {credentials.key, credentials.secret, fmt::format("aws:amz:{}:s3", region)};
    // Before version 8 libcurl does not give it by itself, and S3 asks for it.
    target.headers.emplace_back("x-amz-content-sha256: UNSIGNED-PAYLOAD");
    if (!google && !credentials.token.empty()) target.headers.push_back("x-amz-security-token: " + credentials.token);
  } else if (google && !credentials.token.empty()) {
    target.headers.push_back("Authorization: Bearer " + credentials.token);
  }
  return target;
}

}  // namespace

BucketPath bucket_path(const std::string& url) {
  const size_t colon = url.find("://");
  const std::string scheme = url.substr(0, std::min(colon, url.size()));
  PENSTOCK_CHECK(
      scheme == "s3" || scheme == "gs", ArgumentError,
      "\"{}\" cannot be listed: only s3:// and gs:// tell what is in a folder; name the files with `files` or "
      "a list",
      url);
  const std::string rest = url.substr(colon + 3);
  const size_t slash = rest.find('/');
  BucketPath path{scheme, rest.substr(0, slash), slash == std::string::npos ? "" : rest.substr(slash + 1)};
  PENSTOCK_CHECK(!path.bucket.empty(), ArgumentError, "\"{}\" names no bucket; write {}://bucket/key", url, scheme);
  return path;
}

Target target_of(const std::string& url) {
  if (url.starts_with("http")) return {.url = percent_encoded(url, /*keep_reserved=*/true)};
  const BucketPath path = bucket_path(url);
  PENSTOCK_CHECK(!path.key.empty(), ArgumentError, "\"{}\" names no object; write {}://bucket/key", url, path.scheme);
  return signed_target(path, "/" + percent_encoded(path.key, /*keep_reserved=*/false));
}

Target listing_target(const BucketPath& path, std::vector<std::pair<std::string, std::string>> query) {
  std::ranges::sort(query);  // as they are signed
  std::string rest = "/";
  for (const auto& [name, value] : query) {
    std::string encoded = percent_encoded(value, /*keep_reserved=*/false);
    for (size_t at = encoded.find('/'); at != std::string::npos; at = encoded.find('/', at))
      encoded.replace(at, 1, "%2F");
    rest += (rest.size() == 1 ? "?" : "&") + name + "=" + encoded;
  }
  return signed_target(path, rest);
}

}  // namespace penstock::remote
