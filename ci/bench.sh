#!/usr/bin/env bash
# Compares Penstock with other loaders (python -m penstock.bench), then builds and runs the C++ benchmarks. All results,
# with the machine's facts, go to build/bench/*.json. usage: ci/bench.sh [arguments of penstock.bench]
. "$(dirname "$0")/lib.sh"
shared=${PENSTOCK_SHARED:-$root/../shared}/data
build() {
  cmake -S . -B build -DPENSTOCK_BENCH=ON
  cmake --build build --parallel "$jobs"
  mkdir -p build/bench
}
step bench "Building the benchmarks" build
real=()
[ ! -d "$shared/photos" ] || real+=(--photos "$shared/photos")
[ ! -d "$shared/mnist" ] || real+=(--mnist "$shared/mnist")
"$venv/bin/python" -m penstock.bench --data build/bench/data --json build/bench/loaders.json "${real[@]}" "$@"
# The files that loaders have just read.
sets=(build/bench/data/444-*/files)
export PENSTOCK_JPEGS=${PENSTOCK_JPEGS:-${sets[-1]}}
for program in build/bench/cpp/*_bench; do
  "$program" --benchmark_out="build/bench/$(basename "$program").json" --benchmark_out_format=json
done
