#!/usr/bin/env bash
# Installs the wheel of ci/wheel.sh into a fresh environment that sees no compiler, uses it there, and checks that it
# asks the loader for no NVIDIA library.
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
no_cuda() {
  "$venv/bin/python" -m zipfile -e "$wheel" "$place/files"
  find "$place/files" -name '*.so*' -print0 | xargs -0 readelf -d | tee "$place/needed"
  ! grep -E 'NEEDED.*lib(cuda|cudart|nvjpeg|npp|nccl|cufile|nvcuvid|nvrtc|cublas)' "$place/needed"
}
step install-wheel "Installing the wheel without a compiler" install_and_use
step wheel-libraries "The wheel needs no NVIDIA library" no_cuda
