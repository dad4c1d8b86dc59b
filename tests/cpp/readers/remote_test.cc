// Names of files on servers, credentials and lists of buckets: what is pure text.
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <thread>

#include <penstock/error.h>

#include "readers/remote/ahead.h"
#include "readers/remote/credentials.h"
#include "readers/remote/listing.h"
#include "readers/remote/target.h"
#include "readers/remote/url.h"

namespace penstock::remote {
namespace {

/// The environment without what decides about servers, and a home without files.
class Remote : public testing::Test {
 protected:
  void SetUp() override {
    for (const char* name : {"AWS_ENDPOINT_URL", "AWS_ENDPOINT_URL_S3", "AWS_REGION", "AWS_DEFAULT_REGION",
                             "AWS_PROFILE", "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN",
                             "AWS_NO_SIGN_REQUEST", "AWS_SHARED_CREDENTIALS_FILE", "AWS_CONFIG_FILE",
                             "STORAGE_EMULATOR_HOST", "GS_ACCESS_KEY_ID", "CLOUDSDK_AUTH_ACCESS_TOKEN"})
      ::unsetenv(name);
    ::setenv("HOME", "/nowhere", 1);
  }
};

TEST_F(Remote, TellsUrlsFromPaths) {
  for (const char* url : {"http://x/y", "https://x", "s3://b/k", "gs://b/k"}) EXPECT_TRUE(is_url(url)) << url;
  for (const char* path : {"/http://x", "ftp://x/y", "s3:/b", "S3://b/k", "", "data/x.jpg"}) EXPECT_FALSE(is_url(path));
}

TEST_F(Remote, EncodesWhatMayNotStandInUrls) {
  EXPECT_EQ(percent_encoded("a b/\xc3\xbc+%41?.jpg", false), "a%20b/%C3%BC%2B%2541%3F.jpg");
  EXPECT_EQ(percent_encoded("http://x/a b%20c?d=e", true), "http://x/a%20b%20c?d=e");
  EXPECT_EQ(percent_decoded("a%20b%2Fc"), "a b/c");
  for (const char* text : {"%", "%4", "%zz", "100%", "", "%4g1"}) EXPECT_EQ(percent_decoded(text), text);
}

TEST_F(Remote, KnowsTheServersOfBuckets) {
  EXPECT_EQ(target_of("s3://bucket/a b.jpg").url, "https://bucket.s3.us-east-1.amazonaws.com/a%20b.jpg");
  ::setenv("AWS_REGION", "eu-west-1", 1);
  EXPECT_EQ(target_of("s3://dots.in.it/k").url, "https://s3.eu-west-1.amazonaws.com/dots.in.it/k");
  EXPECT_EQ(target_of("gs://bucket/k").url, "https://storage.googleapis.com/bucket/k");
  ::setenv("AWS_ENDPOINT_URL", "http://minio:9000/", 1);
  EXPECT_EQ(target_of("s3://bucket/k").url, "http://minio:9000/bucket/k");
  EXPECT_EQ(listing_target(bucket_path("s3://b/p"), {{"prefix", "p/\xc3\xbc"}, {"delimiter", "/"}}).url,
            "http://minio:9000/b/?delimiter=%2F&prefix=p%2F%C3%BC");
  for (const char* url : {"s3://", "s3:///k", "s3://bucket", "s3://bucket/"})
    EXPECT_THROW(target_of(url), ArgumentError) << url;
}

TEST_F(Remote, SignsWhereThereAreCredentials) {
  EXPECT_TRUE(target_of("s3://b/k").signature.user.empty());
  ::setenv("AWS_ACCESS_KEY_ID", "key", 1);
  ::setenv("AWS_SECRET_ACCESS_KEY", "secret", 1);
  EXPECT_EQ(target_of("s3://b/k").signature.scheme, "aws:amz:us-east-1:s3");
  EXPECT_TRUE(target_of("https://b/k").signature.user.empty());
  EXPECT_TRUE(target_of("gs://b/k").signature.user.empty());
  ::setenv("AWS_NO_SIGN_REQUEST", "true", 1);
  EXPECT_TRUE(target_of("s3://b/k").signature.user.empty());
  ::setenv("CLOUDSDK_AUTH_ACCESS_TOKEN", "token", 1);
  EXPECT_EQ(target_of("gs://b/k").headers, std::vector<std::string>{"Authorization: Bearer token"});
}

TEST_F(Remote, ReadsSectionsOfProfiles) {
  const std::string text = "x=0\n[default]\n x = nested\nx = 1 \n# x = 2\n[ other ]\r\nx=3\r\ny = a=b\n[last";
  bool found = false;
  EXPECT_EQ(ini_value(text, "default", "x", found), "1");
  EXPECT_EQ(ini_value(text, "other", "x", found), "3");
  EXPECT_EQ(ini_value(text, "other", "y", found), "a=b");
  EXPECT_TRUE(found);
  found = false;
  EXPECT_EQ(ini_value(text, "last", "x", found), "");
  EXPECT_FALSE(found);
}

TEST_F(Remote, ReadsListsOfBuckets) {
  Listing listing;
  const std::string token = parse_listing(
      "<ListBucketResult "
      "xmlns=\"x\"><IsTruncated>true</IsTruncated><NextContinuationToken>a&amp;b=</NextContinuationToken>"
      "<Contents><Key>p/</Key></Contents><Contents><Key>p/a%26%3C%C3%BC.jpg</Key></Contents>"
      "<CommonPrefixes><Prefix>p/dog/</Prefix></CommonPrefixes></ListBucketResult>",
      "p/", listing);
  EXPECT_EQ(token, "a&b=");
  EXPECT_EQ(listing.files, std::vector<std::string>{"a&<\xc3\xbc.jpg"});
  EXPECT_EQ(listing.folders, std::vector<std::string>{"dog"});
}

TEST_F(Remote, RefusesWhatIsNoList) {
  for (const char* xml : {"", "<html>", "<ListBucketResult><Contents><Key>q/x</Key></Contents>",
                          "<ListBucketResult><Contents><Key>", "<ListBucketResult><IsTruncated>true</IsTruncated>"}) {
    Listing listing;
    EXPECT_THROW(parse_listing(xml, "p/", listing), DataError) << xml;
  }
}

std::shared_ptr<const int> made(int value) { return std::make_shared<const int>(value); }

TEST(Ahead, GivesEachValueOnce) {
  Budget budget(100);
  Ahead<int> ahead(budget);
  ahead.prepare("a", 10, [] { return made(1); });
  ahead.prepare("a", 10, [] { return made(2); });
  EXPECT_EQ(*ahead.take("a"), 1);
  EXPECT_EQ(ahead.take("a"), nullptr);
}

TEST(Ahead, KeepsToItsLimit) {
  Budget budget(100);
  Ahead<int> ahead(budget);
  ahead.prepare("a", 60, [] { return made(1); });
  ahead.prepare("b", 60, [] { return made(2); });
  EXPECT_EQ(ahead.take("b"), nullptr);
  EXPECT_EQ(*ahead.take("a"), 1);
  ahead.prepare("b", 60, [] { return made(2); });
  EXPECT_EQ(*ahead.take("b"), 2);
}

TEST(Ahead, SharesItsLimitAndGivesItBack) {
  Budget budget(100);
  Ahead<int> one(budget);
  {
    Ahead<int> other(budget);
    other.prepare("a", 60, [] { return made(1); });
    one.prepare("a", 60, [] { return made(2); });
    EXPECT_EQ(one.take("a"), nullptr);
  }
  one.prepare("a", 60, [] { return made(2); });
  EXPECT_EQ(*one.take("a"), 2);
}

TEST(Ahead, LeavesErrorsToTheTaker) {
  Budget budget(100);
  Ahead<int> ahead(budget);
  ahead.prepare("a", 60, []() -> std::shared_ptr<const int> { throw DataError("no"); });
  EXPECT_EQ(ahead.take("a"), nullptr);
  ahead.prepare("a", 60, [] { return made(3); });
  EXPECT_EQ(*ahead.take("a"), 3);
}

TEST(Ahead, WaitsForWhatIsBeingMade) {
  Budget budget(100);
  Ahead<int> ahead(budget);
  std::atomic<bool> begun = false;
  std::thread maker([&] {
    ahead.prepare("a", 1, [&] {
      begun = true;
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
      return made(4);
    });
  });
  while (!begun) std::this_thread::yield();
  EXPECT_EQ(*ahead.take("a"), 4);
  maker.join();
}

}  // namespace
}  // namespace penstock::remote
