// What a test expects of code that is compiled for several instruction sets.
#pragma once

#include <gtest/gtest.h>
#include <hwy/targets.h>

#include <cstdint>

namespace penstock::test {

/// Calls expect() with each of those that this processor has and the code was compiled for.
template <class Expect>
void with_every_instruction_set(Expect&& expect) {
  const auto choose = [](int64_t targets) {
    hwy::SetSupportedTargetsForTest(targets);
    hwy::GetChosenTarget().Update(hwy::SupportedTargets());  // or what was chosen first would stay
  };
  for (const int64_t target : hwy::SupportedAndGeneratedTargets()) {
    SCOPED_TRACE(hwy::TargetName(target));
    choose(target);
    expect();
  }
  choose(0);
}

}  // namespace penstock::test
