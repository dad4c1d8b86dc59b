// Written by tools/gen_api.py from the operators' schemas: change those, then `make generated`.
#pragma once

#include <penstock/fn/boxes/bb_flip.h>
#include <penstock/fn/boxes/bbox_paste.h>
#include <penstock/fn/boxes/bbox_rotate.h>
#include <penstock/fn/boxes/box_encoder.h>
#include <penstock/fn/boxes/coord_flip.h>
#include <penstock/fn/boxes/coord_transform.h>
#include <penstock/fn/boxes/random_bbox_crop.h>
#include <penstock/fn/boxes/ssd_random_crop.h>
