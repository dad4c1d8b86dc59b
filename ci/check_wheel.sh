#!/usr/bin/env bash
# Installs the wheel of ci/wheel.sh into a fresh environment that sees no compiler, uses it there, and checks that it
# asks the loader for no NVIDIA library. ARCH=aarch64: Python of ci/cross.sh's folder uses it, under emulation.
. "$(dirname "$0")/lib.sh"
wheel=$(echo "$root"/dist/*.whl)
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT

install_and_use() {
  "$venv/bin/python" -m venv "$place/venv"
  cd "$place"
  env PATH="$place/venv/bin" "$place/venv/bin/python" -m pip install --only-binary :all: "$wheel"
  env PATH="$place/venv/bin" "$place/venv/bin/python" "$root/ci/use_wheel.py"
}
install_and_emulate() {
  local version platforms
  version=$("$venv/bin/python" -c 'import sys; print("%d.%d" % sys.version_info[:2])')
  platforms=(--platform "linux_$cross" --platform "manylinux2014_$cross")
  for minor in $(seq 17 50); do platforms+=(--platform "manylinux_2_${minor}_$cross"); done  # pip takes no ranges
  "$venv/bin/python" -m pip install --only-binary :all: --python-version "$version" "${platforms[@]}" \
    --target "$place/packages" "$wheel"
  cd "$place"
  PYTHONPATH=$place/packages qemu-aarch64-static -L "$sysroot" "$sysroot/usr/bin/python$version" "$root/ci/use_wheel.py"
}
no_cuda() {
  "$venv/bin/python" -m zipfile -e "$wheel" "$place/files"
  find "$place/files" -name '*.so*' -print0 | xargs -0 readelf -d | tee "$place/needed"
  ! grep -E 'NEEDED.*lib(cuda|cudart|nvjpeg|npp|nccl|cufile|nvcuvid|nvrtc|cublas)' "$place/needed"
}
if [ -n "$cross" ]; then
  step install-wheel "Using the wheel under emulation" install_and_emulate
else
  step install-wheel "Installing the wheel without a compiler" install_and_use
fi
step wheel-libraries "The wheel needs no NVIDIA library" no_cuda
