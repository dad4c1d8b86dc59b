// Written by tools/gen_api.py from the operators' schemas: change those, then `make generated`.
#pragma once

#include <penstock/fn/readers/arrow.h>
#include <penstock/fn/readers/caffe.h>
#include <penstock/fn/readers/caffe2.h>
#include <penstock/fn/readers/coco.h>
#include <penstock/fn/readers/file.h>
#include <penstock/fn/readers/io.file.read.h>
#include <penstock/fn/readers/mixture.h>
#include <penstock/fn/readers/mxnet.h>
#include <penstock/fn/readers/nemo_asr.h>
#include <penstock/fn/readers/numpy.h>
#include <penstock/fn/readers/parquet.h>
#include <penstock/fn/readers/sequence.h>
#include <penstock/fn/readers/tfrecord.h>
#include <penstock/fn/readers/webdataset.h>
