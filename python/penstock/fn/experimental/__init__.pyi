# Written by tools/gen_api.py from the operators' schemas: change those, then `make generated`.

from penstock.fn._color import equalize as equalize
from penstock.fn._decoders import peek_image_shape as peek_image_shape
from penstock.fn._filters import filter as filter
from penstock.fn.experimental import decoders as decoders

__all__ = [
    "decoders", "equalize", "filter", "peek_image_shape",
]
