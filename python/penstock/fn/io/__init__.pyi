# Written by tools/gen_api.py from the operators' schemas: change those, then `make generated`.

from penstock.fn.io import file as file

__all__ = [
    "file",
]
