// Written by tools/gen_api.py from the operators' schemas: change those, then `make generated`.
#pragma once

#include <penstock/fn/decoders/audio.h>
#include <penstock/fn/decoders/image.h>
#include <penstock/fn/decoders/image_crop.h>
#include <penstock/fn/decoders/image_random_crop.h>
#include <penstock/fn/decoders/image_slice.h>
#include <penstock/fn/decoders/numpy.h>
#include <penstock/fn/decoders/peek_image_shape.h>
