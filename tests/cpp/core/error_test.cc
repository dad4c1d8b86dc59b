#include <penstock/error.h>

#include <gtest/gtest.h>

namespace penstock {
namespace {

TEST(Error, SaysAllThatIsKnownOfItsPlace) {
  ArgumentError error("must be positive, got -1");
  EXPECT_STREQ(error.what(), "must be positive, got -1");
  error.add_context({.argument = "size"});
  error.add_context({.op = "resize", .sample = 3, .source = "a.jpg", .origin = "  train.py:7"});
  EXPECT_STREQ(error.what(),
               "[resize] argument `size`: must be positive, got -1; sample 3, a.jpg\n"
               "  used in the pipeline definition at\n"
               "  train.py:7");
}

TEST(Error, TheLayerNearestToTheFaultKnowsBest) {
  DataError error("cut off");
  error.add_context({.op = "decoders.image", .argument = "a", .sample = 0, .source = "a.jpg", .origin = "first"});
  const std::string before = error.what();
  error.add_context({.op = "resize", .argument = "b", .sample = 5, .source = "b.jpg", .origin = "second"});
  EXPECT_EQ(error.what(), before);
}

}  // namespace
}  // namespace penstock
