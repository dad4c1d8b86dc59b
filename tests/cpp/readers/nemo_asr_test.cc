// Manifests of speech: what they may hold, and how errors name their lines.
#include <gtest/gtest.h>

#include <penstock/error.h>

#include "core/message.h"
#include "readers/nemo_asr/manifest.h"

namespace penstock::nemo {
namespace {

using test::expect_in;
using test::message_of;

TEST(Manifest, EntriesAreObjectsOnLinesOfTheirOwnOrNot) {
  const auto entries = parse_manifest(
      "\xEF\xBB\xBF\n{\"audio_filepath\": \"a.wav\", \"duration\": 1.5, \"text\": \"h\\u00e9 \\\"x\\\" }{\"}\n\r\n"
      "{\n  \"text\": null, \"offset\": 2,\n  \"audio_filepath\": \"b.wav\", \"more\": {\"deep\": [1, \"}\"]}}"
      "{\"audio_filepath\": \"c.wav\"}");
  ASSERT_EQ(entries.size(), 3u);
  EXPECT_EQ(entries[0].path, "a.wav");
  EXPECT_EQ(entries[0].text, "h\u00e9 \"x\" }{");
  EXPECT_EQ(entries[0].duration, 1.5);
  EXPECT_EQ(entries[0].offset, 0);
  EXPECT_EQ(entries[1].path, "b.wav");
  EXPECT_EQ(entries[1].offset, 2);
  EXPECT_LT(entries[1].duration, 0);
  EXPECT_EQ(entries[1].text, "");
  EXPECT_EQ(entries[2].path, "c.wav");
  EXPECT_EQ(entries[0].line, 2);
  EXPECT_EQ(entries[1].line, 4);
  EXPECT_EQ(entries[2].line, 6);
}

TEST(Manifest, NothingIsNoEntry) {
  EXPECT_TRUE(parse_manifest("").empty());
  EXPECT_TRUE(parse_manifest(" \n\t\r\n").empty());
}

TEST(Manifest, LinesThatCannotBeTrueAreNamed) {
  const std::string good = "{\"audio_filepath\": \"a.wav\"}\n";
  const std::pair<const char*, const char*> cases[] = {
      {"hello", "line 3: a JSON object was expected"},
      {"[]", "line 3: a JSON object was expected"},
      {"{\"audio_filepath\": \"a", "line 3: the JSON object has no end"},
      {"{\"audio_filepath\": \"a\\", "line 3: the JSON object has no end"},
      {"{\"audio_filepath\" \"a\"}", "line 3: "},
      {"{\"text\": \"a\"}", "line 3: the key `audio_filepath` is missing"},
      {"{\"audio_filepath\": \"\"}", "line 3: the key `audio_filepath` is missing, or empty"},
      {"{\"audio_filepath\": 5}", "line 3: `audio_filepath` must be a string"},
      {"{\"audio_filepath\": \"a\\u0000b\"}", "line 3: `audio_filepath` holds a NUL"},
      {"{\"audio_filepath\": \"a\", \"text\": 5}", "line 3: `text` must be a string"},
      {"{\"audio_filepath\": \"a\", \"duration\": \"5\"}", "line 3: `duration` must be a number"},
      {"{\"audio_filepath\": \"a\", \"duration\": NaN}", "line 3: "},
      {"{\"audio_filepath\": \"a\", \"duration\": 1e300}", "line 3: `duration` is 1e+300, which are no seconds"},
      {"{\"audio_filepath\": \"a\", \"offset\": -0.5}", "line 3: `offset` is -0.5"},
  };
  for (const auto& [line, message] : cases) {
    const std::string text = good + "\n" + line;
    expect_in(message, message_of<DataError>([&] { parse_manifest(text); }));
  }
}

}  // namespace
}  // namespace penstock::nemo
