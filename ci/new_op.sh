#!/usr/bin/env bash
# Makes an operator with tools/new_op.py, builds and tests it, and sees that nothing of it is left when its two files
# are deleted. Takes a minute, and the checkout to itself.
. "$(dirname "$0")/lib.sh"
op=made_for_a_test
source=src/ops/image/$op.cc
test=tests/python/ops/test_$op.py
trap 'rm -f "$source" "$test"' EXIT

conformance() {
  "$venv/bin/python" -m pytest -p no:cacheprovider -q tests/python/conformance \
    -k "$op and not documented and not stubs and not pages"
}
gone() { "$venv/bin/python" -c "from penstock import fn; assert not hasattr(fn, '$op')"; }

step new_op "Making an operator" "$venv/bin/python" tools/new_op.py "image/$op"
ci/build.sh tests
step new_op_test "Its test" "$venv/bin/python" -m pytest -p no:cacheprovider -q "$test"
step new_op_conformance "Conformance tests, which it is in unasked" conformance
rm "$source" "$test"
ci/build.sh tests
step new_op_gone "It is gone" gone
ci/generated.sh
