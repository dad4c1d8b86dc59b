#!/usr/bin/env bash
# Builds the fuzz targets of tests/fuzz with clang's libFuzzer and runs each for a while, starting from its folder of
# examples in tests/fuzz/corpus. usage: ci/fuzz.sh [SECONDS]
. "$(dirname "$0")/lib.sh"
seconds=${1:-20}
fuzz() {
  local grown=build-address/corpus/$1 examples=tests/fuzz/corpus/$1
  mkdir -p "$grown"
  [ -d "$examples" ] || examples=
  "build-address/tests/fuzz/$1" -max_total_time="$seconds" -rss_limit_mb=2048 -timeout=10 -print_final_stats=1 \
    -artifact_prefix="build-address/$1-" "$grown" $examples
}
step build-fuzz "Building the fuzz targets" build_sanitized address address,undefined fuzz
for target in tests/fuzz/*.cc; do
  name=$(basename "$target" .cc)
  step "fuzz-$name" "Fuzzing $name for $seconds s" fuzz "$name"
done
