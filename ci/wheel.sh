#!/usr/bin/env bash
# Makes the wheel in dist/: built, repaired by auditwheel so that it carries the image libraries, and under 60 MB.
# RELEASE=1: for all GPUs from compute capability 7.5 on, which takes several times as long; else as a plain build.
. "$(dirname "$0")/lib.sh"
bin=$venv/bin
folder=build/wheel-cmake
gpus=()
if [ -n "${RELEASE:-}" ]; then
  folder=build/wheel-release
  gpus=("-Ccmake.define.CMAKE_CUDA_ARCHITECTURES=75-real;80-real;86-real;89-real;90-real;100-real;120")
fi

# The oldest JAX that is tested (docs/jax.md): a wheel built with a newer one's headers would not work with it.
jaxlib=0.10.0
build() {
  rm -rf dist build/wheel
  "$bin/python" -m pip install -q --no-deps --only-binary :all: --upgrade --target build/jaxlib "jaxlib==$jaxlib"
  PENSTOCK_TESTS=OFF CMAKE_BUILD_PARALLEL_LEVEL=$jobs \
    "$bin/python" -m pip wheel -v --no-deps --no-build-isolation -w build/wheel "-Cbuild-dir=$folder" "${gpus[@]}" \
    "-Ccmake.define.PENSTOCK_XLA_HEADERS=$root/build/jaxlib/jaxlib/include" .
  PATH=$bin:$PATH "$bin/auditwheel" repair --strip -w dist build/wheel/*.whl
}
step wheel "Building the wheel" build
wheel=$(echo dist/*.whl)
size=$(stat -c %s "$wheel")
printf '    %s, %d.%d MB\n' "$wheel" $((size / 1000000)) $((size / 100000 % 10))
[ "$size" -lt 60000000 ] || { echo "The wheel may not be larger than 60 MB."; exit 1; }
