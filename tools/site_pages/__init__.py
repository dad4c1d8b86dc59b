"""Makes what the documentation site has beyond the files of docs/: see tools/build_site.py."""
