#include "core/shared_library.h"

#include <dlfcn.h>

namespace penstock {

SharedLibrary::SharedLibrary(std::initializer_list<const char*> names) {
  for (const char* name : names) {
    name_ = name;
    handle_ = ::dlopen(name, RTLD_NOW | RTLD_LOCAL);
    if (handle_) {
      why_not_.clear();
      return;
    }
    const char* text = ::dlerror();
    if (why_not_.empty()) why_not_ = text ? text : name_ + " cannot be opened";
  }
}

void* SharedLibrary::symbol(const char* name) {
  if (!handle_) return nullptr;
  void* const found = ::dlsym(handle_, name);
  if (!found && why_not_.empty()) why_not_ = "the " + name_ + " that was found has no " + name;
  return found;
}

}  // namespace penstock
