# Sourced by the scripts of this folder: where things are, and how a step is shown.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cd "$root"
logs=$root/build/logs
venv=${PENSTOCK_VENV:-$root/.venv}
jobs=${PENSTOCK_JOBS:-$(nproc)}
mkdir -p "$logs"
# What Penstock is linked with, as packages of Debian and Ubuntu.
libraries=(python3-dev libjpeg-dev libpng-dev libtiff-dev libwebp-dev libopenjp2-7-dev libgif-dev liblmdb-dev libhwy-dev
  libfmt-dev nlohmann-json3-dev libsimdjson-dev libprotozero-dev zlib1g-dev libzstd-dev
  libsndfile1)  # opened at run time: sound files are read with it
test_libraries=(libgtest-dev libgmock-dev libbenchmark-dev)
# The processor that the wheel is for, where it is not this machine's (ARCH=aarch64).
cross=${ARCH:-}
[ "$cross" != "$(uname -m)" ] || cross=
case $cross in
  "" | aarch64) ;;
  *) echo "ARCH=$cross: wheels are made for this machine's processor or aarch64" && exit 2 ;;
esac
sysroot=$root/build/sysroot-aarch64
# The wheel is made of the same objects as the build before it: where ccache is, they are compiled once. Checkouts in
# different folders share them, since the compiler gets paths that begin in the checkout's folder.
export CCACHE_BASEDIR=$root CCACHE_NOHASHDIR=1
if command -v ccache >/dev/null; then export CMAKE_CXX_COMPILER_LAUNCHER=ccache CMAKE_CUDA_COMPILER_LAUNCHER=ccache; fi

# build_sanitized NAME SANITIZERS TARGET: in build-NAME, with clang, which takes half of the time and looks at all
# sources with other eyes. Fuzz targets are of the same objects as the tests under the address sanitizer.
build_sanitized() {
  export CCACHE_SLOPPINESS=pch_defines,time_macros  # without it ccache keeps nothing that has a precompiled header
  cmake -S . -B "build-$1" -G Ninja -DCMAKE_CXX_COMPILER=clang++ -DCMAKE_BUILD_TYPE=RelWithDebInfo \
    -DCMAKE_CXX_FLAGS_RELWITHDEBINFO="-O1 -g1" -DPENSTOCK_SANITIZE="$2" \
    -DPENSTOCK_FUZZ="$([ "$1" = address ] && echo ON || echo OFF)"
  cmake --build "build-$1" --parallel "$jobs" --target "$3"
}

# step NAME TEXT COMMAND...: runs the command with its output in build/logs/NAME.log, shows one line that counts the
# seconds and what ninja or pytest say of their progress. When the command fails, it shows the first failures in the log
# and the log's end.
step() {
  local name=$1 text=$2 log=$logs/$1.log start=$SECONDS status=0
  shift 2
  "$@" >"$log" 2>&1 </dev/null &
  local job=$!
  trap 'kill "$job" 2>/dev/null; exit 130' INT TERM
  while [ -t 1 ] && kill -0 "$job" 2>/dev/null; do
    printf '\r  %-46s %4d s  %-12s' "$text" $((SECONDS - start)) \
      "$(grep -aoE '\[ *[0-9]+(/[0-9]+|%)\]' "$log" | tail -n 1)"
    sleep 0.5
  done
  wait "$job" || status=$?
  trap - INT TERM
  [ ! -t 1 ] || printf '\r%72s\r' ''
  if [ "$status" = 0 ]; then
    printf '  %-46s %4d s\n' "$text" $((SECONDS - start))
  else
    printf '  %-46s failed\n\n' "$text"
    # What a compiler or a C++ test said may stand far from the end, which only counts.
    grep -aE -m 3 -A 40 '^FAILED: |\*\*\*(Failed|Exception|Timeout|Not Run)' "$log" || true
    tail -n "${PENSTOCK_LOG_LINES:-60}" "$log"
    printf '\nThe whole log: %s\n' "${log#"$root"/}"
    return "$status"
  fi
}

# closing NAME PATTERN: the last line of a step's log that matches, so that a quiet run still says what was counted.
closing() { { grep -aE "$2" "$logs/$1.log" || true; } | tail -n 1 | sed 's/^=* *//; s/ *=*$//; s/^/    /'; }
