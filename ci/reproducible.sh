#!/usr/bin/env bash
# Makes the wheel of the last commit twice, in two folders, one after the other, without compilers' caches, and compares
# them byte for byte. Takes what two whole builds take; variables of ci/wheel.sh hold here, too. CACHED=1: objects come
# from ccache, so that only linking and packing are tried.
. "$(dirname "$0")/lib.sh"
[ -n "${CACHED:-}" ] || export CCACHE_DISABLE=1
places=("$root/build/again/one" "$root/build/again/another-folder")

make_in() {
  rm -rf "$1"
  git clone -q --no-hardlinks "$root" "$1"
  # What ci/cross.sh got is an input, as compilers are.
  [ -z "$cross" ] || { mkdir -p "$1/build" && ln -s "$sysroot" "$root/build/cuda-$cross" "$1/build/"; }
  PENSTOCK_VENV=$venv "$1/ci/wheel.sh"
}
for place in "${places[@]}"; do
  step "again-$(basename "$place")" "Making the wheel in $(basename "$place")" make_in "$place"
done
"$venv/bin/python" tools/compare_wheels.py "${places[0]}"/dist/*.whl "${places[1]}"/dist/*.whl
