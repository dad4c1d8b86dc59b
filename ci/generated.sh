#!/usr/bin/env bash
# Makes stubs, reference pages and C++ calls from the schemas of the built operators and checks that the committed ones
# are the same. usage: ci/generated.sh [write]
. "$(dirname "$0")/lib.sh"
goal=$root
[ "${1:-}" = write ] || goal=$(mktemp -d)

generate() {
  cmake --build build --target schema_dump --parallel "$jobs"
  build/schema_dump | "$venv/bin/python" tools/gen_api.py "$goal"
  find "$goal/include/penstock/fn" -name '*.h' -exec "$venv/bin/clang-format" --style=file:.clang-format -i {} +
}
check() {
  generate
  for path in python/penstock/fn include/penstock/fn include/penstock/fn.h docs/reference; do
    diff -ru -x '*.py' -x __pycache__ "$path" "$goal/$path" && continue
    echo "$path is not up to date: run make generated"
    exit 1
  done
}
if [ "$goal" = "$root" ]; then
  step generate "Writing stubs, reference pages and fn.h" generate
  "$venv/bin/python" tools/dali_gap.py --write  # of the page on porting: what is missing
else
  trap 'rm -rf "$goal"' EXIT
  step generated "Generated files are up to date" check
fi
