#!/usr/bin/env bash
# Makes the wheel in dist/: built, repaired by auditwheel so that it carries the image libraries, finished with
# their licences and a list of what is in it (ci/finish_wheel.py), and under 60 MB.
# RELEASE=1: for all GPUs from compute capability 7.5 on, several times as long, and with CODECS=1; else a plain build.
# CODECS=1: with current image libraries, built of pinned sources (cmake/codecs, needs nasm) instead of the system's.
# The sources are downloaded unless the folder PENSTOCK_CODEC_SOURCES has them.
# ARCH=aarch64: for that processor, with what ci/cross.sh got; system libraries are then those of arm64.
. "$(dirname "$0")/lib.sh"
bin=$venv/bin
folder=build-wheel  # beside build/: with the same paths from it ccache finds the same objects
defines=()
if [ -n "${RELEASE:-}" ]; then
  folder=build-wheel-release
  CODECS=1
  defines+=("-Ccmake.define.CMAKE_CUDA_ARCHITECTURES=75-real;80-real;86-real;89-real;90-real;100-real;120")
fi
if [ -n "${CODECS:-}" ]; then
  [ -n "${RELEASE:-}" ] || folder=build-wheel-codecs
  defines+=("-Ccmake.define.PENSTOCK_BUNDLED_CODECS=ON"
    "-Ccmake.define.PENSTOCK_CODEC_SOURCES=${PENSTOCK_CODEC_SOURCES:-}")
fi

# How auditwheel and ci/finish_wheel.py find the libraries that the wheel gets, and who made them.
repair=()
finish=()
if [ -n "$cross" ]; then
  folder+=-$cross
  python=python$("$bin/python" -c 'import sys; print("%d.%d" % sys.version_info[:2])')
  include=$sysroot/usr/include/$python
  [ -d "$include" ] || { echo "$sysroot has no headers of $python: make .venv with its Python"; exit 1; }
  export _PYTHON_HOST_PLATFORM=linux-$cross  # the wheel's name, and the module's
  suffix=$("$bin/python" -c 'import sysconfig; print(sysconfig.get_config_var("EXT_SUFFIX"))')
  export SETUPTOOLS_EXT_SUFFIX=${suffix/$(uname -m)/$cross}
  defines+=("-Ccmake.define.CMAKE_TOOLCHAIN_FILE=$root/cmake/$cross-linux-gnu.cmake"
    "-Ccmake.define.Python_INCLUDE_DIR=$include")
  PATH=$(dirname "$(realpath -s "$(aarch64-linux-gnu-gcc -print-prog-name=strip)")"):$PATH
  repair=(--ldpaths "$root/$folder/codecs/lib:$sysroot/usr/lib/$cross-linux-gnu")
  finish=(--root "$sysroot")
fi
[ -z "${CODECS:-}" ] || finish+=(--codecs "$folder/codecs")

# Compilers and zip files write times: those of the commit, so that one commit makes one wheel.
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct 2>/dev/null || echo 315532800)}
export SOURCE_DATE_EPOCH

# The oldest JAX that is tested (docs/jax.md): a wheel built with a newer one's headers would not work with it.
jaxlib=0.10.0
build() {
  rm -rf dist build/wheel
  "$bin/python" -m pip install -q --no-deps --only-binary :all: --upgrade --target build/jaxlib "jaxlib==$jaxlib"
  PENSTOCK_TESTS=OFF CMAKE_BUILD_PARALLEL_LEVEL=$jobs \
    "$bin/python" -m pip wheel -v --no-deps --no-build-isolation -w build/wheel "-Cbuild-dir=$folder" "${defines[@]}" \
    "-Ccmake.define.PENSTOCK_XLA_HEADERS=$root/build/jaxlib/jaxlib/include" .
  # Where auditwheel finds the libraries that it copies; the system's, if there are no others.
  PATH=$bin:$PATH LD_LIBRARY_PATH=$root/$folder/codecs/lib \
    "$bin/auditwheel" repair --strip "${repair[@]}" -w dist build/wheel/*.whl
  "$bin/python" ci/finish_wheel.py dist/*.whl "${finish[@]}"
}
step wheel "Building the wheel" build
wheel=$(echo dist/*.whl)
size=$(stat -c %s "$wheel")
printf '    %s, %d.%d MB\n' "$wheel" $((size / 1000000)) $((size / 100000 % 10))
[ "$size" -lt 60000000 ] || { echo "The wheel may not be larger than 60 MB."; exit 1; }
