#include "device/gpu_form.h"

#include "core/check.h"

namespace penstock::device {

bool FoundKernels::find(Runtime& gpu, std::span<const std::string_view> names) {
  found_.clear();
  for (const std::string_view name : names) {
    Launcher* launcher = gpu.find_kernel(name);
    if (!launcher) return false;
    found_.emplace_back(name, launcher);
  }
  return true;
}

Launcher& FoundKernels::launcher(std::string_view name) const {
  for (const auto& [own, launcher] : found_)
    if (own == name) return *launcher;
  fail<InternalError>("an operator launches the kernel \"{}\", which its form does not name", name);
}

}  // namespace penstock::device
