// The request for a URL, with its credentials: s3:// and gs:// become requests to their servers over HTTP.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace penstock::remote {

/// The credentials of a request. Empty: an anonymous one.
struct Signature {
  std::string user, password;  ///< access key and its secret
  std::string scheme;          ///< for CURLOPT_AWS_SIGV4: "aws:amz:eu-central-1:s3"
};

struct Target {
  std::string url;  ///< http:// or https://
  std::vector<std::string> headers;
  Signature signature;
};

/// The object that `url` names. Credentials, region and server come from the environment and from the files of AWS's
/// command line, as docs/buckets.md says. @throws ArgumentError for a URL without a bucket or a key
Target target_of(const std::string& url);

/// A bucket and how far the names of its objects go: "s3://bucket/photos" -> {"s3", "bucket", "photos"}.
struct BucketPath {
  std::string scheme, bucket, key;
};
/// @throws ArgumentError for what is no s3:// or gs://, or has no bucket
BucketPath bucket_path(const std::string& url);

/// The request that lists a bucket: `query` are its names and values, which are encoded here.
Target listing_target(const BucketPath& path, std::vector<std::pair<std::string, std::string>> query);

}  // namespace penstock::remote
