#!/usr/bin/env bash
# Runs the C++ tests and the Python tests of what ci/build.sh tests has built.
. "$(dirname "$0")/lib.sh"
step ctest "C++ tests" ctest --test-dir build --parallel "$jobs" --output-on-failure
closing ctest 'tests passed'
step pytest "Python tests" "$venv/bin/python" -m pytest --numprocesses "$jobs" --dist loadfile
closing pytest '^=.* (passed|failed)'
