#!/usr/bin/env bash
# Builds the C++ benchmarks and runs them, then compares Penstock with other loaders (python -m penstock.bench). All
# results, with the machine's facts, go to build/bench/*.json. usage: ci/bench.sh [arguments of penstock.bench]
. "$(dirname "$0")/lib.sh"
shared=${PENSTOCK_SHARED:-$root/../shared}/data
build() {
  cmake -S . -B build -DPENSTOCK_BENCH=ON
  cmake --build build --parallel "$jobs"
  mkdir -p build/bench
}
step bench "Building the benchmarks" build
for program in build/bench/cpp/*_bench; do
  "$program" --benchmark_out="build/bench/$(basename "$program").json" --benchmark_out_format=json
done
real=()
[ ! -d "$shared/photos" ] || real+=(--photos "$shared/photos")
[ ! -d "$shared/mnist" ] || real+=(--mnist "$shared/mnist")
"$venv/bin/python" -m penstock.bench --data build/bench/data --json build/bench/loaders.json "${real[@]}" "$@"
