#!/usr/bin/env bash
# Makes something of each kind with tools/new_op.py, builds and tests it, and sees that nothing is left when its files
# are deleted. Takes minutes, and the checkout to itself.
. "$(dirname "$0")/lib.sh"
kinds=(elementwise separable sampled)
ops=(made_elementwise_for_a_test made_separable_for_a_test made_sampled_for_a_test)
tape=made_tape_for_a_test
format=made_format_for_a_test
tests=(tests/python/ops/test_$tape.py tests/python/test_format_$format.py)
made=(src/readers/$tape src/codec/$format)
for op in "${ops[@]}"; do
  tests+=(tests/python/ops/test_$op.py)
  made+=(src/ops/image/$op.cc)
done
made+=("${tests[@]}")
trap 'rm -rf "${made[@]}"' EXIT

conformance() {
  "$venv/bin/python" -m pytest -p no:cacheprovider -q tests/python/conformance \
    -k "for_a_test and not documented and not stubs and not pages"
}
gone() {
  "$venv/bin/python" -c \
    "from penstock._schema import public_names; assert not [one for one in public_names() if 'for_a_test' in one]"
}

for i in "${!kinds[@]}"; do
  step "new_${kinds[i]}" "Making an operator" "$venv/bin/python" tools/new_op.py --kind "${kinds[i]}" "image/${ops[i]}"
done
step new_reader "Making a reader" "$venv/bin/python" tools/new_op.py --kind reader "$tape"
step new_codec "Making a codec" "$venv/bin/python" tools/new_op.py --kind codec "$format"
ci/build.sh tests
step new_op_test "Their tests" "$venv/bin/python" -m pytest -p no:cacheprovider -q "${tests[@]}"
step new_op_conformance "Conformance tests, which they are in unasked" conformance
step new_op_gpu "A GPU form, or a reason why there is none" build/test_pipeline --gtest_brief=1 \
  "--gtest_filter=*EveryOperator.*/*made_*for_a_test"
rm -r "${made[@]}"
ci/build.sh tests
step new_op_gone "They are gone" gone
ci/generated.sh
