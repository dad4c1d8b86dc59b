#!/usr/bin/env bash
# Checks what a compiler does not: that layers point down, and the rules of docs/contributing.md.
. "$(dirname "$0")/lib.sh"
step layers "Layers point down" "$venv/bin/python" tools/check_layers.py
step private "Plugins use the pipeline's contract alone" "$venv/bin/python" tools/check_private.py
step families "Authors of operators meet few virtual methods" "$venv/bin/python" tools/check_families.py
step style "Style" "$venv/bin/python" tools/check_style.py
if [ -n "${PENSTOCK_STRICT:-}" ] || "$venv/bin/python" -c 'import codespell_lib' 2>/dev/null; then
  folders=(docs src include python examples tools ci tests bench)
  step spelling "Spelling" "$venv/bin/python" -m codespell_lib ./*.md "${folders[@]}"
else
  echo "  Spelling is not checked: make lint installs codespell"
fi
# A change under way may leave promises to mend; only the checks of the whole project (.ci/run) end there.
lenient=--lenient
[ -z "${PENSTOCK_STRICT:-}" ] || lenient=
step mutations "Mutations still apply" "$venv/bin/python" tools/mutate.py --check $lenient
closing mutations '^warning:'
