# Written by tools/gen_api.py from the operators' schemas: change those, then `make generated`.

from penstock.fn.decoders import image as image
from penstock.fn.decoders import image_crop as image_crop
from penstock.fn.decoders import image_random_crop as image_random_crop
from penstock.fn.decoders import image_slice as image_slice

__all__ = [
    "image", "image_crop", "image_random_crop", "image_slice",
]
