#include "codec/jpeg/turbo/reader.h"

#include <algorithm>
#include <iterator>
#include <new>

#include "codec/jpeg/jpeg.h"
#include "core/check.h"

namespace penstock::codec::jpeg {
namespace {

// libjpeg asks for more bytes only when it needs some: then the file is cut off. libjpeg's own sources make up an end
// of image here and the rest of the picture comes out gray, which would spoil training
// silently.
boolean no_more_bytes(j_decompress_ptr state) {
  Guard::give_up(reinterpret_cast<j_common_ptr>(state), "the file is cut off");
}

void skip_bytes(j_decompress_ptr state, long count) {
  if (count <= 0) return;
  if (static_cast<size_t>(count) > state->src->bytes_in_buffer) no_more_bytes(state);
  state->src->next_input_byte += count;
  state->src->bytes_in_buffer -= static_cast<size_t>(count);
}

void count_scans(j_common_ptr state) {
  if (reinterpret_cast<j_decompress_ptr>(state)->input_scan_number > kMaxScans)
    Guard::give_up(state, "the file has too many scans; 256 are allowed");
}

}  // namespace

Reader::Reader() {
  source_.init_source = [](j_decompress_ptr) {};
  source_.fill_input_buffer = no_more_bytes;
  source_.skip_input_data = skip_bytes;
  source_.resync_to_restart = jpeg_resync_to_restart;
  source_.term_source = [](j_decompress_ptr) {};
  progress_.progress_monitor = count_scans;
  state_.err = guard_.manager();
  if (!guard_.run([this] { jpeg_create_decompress(&state_); })) throw std::bad_alloc();
}

Reader::~Reader() { jpeg_destroy_decompress(&state_); }

void Reader::take(std::span<const uint8_t> bytes) {
  // libjpeg keeps tables for abbreviated files. A picture must not depend on the one before it.
  std::ranges::fill(state_.quant_tbl_ptrs, nullptr);
  std::ranges::fill(state_.dc_huff_tbl_ptrs, nullptr);
  std::ranges::fill(state_.ac_huff_tbl_ptrs, nullptr);
  source_.next_input_byte = bytes.data();
  source_.bytes_in_buffer = bytes.size();
  state_.output_scanline = 0;
  state_.src = &source_;
  state_.progress = &progress_;
}

void Reader::raise() const {
  if (state_.output_height > 0 && state_.output_scanline > 0)
    fail<DataError>("{}, after {} of {} rows", guard_.message(), state_.output_scanline, state_.output_height);
  fail<DataError>("{}, before the first row", guard_.message());
}

}  // namespace penstock::codec::jpeg
