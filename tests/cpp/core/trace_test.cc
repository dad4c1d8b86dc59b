#include "core/trace.h"

#include <gtest/gtest.h>

namespace penstock {
namespace {

TEST(Trace, WritesCompleteEventsThatPerfettoReads) {
  Trace trace;
  const auto start = Trace::Clock::now();
  trace.add("decode \"a\\b\"", start, start + std::chrono::microseconds(250), 3, 7);
  trace.add("resize", start, start, 4, -1);
  const std::string json = trace.json();
  EXPECT_NE(json.find(R"("name":"decode \"a\\b\"")"), std::string::npos) << json;
  EXPECT_NE(json.find(R"("ph":"X")"), std::string::npos) << json;
  EXPECT_NE(json.find(R"("dur":250.000)"), std::string::npos) << json;
  EXPECT_NE(json.find(R"("args":{"batch":3,"sample":7})"), std::string::npos) << json;
  EXPECT_EQ(json.find(",,"), std::string::npos);
}

TEST(Trace, IsOffUntilAskedFor) {
  Trace trace;
  EXPECT_FALSE(trace.enabled());
  trace.set_enabled(true);
  EXPECT_TRUE(trace.enabled());
}

TEST(Trace, KeepsWhatWasRecordedUntilTheNextRecordingBegins) {
  Trace trace;
  const auto start = Trace::Clock::now();
  trace.set_enabled(true);
  trace.add("first", start, start, 0, 0);
  trace.set_enabled(false);
  EXPECT_NE(trace.json().find("first"), std::string::npos);
  trace.set_enabled(true);
  EXPECT_EQ(trace.json().find("first"), std::string::npos);
}

}  // namespace
}  // namespace penstock
