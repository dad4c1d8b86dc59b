#!/usr/bin/env bash
# Builds the documentation site into build/docs/html; warnings are errors, and nothing is downloaded.
. "$(dirname "$0")/lib.sh"
step docs "Building the documentation" "$venv/bin/python" tools/build_site.py
closing docs ' pages in '
