// What servers answer about buckets, and files of credentials.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include <penstock/error.h>

#include "readers/remote/credentials.h"
#include "readers/remote/listing.h"
#include "readers/remote/url.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  namespace remote = penstock::remote;
  const std::string text(reinterpret_cast<const char*>(data), size);
  for (const std::string_view around : {"", "<ListBucketResult>"}) {
    remote::Listing listing;
    try {
      remote::parse_listing(std::string(around) + text, "", listing);
    } catch (const penstock::DataError&) {
    }
  }
  remote::percent_decoded(remote::percent_encoded(text, size % 2 == 0));
  bool found = false;
  remote::ini_value(text, "default", "region", found);
  return 0;
}
