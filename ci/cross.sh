#!/usr/bin/env bash
# For ARCH=aarch64 on a machine of another kind: gets what such programs are linked and run with, where
# cmake/aarch64-linux-gnu.cmake looks for it.
# build/sysroot-aarch64: Debian's or Ubuntu's packages for arm64, unpacked and not installed. apt takes them from where
# this machine's own come from; APT_SOURCES names another sources.list (Ubuntu has arm64 on servers of its own).
# build/cuda-aarch64: the CUDA toolkit of nvcc with the runtime for aarch64. Without nvcc the wheel has no GPU half.
. "$(dirname "$0")/lib.sh"
cuda=$root/build/cuda-aarch64
wanted="${libraries[*]} ${test_libraries[*]} ${APT_SOURCES:-}"

# apt with lists, packages and a state of its own, as if nothing were installed: it finds all that is needed.
apt_of_arm() {
  local state=$sysroot/apt
  apt-get -q -y -o APT::Architecture=arm64 -o APT::Architectures=arm64 -o APT::Install-Recommends=false \
    -o Dir::State="$state" -o Dir::State::Lists="$state/lists" -o Dir::State::status="$state/status" \
    -o Dir::Cache="$state" -o Dir::Cache::archives="$state/archives" -o Debug::NoLocking=1 -o APT::Sandbox::User= \
    ${APT_SOURCES:+-o Dir::Etc::SourceList="$APT_SOURCES" -o Dir::Etc::SourceParts=/dev/null} "$@"
}

# unpack FILE: its files, and what dpkg-query says of it (ci/finish_wheel.py asks for owners and versions).
unpack() {
  local database=$sysroot/var/lib/dpkg name
  name=$(dpkg-deb -f "$1" Package)
  [ "$(dpkg-deb -f "$1" Multi-Arch)" != same ] || name+=:arm64
  dpkg-deb --fsys-tarfile "$1" | tar -x --no-same-owner --keep-directory-symlink -C "$sysroot"
  dpkg-deb --fsys-tarfile "$1" | tar -t | sed 's,^\.,,; s,/$,,; s,^$,/.,' >"$database/info/$name.list"
  { dpkg-deb -f "$1" && printf 'Status: install ok installed\n\n'; } >>"$database/status"
}

get_sysroot() {
  rm -rf "$sysroot"
  mkdir -p "$sysroot"/{usr/{bin,lib,sbin},apt/{lists,archives}/partial,var/lib/dpkg/info}
  for folder in bin lib sbin; do ln -s "usr/$folder" "$sysroot/$folder"; done
  : >"$sysroot/apt/status"
  echo 1 >"$sysroot/var/lib/dpkg/info/format"
  printf '%s\n' "$(dpkg --print-architecture)" arm64 >"$sysroot/var/lib/dpkg/arch"
  apt_of_arm update
  apt_of_arm install --download-only "${libraries[@]}" "${test_libraries[@]}"
  for file in "$sysroot"/apt/archives/*.deb; do unpack "$file"; done
  rm -r "$sysroot/apt"
  # Links that begin at / would leave the folder.
  find "$sysroot" -type l -lname '/*' -printf '%p\t%l\n' | while IFS=$'\t' read -r link target; do
    ln -sfnr "$sysroot$target" "$link"
  done
  echo "$wanted" >"$sysroot/built"
}

# nvcc finds headers and libraries from where it lies: a copy of it, links to the rest, and the runtime for aarch64.
get_cuda() {
  local toolkit version
  toolkit=$(dirname "$(dirname "$(readlink -f "$1")")")
  version=$("$1" --version | sed -n 's/.*release \([0-9.]*\),.*/\1/p')
  rm -rf "$cuda"
  mkdir -p "$cuda"/{bin,lib,dist-info}
  ln -s lib "$cuda/lib64"
  for file in "$toolkit"/bin/*; do ln -s "$file" "$cuda/bin/"; done
  rm "$cuda"/bin/nvcc{,.profile}
  cp "$toolkit"/bin/nvcc{,.profile} "$cuda/bin/"
  ln -s "$toolkit/nvvm" "$cuda/nvvm"
  if [ -e "$toolkit/targets/sbsa-linux/lib/libcudart_static.a" ]; then
    ln -s "$toolkit/targets/sbsa-linux/include" "$cuda/include"
    ln -s "$toolkit"/targets/sbsa-linux/lib/* "$cuda/lib/"
    ln -s "$toolkit/EULA.txt" "$cuda/"
  else
    ln -s "$toolkit/include" "$cuda/include"
    "$venv/bin/python" -m pip download -q --no-deps --only-binary :all: --platform manylinux2014_aarch64 \
      -d "$cuda/wheel" "nvidia-cuda-runtime==$version.*"
    "$venv/bin/python" -m zipfile -e "$cuda"/wheel/*.whl "$cuda/wheel"
    mv "$cuda"/wheel/*.dist-info "$cuda/dist-info/"
    mv "$cuda"/wheel/nvidia/*/lib/* "$cuda/lib/"
    ln -s "$(basename "$cuda"/lib/libcudart.so.*)" "$cuda/lib/libcudart.so"
    rm -r "$cuda/wheel"
  fi
  "$1" --version >"$cuda/built"
}

[ -n "$cross" ] || exit 0
command -v dpkg-deb apt-get >/dev/null || { echo "ARCH=$ARCH needs Debian or Ubuntu: dpkg-deb and apt-get."; exit 1; }
[ "$(cat "$sysroot/built" 2>/dev/null)" = "$wanted" ] || step sysroot "Unpacking libraries for arm64" get_sysroot
nvcc=$(command -v "${CUDACXX:-nvcc}" || command -v /usr/local/cuda/bin/nvcc || true)
if [ -z "$nvcc" ]; then
  rm -rf "$cuda"
  echo "  There is no nvcc: the wheel will have no GPU half, and penstock doctor will say so."
elif ! cmp -s <("$nvcc" --version) "$cuda/built"; then
  step cuda "Getting CUDA's runtime for arm64" get_cuda "$nvcc"
fi
