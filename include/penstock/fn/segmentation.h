// Written by tools/gen_api.py from the operators' schemas: change those, then `make generated`.
#pragma once

#include <penstock/fn/segmentation/connected_components.h>
#include <penstock/fn/segmentation/random_mask_pixel.h>
#include <penstock/fn/segmentation/random_object_bbox.h>
#include <penstock/fn/segmentation/roi_random_crop.h>
#include <penstock/fn/segmentation/select_masks.h>
