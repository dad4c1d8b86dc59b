#!/usr/bin/env bash
# Makes an operator of each kind with tools/new_op.py, builds and tests them, and sees that nothing is left when their
# files are deleted. Takes minutes, and the checkout to itself.
. "$(dirname "$0")/lib.sh"
op=made_for_a_test
tape=made_tape_for_a_test
made=(src/ops/image/$op.cc src/readers/$tape tests/python/ops/test_$op.py tests/python/ops/test_$tape.py)
trap 'rm -rf "${made[@]}"' EXIT

conformance() {
  "$venv/bin/python" -m pytest -p no:cacheprovider -q tests/python/conformance \
    -k "($op or $tape) and not documented and not stubs and not pages"
}
gone() {
  "$venv/bin/python" -c "from penstock import fn; assert not hasattr(fn, '$op') and not hasattr(fn.readers, '$tape')"
}

step new_op "Making an operator" "$venv/bin/python" tools/new_op.py "image/$op"
step new_reader "Making a reader" "$venv/bin/python" tools/new_op.py --kind reader "$tape"
ci/build.sh tests
step new_op_test "Their tests" "$venv/bin/python" -m pytest -p no:cacheprovider -q "${made[@]:2}"
step new_op_conformance "Conformance tests, which they are in unasked" conformance
step new_op_gpu "A GPU form, or a reason why there is none" build/test_pipeline --gtest_brief=1 \
  "--gtest_filter=*EveryOperator.*/*made_*for_a_test"
rm -r "${made[@]}"
ci/build.sh tests
step new_op_gone "They are gone" gone
ci/generated.sh
