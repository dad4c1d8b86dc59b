#!/usr/bin/env bash
# Builds the fuzz targets of tests/fuzz with clang's libFuzzer and runs each for a while, as many at a time as there are
# cores, starting from its folder of examples in tests/fuzz/corpus. usage: ci/fuzz.sh [SECONDS]
. "$(dirname "$0")/lib.sh"
seconds=${1:-20}
export seconds logs
fuzz() {
  local grown=build-address/corpus/$1 examples=tests/fuzz/corpus/$1 log=$logs/fuzz-$1.log
  mkdir -p "$grown"
  [ -d "$examples" ] || examples=
  if "build-address/tests/fuzz/$1" -max_total_time="$seconds" -rss_limit_mb=2048 -timeout=10 -print_final_stats=1 \
    -artifact_prefix="build-address/$1-" "$grown" $examples >"$log" 2>&1; then
    echo "$1: $(grep -a number_of_executed_units "$log")"
  else
    echo "$1 found something:"
    tail -n 60 "$log"
    return 1
  fi
}
export -f fuzz
fuzz_all() { printf '%s\n' "${targets[@]}" | xargs -P "$jobs" -n 1 bash -c 'fuzz "$0"'; }
step build-fuzz "Building the fuzz targets" build_sanitized address address,undefined fuzz
targets=()
for target in tests/fuzz/*.cc; do targets+=("$(basename "$target" .cc)"); done
step fuzz "Fuzzing ${#targets[@]} parsers for $seconds s each" fuzz_all
