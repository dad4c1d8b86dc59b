#!/usr/bin/env bash
# Installs the compiler and the libraries that Penstock is built from, if any is missing. Debian 12, Ubuntu 24.04 and
# their successors. usage: ci/install_system.sh build|test|docs
. "$(dirname "$0")/lib.sh"

packages=(python3-venv g++ cmake ninja-build pkg-config "${libraries[@]}")
if [ "${1:-build}" = test ]; then
  packages+=("${test_libraries[@]}" clang libclang-rt-dev git ccache)
fi
[ "${1:-build}" != docs ] || packages+=(doxygen)
[ -z "$cross" ] || packages+=(g++-aarch64-linux-gnu qemu-user-static)

# Launchers of docs/clusters.md, for the gate alone (.ci/run): packages of Slurm start its daemons with the computer.
[ -z "${PENSTOCK_STRICT:-}" ] || packages+=(openmpi-bin slurmctld slurmd slurm-client munge)

[ -z "${CODECS:-}${RELEASE:-}" ] || packages+=(nasm)  # libjpeg-turbo's (cmake/codecs)

if ! command -v dpkg-query >/dev/null; then
  echo "This is not Debian or Ubuntu: if the build misses a library, install what these packages hold: ${packages[*]}"
  exit 0
fi
missing=()
for package in "${packages[@]}"; do
  [ "$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null)" = installed ] || missing+=("$package")
done
[ ${#missing[@]} -gt 0 ] || exit 0

sudo=()
if [ "$(id -u)" != 0 ]; then
  command -v sudo >/dev/null || { echo "Please run as root: apt-get install ${missing[*]}"; exit 1; }
  sudo -v  # asks for the password now, where it can be seen
  sudo=(sudo)
fi
install() {
  export DEBIAN_FRONTEND=noninteractive
  "${sudo[@]}" apt-get update -q
  "${sudo[@]}" apt-get install -y -q --no-install-recommends "${missing[@]}"
}
step system "Installing ${#missing[@]} system packages" install
