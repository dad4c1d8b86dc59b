// Written by tools/gen_api.py from the operators' schemas: change those, then `make generated`.
#pragma once

#include <penstock/fn/image/crop.h>
#include <penstock/fn/image/crop_mirror_normalize.h>
#include <penstock/fn/image/dump_image.h>
#include <penstock/fn/image/erase.h>
#include <penstock/fn/image/fast_resize_crop_mirror.h>
#include <penstock/fn/image/flip.h>
#include <penstock/fn/image/grid_mask.h>
#include <penstock/fn/image/jpeg_compression_distortion.h>
#include <penstock/fn/image/multi_paste.h>
#include <penstock/fn/image/paste.h>
#include <penstock/fn/image/random_crop_generator.h>
#include <penstock/fn/image/random_resized_crop.h>
#include <penstock/fn/image/resize.h>
#include <penstock/fn/image/resize_crop_mirror.h>
#include <penstock/fn/image/slice.h>
