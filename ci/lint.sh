#!/usr/bin/env bash
# Checks what a compiler does not: that layers point down, and the rules of docs/contributing.md.
. "$(dirname "$0")/lib.sh"
step layers "Layers point down" "$venv/bin/python" tools/check_layers.py
step style "Style" "$venv/bin/python" tools/check_style.py
# A change under way may leave promises to mend; only the checks of the whole project (.ci/run) end there.
lenient=--lenient
[ -z "${PENSTOCK_STRICT:-}" ] || lenient=
step mutations "Mutations still apply" "$venv/bin/python" tools/mutate.py --check $lenient
closing mutations '^warning:'
