#!/usr/bin/env bash
# Builds the C++ library and the Python module in build/ and installs them into .venv as an editable package. Only what
# changed is built. usage: ci/build.sh [tests]
. "$(dirname "$0")/lib.sh"
export PENSTOCK_TESTS=OFF CMAKE_BUILD_PARALLEL_LEVEL=$jobs
[ "${1:-}" != tests ] || PENSTOCK_TESTS=ON
step build "Building" "$venv/bin/python" -m pip install -v --no-deps --no-build-isolation -Cbuild-dir=build -e .
