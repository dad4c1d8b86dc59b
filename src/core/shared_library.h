// A library that is opened at run time: only users of what it does need to have it.
#pragma once

#include <initializer_list>
#include <string>

namespace penstock {

class SharedLibrary {
 public:
  /// Opens the first of these names that is there. It is never closed: its threads, and what it has made, may outlive
  /// all that use it.
  explicit SharedLibrary(std::initializer_list<const char*> names);

  /// Puts a function into a pointer; null where there is none.
  template <class Pointer>
  void find(Pointer& function, const char* name) {
    function = reinterpret_cast<Pointer>(symbol(name));
  }

  /// Why it cannot be used: it is not there, or lacks a function that was looked for. Empty: it can be.
  const std::string& why_not() const { return why_not_; }

 private:
  void* symbol(const char* name);

  void* handle_ = nullptr;
  std::string name_, why_not_;
};

}  // namespace penstock
