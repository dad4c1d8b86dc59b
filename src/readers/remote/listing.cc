#include "readers/remote/listing.h"

#include <array>
#include <charconv>

#include "core/check.h"
#include "readers/remote/http.h"
#include "readers/remote/target.h"
#include "readers/remote/url.h"

namespace penstock::remote {
namespace {

constexpr int64_t kLongestAnswer = int64_t{64} << 20;  // of a thousand names; the longest has 1,024 bytes

/// The contents of the elements `<name>...</name>` in `xml`, one after the other.
class Elements {
 public:
  Elements(std::string_view xml, const std::string& name)
      : xml_(xml), begin_("<" + name + ">"), end_("</" + name + ">") {}
  bool next(std::string_view& content) {
    const size_t begin = xml_.find(begin_, at_);
    if (begin == std::string_view::npos) return false;
    const size_t end = xml_.find(end_, begin);
    PENSTOCK_CHECK(end != std::string_view::npos, DataError, "the list of the bucket is cut off");
    content = xml_.substr(begin + begin_.size(), end - begin - begin_.size());
    at_ = end + end_.size();
    return true;
  }

 private:
  std::string_view xml_;
  std::string begin_, end_;
  size_t at_ = 0;
};

std::string unescaped(std::string_view text) {
  constexpr std::array<std::pair<std::string_view, char>, 5> kNames = {
      {{"&amp;", '&'}, {"&lt;", '<'}, {"&gt;", '>'}, {"&quot;", '"'}, {"&apos;", '\''}}};
  std::string plain;
  while (!text.empty()) {
    char c = text[0];
    size_t length = 1;
    for (const auto& [name, stands_for] : kNames)
      if (text.starts_with(name)) c = stands_for, length = name.size();
    plain += c;
    text.remove_prefix(length);
  }
  return plain;
}

/// The name that stands in an element of an answer, without what all names of the folder begin with.
std::string name_in(std::string_view encoded, std::string_view prefix) {
  std::string name = percent_decoded(unescaped(encoded));
  PENSTOCK_CHECK(name.starts_with(prefix), DataError, "the list of the bucket has \"{}\", which is not in \"{}\"", name,
                 prefix);
  return name.substr(prefix.size());
}

}  // namespace

std::string parse_listing(std::string_view xml, std::string_view prefix, Listing& listing) {
  PENSTOCK_CHECK(xml.find("<ListBucketResult") != std::string_view::npos, DataError,
                 "the server does not answer with the list of a bucket");
  std::string_view entry, content;
  for (Elements all(xml, "CommonPrefixes"); all.next(entry);)
    if (Elements(entry, "Prefix").next(content)) {
      std::string name = name_in(content, prefix);
      if (name.ends_with('/')) name.pop_back();
      if (!name.empty()) listing.folders.push_back(std::move(name));
    }
  for (Elements all(xml, "Contents"); all.next(entry);)
    if (Elements(entry, "Key").next(content)) {
      std::string name = name_in(content, prefix);
      if (!name.empty()) listing.files.push_back(std::move(name));  // an empty one stands for the folder
    }
  const bool more = Elements(xml, "IsTruncated").next(content) && content == "true";
  if (!more) return {};
  PENSTOCK_CHECK(Elements(xml, "NextContinuationToken").next(content), DataError,
                 "the list of the bucket has more names, but does not say how to ask for them");
  return unescaped(content);
}

Listing list_folder(const std::string& url) {
  BucketPath path = bucket_path(url);
  while (path.key.ends_with('/')) path.key.pop_back();
  const std::string prefix = path.key.empty() ? "" : path.key + "/";
  Listing listing;
  std::string token;
  do {
    std::vector<std::pair<std::string, std::string>> query = {
        {"delimiter", "/"}, {"encoding-type", "url"}, {"list-type", "2"}, {"prefix", prefix}};
    if (!token.empty()) query.emplace_back("continuation-token", token);
    Body body(kLongestAnswer);
    get(listing_target(path, std::move(query)), 0, -1, body);
    token = parse_listing(body.bytes, prefix, listing);
  } while (!token.empty());
  return listing;
}

}  // namespace penstock::remote
