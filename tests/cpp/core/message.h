// What errors say.
#pragma once

#include <gtest/gtest.h>

#include <exception>
#include <string>
#include <string_view>

namespace penstock::test {

/// Message of the error `E` that `action` must throw.
template <class E, class Action>
std::string message_of(Action&& action) {
  try {
    action();
  } catch (const E& e) {
    return e.what();
  } catch (const std::exception& e) {
    ADD_FAILURE() << "another error was thrown: " << e.what();
    return "";
  }
  ADD_FAILURE() << "no error was thrown";
  return "";
}

inline void expect_in(std::string_view part, const std::string& whole) {
  EXPECT_NE(whole.find(part), std::string::npos) << "\"" << part << "\" is not in \"" << whole << "\"";
}

}  // namespace penstock::test
