#!/usr/bin/env bash
# Checks the layout of all sources, or with "fix" puts it right.
. "$(dirname "$0")/lib.sh"
ruff=$venv/bin/ruff
mapfile -t sources < <(git ls-files '*.cc' '*.h' '*.cu' '*.cuh')
if [ "${1:-}" = fix ]; then
  "$venv/bin/clang-format" -i "${sources[@]}"
  "$ruff" check -q --fix-only
  "$ruff" format -q
else
  check() {
    "$venv/bin/clang-format" --dry-run -Werror "${sources[@]}"
    "$ruff" check
    "$ruff" format --check
  }
  step format "Format (clang-format, ruff)" check
fi
