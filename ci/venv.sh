#!/usr/bin/env bash
# Makes .venv and installs the Python packages that pyproject.toml names for an extra; nothing that is there already.
# usage: ci/venv.sh demo|test
. "$(dirname "$0")/lib.sh"
python=$venv/bin/python
stamp=$venv/.penstock-$1

[ -x "$python" ] || step venv "Making a Python environment" "${PYTHON:-python3}" -m venv "$venv"
"$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' ||
  { echo "Penstock needs Python 3.11 or later. Remove .venv and say which one: make PYTHON=python3.12"; exit 1; }
packages() {
  "$python" -m pip install --upgrade "pip>=25"
  "$python" -m pip install -r "$stamp.txt"
}
"$python" ci/requirements.py "$1" >"$stamp.txt"
if ! cmp -s "$stamp.txt" "$stamp"; then
  step packages "Installing Python packages" packages
  mv "$stamp.txt" "$stamp"
fi
