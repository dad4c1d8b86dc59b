#!/usr/bin/env bash
# Builds the fuzz targets of tests/fuzz with clang's libFuzzer and runs each for a while, starting from its folder of
# examples in tests/fuzz/corpus. usage: ci/fuzz.sh [SECONDS]
. "$(dirname "$0")/lib.sh"
seconds=${1:-20}
# All that reads bytes from outside lies in these; with operators and pipeline the build takes twice as long.
layers="core;order;schema;codec;device;kernels;parallel;readers"

build() {
  cmake -S . -B build-fuzz -G Ninja -DCMAKE_CXX_COMPILER=clang++ -DCMAKE_BUILD_TYPE=RelWithDebInfo \
    -DCMAKE_CXX_FLAGS_RELWITHDEBINFO="-O1 -g1" -DPENSTOCK_TESTS=OFF -DPENSTOCK_FUZZ=ON \
    -DPENSTOCK_SANITIZE=address,undefined -DPENSTOCK_LAYERS="$layers"
  cmake --build build-fuzz --parallel "$jobs"
}
fuzz() {
  local grown=build-fuzz/corpus/$1 examples=tests/fuzz/corpus/$1
  mkdir -p "$grown"
  [ -d "$examples" ] || examples=
  "build-fuzz/tests/fuzz/$1" -max_total_time="$seconds" -rss_limit_mb=2048 -timeout=10 -print_final_stats=1 \
    -artifact_prefix="build-fuzz/$1-" "$grown" $examples
}
step build-fuzz "Building the fuzz targets" build
for target in tests/fuzz/*.cc; do
  name=$(basename "$target" .cc)
  step "fuzz-$name" "Fuzzing $name for $seconds s" fuzz "$name"
done
