#include "cuda/libraries/nvjpeg.h"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <vector>

#include "cuda/libraries/nvjpeg_library.h"
#include "cuda/runtime/check.h"
#include "cuda/runtime/current.h"

namespace penstock::cuda {
namespace {

using device::EnginePicture;

void demand(nvjpeg::Status status, const char* what) {
  if (status) throw std::runtime_error(std::string(what) + " gives status " + std::to_string(status));
}

class NvJpegEngine final : public device::JpegEngine {
 public:
  explicit NvJpegEngine(int gpu) : gpu_(gpu) {
    if (!lib_.why.empty()) throw std::runtime_error(lib_.why);
    check(cudaSetDevice(gpu_), "cudaSetDevice", gpu_);
    unsigned engines = 0, cores = 0;
    if (lib_.create(nvjpeg::kHardwareBackend, nullptr, nullptr, 0, &handle_) ||
        lib_.hardware_info(handle_, &engines, &cores) || engines == 0) {
      close();
      throw std::runtime_error("this GPU has none, or its driver does not show it");
    }
    try {
      demand(lib_.create_state(handle_, &state_), "nvjpegJpegStateCreate");
      check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "cudaStreamCreate");
    } catch (...) {
      close();
      throw;
    }
  }
  ~NvJpegEngine() override { close(); }

  void decode(std::span<EnginePicture> pictures) override {
    check(cudaSetDevice(gpu_), "cudaSetDevice", gpu_);
    const bool all = decode_all(pictures);
    for (EnginePicture& picture : pictures) picture.decoded = all;
    if (all || pictures.size() == 1) return;
    // One that it cannot do stops the others of its batch.
    for (EnginePicture& picture : pictures) picture.decoded = decode_all({&picture, 1});
  }

 private:
  bool decode_all(std::span<EnginePicture> pictures) {
    const auto count = static_cast<int>(pictures.size());
    if (count != initialized_) {
      initialized_ = 0;  // whatever the state is for when that fails
      if (lib_.initialize(handle_, state_, count, 1, nvjpeg::kUnchanged)) return false;
      initialized_ = count;
    }
    files_.clear();
    sizes_.clear();
    images_.clear();
    for (const EnginePicture& picture : pictures) {
      files_.push_back(picture.file.data());
      sizes_.push_back(picture.file.size());
      nvjpeg::Image& image = images_.emplace_back();
      for (size_t c = 0; c < picture.planes.size(); ++c) {
        image.channel[c] = static_cast<unsigned char*>(picture.planes[c]);
        image.pitch[c] = picture.pitches[c];
      }
    }
    const nvjpeg::Status status = lib_.decode(handle_, state_, files_.data(), sizes_.data(), images_.data(), stream_);
    // Before the state is used again, or it hangs.
    check(cudaStreamSynchronize(stream_), "cudaStreamSynchronize");
    if (status) initialized_ = 0;
    return status == 0;
  }

  void close() {
    if (state_) lib_.destroy_state(state_);
    if (handle_) lib_.destroy(handle_);
    if (stream_) cudaStreamDestroy(stream_);
  }

  const nvjpeg::Library& lib_ = nvjpeg::Library::get();
  const int gpu_;
  nvjpeg::Handle handle_ = nullptr;
  nvjpeg::State state_ = nullptr;
  cudaStream_t stream_ = nullptr;
  int initialized_ = 0;  // for that many pictures
  std::vector<const unsigned char*> files_;
  std::vector<size_t> sizes_;
  std::vector<nvjpeg::Image> images_;
};

}  // namespace

std::unique_ptr<device::JpegEngine> open_nvjpeg_engine(int gpu) {
  PrimaryContext context(gpu);
  const Current current(context);  // the calling thread has afterwards what it had
  return std::make_unique<NvJpegEngine>(gpu);
}

}  // namespace penstock::cuda
