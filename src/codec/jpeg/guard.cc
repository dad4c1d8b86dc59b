#include "codec/jpeg/guard.h"

#include <cstring>

namespace penstock::codec::jpeg {

Guard::Guard() {
  jpeg_std_error(&manager_.base);
  manager_.base.error_exit = [](j_common_ptr state) {
    Manager& manager = of(state);
    manager.base.format_message(state, manager.message.data());
    std::longjmp(manager.escape, 1);
  };
  // Warnings (a damaged segment that libjpeg can go on after) are not shown and do not end the work: data sets in use
  // contain such files, and every other library reads them.
  manager_.base.emit_message = [](j_common_ptr, int) {};
  manager_.base.output_message = [](j_common_ptr) {};
}

void Guard::give_up(j_common_ptr state, const char* message) {
  Manager& manager = of(state);
  std::strncpy(manager.message.data(), message, manager.message.size() - 1);
  std::longjmp(manager.escape, 1);
}

}  // namespace penstock::codec::jpeg
