"""The printers of tools/gen_api.py: one module a language."""
