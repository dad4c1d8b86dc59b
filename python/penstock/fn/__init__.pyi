# Written by tools/gen_api.py from the operators' schemas: change those, then `make generated`.

from penstock._follow import follow as follow
from penstock.external_source import external_source as external_source
from penstock.fn import decoders as decoders
from penstock.fn import experimental as experimental
from penstock.fn import io as io
from penstock.fn import noise as noise
from penstock.fn import random as random
from penstock.fn import readers as readers
from penstock.fn import reductions as reductions
from penstock.fn import segmentation as segmentation
from penstock.fn import transforms as transforms
from penstock.fn._audio import audio_resample as audio_resample
from penstock.fn._audio import mel_filter_bank as mel_filter_bank
from penstock.fn._audio import mfcc as mfcc
from penstock.fn._audio import nonsilent_region as nonsilent_region
from penstock.fn._audio import power_spectrum as power_spectrum
from penstock.fn._audio import preemphasis_filter as preemphasis_filter
from penstock.fn._audio import spectrogram as spectrogram
from penstock.fn._audio import to_decibels as to_decibels
from penstock.fn._boxes import bb_flip as bb_flip
from penstock.fn._boxes import bbox_paste as bbox_paste
from penstock.fn._boxes import bbox_rotate as bbox_rotate
from penstock.fn._boxes import box_encoder as box_encoder
from penstock.fn._boxes import coord_flip as coord_flip
from penstock.fn._boxes import coord_transform as coord_transform
from penstock.fn._boxes import random_bbox_crop as random_bbox_crop
from penstock.fn._boxes import ssd_random_crop as ssd_random_crop
from penstock.fn._color import brightness as brightness
from penstock.fn._color import brightness_contrast as brightness_contrast
from penstock.fn._color import clahe as clahe
from penstock.fn._color import color_space_conversion as color_space_conversion
from penstock.fn._color import color_twist as color_twist
from penstock.fn._color import contrast as contrast
from penstock.fn._color import debayer as debayer
from penstock.fn._color import equalize as equalize
from penstock.fn._color import hsv as hsv
from penstock.fn._color import hue as hue
from penstock.fn._color import lookup_table as lookup_table
from penstock.fn._color import saturation as saturation
from penstock.fn._decoders import peek_image_shape as peek_image_shape
from penstock.fn._filters import filter as filter
from penstock.fn._filters import gaussian_blur as gaussian_blur
from penstock.fn._filters import laplacian as laplacian
from penstock.fn._geometry import jitter as jitter
from penstock.fn._geometry import rotate as rotate
from penstock.fn._geometry import sphere as sphere
from penstock.fn._geometry import warp_affine as warp_affine
from penstock.fn._geometry import water as water
from penstock.fn._image import crop as crop
from penstock.fn._image import crop_mirror_normalize as crop_mirror_normalize
from penstock.fn._image import dump_image as dump_image
from penstock.fn._image import erase as erase
from penstock.fn._image import fast_resize_crop_mirror as fast_resize_crop_mirror
from penstock.fn._image import flip as flip
from penstock.fn._image import grid_mask as grid_mask
from penstock.fn._image import jpeg_compression_distortion as jpeg_compression_distortion
from penstock.fn._image import multi_paste as multi_paste
from penstock.fn._image import paste as paste
from penstock.fn._image import random_crop_generator as random_crop_generator
from penstock.fn._image import random_resized_crop as random_resized_crop
from penstock.fn._image import resize as resize
from penstock.fn._image import resize_crop_mirror as resize_crop_mirror
from penstock.fn._image import slice as slice
from penstock.fn._math import normalize as normalize
from penstock.fn._mix import cutmix as cutmix
from penstock.fn._mix import mixup as mixup
from penstock.fn._segmentation import connected_components as connected_components
from penstock.fn._segmentation import roi_random_crop as roi_random_crop
from penstock.fn._sequence import element_extract as element_extract
from penstock.fn._sequence import per_frame as per_frame
from penstock.fn._sequence import sequence_rearrange as sequence_rearrange
from penstock.fn._sequence import tensor_resize as tensor_resize
from penstock.fn._tensor import batch_permutation as batch_permutation
from penstock.fn._tensor import cast as cast
from penstock.fn._tensor import cast_like as cast_like
from penstock.fn._tensor import cat as cat
from penstock.fn._tensor import constant as constant
from penstock.fn._tensor import copy as copy
from penstock.fn._tensor import expand_dims as expand_dims
from penstock.fn._tensor import full as full
from penstock.fn._tensor import full_like as full_like
from penstock.fn._tensor import get_property as get_property
from penstock.fn._tensor import one_hot as one_hot
from penstock.fn._tensor import ones as ones
from penstock.fn._tensor import ones_like as ones_like
from penstock.fn._tensor import pad as pad
from penstock.fn._tensor import permute_batch as permute_batch
from penstock.fn._tensor import reinterpret as reinterpret
from penstock.fn._tensor import reshape as reshape
from penstock.fn._tensor import shapes as shapes
from penstock.fn._tensor import squeeze as squeeze
from penstock.fn._tensor import stack as stack
from penstock.fn._tensor import transpose as transpose
from penstock.fn._tensor import zeros as zeros
from penstock.fn._tensor import zeros_like as zeros_like
from penstock.fn.decoders import audio as audio_decoder
from penstock.fn.decoders import image as image_decoder
from penstock.fn.decoders import image_crop as image_decoder_crop
from penstock.fn.decoders import image_random_crop as image_decoder_random_crop
from penstock.fn.decoders import image_slice as image_decoder_slice
from penstock.fn.random import coin_flip as coin_flip
from penstock.fn.random import normal as normal_distribution
from penstock.fn.random import uniform as uniform
from penstock.fn.readers import caffe as caffe_reader
from penstock.fn.readers import caffe2 as caffe2_reader
from penstock.fn.readers import coco as coco_reader
from penstock.fn.readers import file as file_reader
from penstock.fn.readers import mxnet as mxnet_reader
from penstock.fn.readers import nemo_asr as nemo_asr_reader
from penstock.fn.readers import numpy as numpy_reader
from penstock.fn.readers import sequence as sequence_reader
from penstock.fn.readers import tfrecord as tfrecord_reader
from penstock.fn.transforms import translation as transform_translation
from penstock.python_function import dl_tensor_python_function as dl_tensor_python_function
from penstock.python_function import python_function as python_function

__all__ = [
    "audio_decoder", "audio_resample", "batch_permutation", "bb_flip", "bbox_paste", "bbox_rotate", "box_encoder",
    "brightness", "brightness_contrast", "caffe2_reader", "caffe_reader", "cast", "cast_like", "cat", "clahe",
    "coco_reader", "coin_flip", "color_space_conversion", "color_twist", "connected_components", "constant", "contrast",
    "coord_flip", "coord_transform", "copy", "crop", "crop_mirror_normalize", "cutmix", "debayer", "decoders",
    "dl_tensor_python_function", "dump_image", "element_extract", "equalize", "erase", "expand_dims", "experimental",
    "external_source", "fast_resize_crop_mirror", "file_reader", "filter", "flip", "follow", "full", "full_like",
    "gaussian_blur", "get_property", "grid_mask", "hsv", "hue", "image_decoder", "image_decoder_crop",
    "image_decoder_random_crop", "image_decoder_slice", "io", "jitter", "jpeg_compression_distortion", "laplacian",
    "lookup_table", "mel_filter_bank", "mfcc", "mixup", "multi_paste", "mxnet_reader", "nemo_asr_reader", "noise",
    "nonsilent_region", "normal_distribution", "normalize", "numpy_reader", "one_hot", "ones", "ones_like", "pad",
    "paste", "peek_image_shape", "per_frame", "permute_batch", "power_spectrum", "preemphasis_filter",
    "python_function", "random", "random_bbox_crop", "random_crop_generator", "random_resized_crop", "readers",
    "reductions", "reinterpret", "reshape", "resize", "resize_crop_mirror", "roi_random_crop", "rotate", "saturation",
    "segmentation", "sequence_reader", "sequence_rearrange", "shapes", "slice", "spectrogram", "sphere", "squeeze",
    "ssd_random_crop", "stack", "tensor_resize", "tfrecord_reader", "to_decibels", "transform_translation",
    "transforms", "transpose", "uniform", "warp_affine", "water", "zeros", "zeros_like",
]
