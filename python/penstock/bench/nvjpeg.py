"""nvJPEG called directly, without a loader around it, for comparison (https://docs.nvidia.com/cuda/nvjpeg).

The library is the one of the CUDA toolkit or of a framework's wheels; PyTorch has the memory and the stream.
"""

import ctypes
import glob
import pathlib
import sysconfig

_RGB_INTERLEAVED = 5  # nvjpegOutputFormat_t
_HOST_THREADS = 8  # of a batch
BACKENDS = {"default": 0, "hybrid": 1, "gpu": 2, "engine": 3}  # nvjpegBackend_t


class _Image(ctypes.Structure):
    _fields_ = [("channel", ctypes.c_void_p * 4), ("pitch", ctypes.c_size_t * 4)]


def _library():
    packages = pathlib.Path(sysconfig.get_path("purelib"))
    found = [
        *glob.glob(str(packages / "nvidia" / "**" / "libnvjpeg.so.*"), recursive=True),
        *glob.glob("/usr/local/cuda*/lib64/libnvjpeg.so.*"),
        "libnvjpeg.so",
    ]
    return ctypes.CDLL(found[0])


class Unsupported(Exception):
    """This GPU, or this version of the library, has no such backend."""


class Decoder:
    """Decodes files, given as arrays of bytes, to RGB of 8 bits on the current GPU, again and again.

    Parameters
    ----------
    files : list of numpy.ndarray
        One file is decoded by `nvjpegDecode`, several are as a batch, and by the engine any number is.
    backend : str
        A key of `BACKENDS`.

    Raises `Unsupported` where the library refuses, `OSError` where there is none.
    """

    def __init__(self, files, backend):
        import torch

        self._library, self._files = _library(), files
        self._handle, self._state = ctypes.c_void_p(), ctypes.c_void_p()
        self._stream = torch.cuda.Stream()
        self._call("nvjpegCreateEx", BACKENDS[backend], None, None, 0, ctypes.byref(self._handle))
        self._call("nvjpegJpegStateCreate", self._handle, ctypes.byref(self._state))
        self._data = (ctypes.c_void_p * len(files))(*[file.ctypes.data for file in files])
        self._sizes = (ctypes.c_size_t * len(files))(*[file.size for file in files])
        self._images = (_Image * len(files))()
        self._outputs = [self._output(i) for i in range(len(files))]
        self._batched = len(files) > 1 or backend == "engine"
        if self._batched:
            count = len(files), _HOST_THREADS
            self._call("nvjpegDecodeBatchedInitialize", self._handle, self._state, *count, _RGB_INTERLEAVED)

    def _call(self, name, *arguments):
        if status := getattr(self._library, name)(*arguments):
            raise Unsupported(f"{name} gave {status}")

    def _output(self, i):
        import torch

        components, subsampling = ctypes.c_int(), ctypes.c_int()
        widths, heights = (ctypes.c_int * 4)(), (ctypes.c_int * 4)()
        found = ctypes.byref(components), ctypes.byref(subsampling), widths, heights
        self._call(
            "nvjpegGetImageInfo",
            self._handle,
            ctypes.c_void_p(self._data[i]),
            ctypes.c_size_t(self._sizes[i]),
            *found,
        )
        output = torch.empty(heights[0], widths[0], 3, dtype=torch.uint8, device="cuda")
        self._images[i].channel[0], self._images[i].pitch[0] = output.data_ptr(), widths[0] * 3
        return output

    def run(self):
        """Returns when the pixels are there: a list of tensors (height, width, 3), written anew by the next call."""
        stream = ctypes.c_void_p(self._stream.cuda_stream)
        if self._batched:
            arrays = self._data, self._sizes, self._images
            self._call("nvjpegDecodeBatched", self._handle, self._state, *arrays, stream)
        else:
            data, size = ctypes.c_void_p(self._data[0]), ctypes.c_size_t(self._sizes[0])
            image = ctypes.byref(self._images[0])
            self._call("nvjpegDecode", self._handle, self._state, data, size, _RGB_INTERLEAVED, image, stream)
        self._stream.synchronize()
        return self._outputs

    def close(self):
        """Gives the library's memory back."""
        self._library.nvjpegJpegStateDestroy(self._state)
        self._library.nvjpegDestroy(self._handle)
