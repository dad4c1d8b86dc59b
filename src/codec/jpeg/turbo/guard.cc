#include "codec/jpeg/turbo/guard.h"

namespace penstock::codec::jpeg {

Guard::Guard() {
  jpeg_std_error(&manager_.base);
  manager_.base.error_exit = [](j_common_ptr state) {
    char text[JMSG_LENGTH_MAX];
    of(state).base.format_message(state, text);
    give_up(state, text);
  };
  // Warnings (a damaged segment that libjpeg can go on after) are not shown and do not end the work: data sets in use
  // contain such files, and every other library reads them.
  manager_.base.emit_message = [](j_common_ptr, int) {};
  manager_.base.output_message = [](j_common_ptr) {};
}

}  // namespace penstock::codec::jpeg
