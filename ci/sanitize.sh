#!/usr/bin/env bash
# Builds and runs the C++ tests under AddressSanitizer with UndefinedBehaviorSanitizer, and under ThreadSanitizer, each
# in its own build folder. usage: ci/sanitize.sh [address,undefined|thread]
. "$(dirname "$0")/lib.sh"
export ASAN_OPTIONS=detect_leaks=1:strict_string_checks=1 UBSAN_OPTIONS=print_stacktrace=1
# A test starts threads after a fork, where the thread sanitizer would end the process.
export TSAN_OPTIONS=halt_on_error=1:second_deadlock_stack=1:allocator_may_return_null=1:die_after_fork=0

[ $# -gt 0 ] || set -- address,undefined thread
for sanitizers in "$@"; do
  name=${sanitizers%%,*}
  step "build-$name" "Building with $sanitizers sanitizers" build_sanitized "$name" "$sanitizers" all
  step "ctest-$name" "C++ tests with $sanitizers sanitizers" \
    ctest --test-dir "build-$name" --parallel "$jobs" --output-on-failure
  closing "ctest-$name" 'tests passed'
done
