#!/usr/bin/env bash
# The inner loop: builds with ninja what is asked about, without pip, and tests that alone.
# usage: ci/inner.sh check OPERATOR | cpp [LAYER] | py [WORDS] | report | explain OPERATOR
. "$(dirname "$0")/lib.sh"
python=$venv/bin/python
[ -e build/build.ninja ] || ci/build.sh tests

# compile TARGET...: and puts the module where the editable package has its own.
compile() {
  cmake --build build --parallel "$jobs" --target "$@" _core
  local packages
  packages=$("$python" -c 'import sysconfig; print(sysconfig.get_path("platlib"))')
  cmake --install build --component python --prefix "$packages"
}
# tests PYTEST-ARGUMENT...: no tests of that name is no failure.
tests() {
  local status=0
  "$python" -m pytest -p no:cacheprovider -q "$@" || status=$?
  [ "$status" = 0 ] || [ "$status" = 5 ]
}

check() {
  local found
  found=$("$python" tools/operator_files.py "$1")
  eval "$found"
  step compile "Building tests of $layer, and the module" compile "test_$layer" test_pipeline
  [ -z "$cpp_filter" ] ||
    step cpp "C++ tests of $stem" "build/test_$layer" --gtest_brief=1 "--gtest_filter=$cpp_filter"
  step every "What holds for every operator" build/test_pipeline --gtest_brief=1 "--gtest_filter=$every_filter"
  [ "${#whole[@]}" = 0 ] || step own "Python tests in ${whole[*]##*/}" tests "${whole[@]}"
  [ "${#parts[@]}" = 0 ] || step parts "Python tests named after it" tests "${parts[@]}" -k "$stem"
  step conformance "Conformance" tests tests/python/conformance --operator "$1"
  closing conformance 'passed|failed'
}
cpp() {
  local layers=("$@")
  [ "$#" -gt 0 ] || mapfile -t layers < <(find tests/cpp -name '*_test.cc' -printf '%P\n' | cut -d/ -f1 | sort -u)
  step compile "Building C++ tests" cmake --build build --parallel "$jobs" --target "${layers[@]/#/test_}"
  for layer in "${layers[@]}"; do step "cpp_$layer" "C++ tests of $layer" "build/test_$layer" --gtest_brief=1; done
}
py() {
  step compile "Building the module" compile
  step py "Python tests${1:+ with $1}" tests tests/python ${1:+-k "$1"}
  closing py 'passed|failed'
}
report() { "$python" tools/build_report.py build/.ninja_log; }
explain() { "$python" tools/explain_operator.py "$1"; }

case "${1:-} ${2:-}" in
  "check "?* | "explain "?* | "cpp "* | "py "* | "report "*) "$@" ;;
  *) sed -n 's/^# usage: //p' "$0" >&2 && exit 2 ;;
esac
