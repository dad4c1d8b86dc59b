#!/usr/bin/env bash
# Builds the C++ benchmarks and runs them; the results, with the machine's facts, go to build/bench/NAME.json.
. "$(dirname "$0")/lib.sh"
build() {
  cmake -S . -B build -DPENSTOCK_BENCH=ON
  cmake --build build --parallel "$jobs"
  mkdir -p build/bench
}
step bench "Building the benchmarks" build
for program in build/bench/cpp/*_bench; do
  "$program" --benchmark_out="build/bench/$(basename "$program").json" --benchmark_out_format=json
done
