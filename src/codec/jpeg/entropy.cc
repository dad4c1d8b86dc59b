#include "codec/jpeg/entropy.h"

#include <algorithm>

#include "codec/jpeg/symbol_run.h"

namespace penstock::codec::jpeg {

bool EntropyDecoder::keep(KeptTable& kept, const HuffmanCode& code, Coefficients kind) {
  if (kept.code == code) return true;
  kept.code = {};
  if (!kept.table) kept.table = std::make_unique<SymbolTable>();
  if (!kept.table->build(code, kind)) return false;
  kept.code = code;
  return true;
}

bool EntropyDecoder::prepare(const Headers& headers) {
  const Frame& frame = headers.frame;
  blocks_ = frame.mcu_blocks();
  size_t block = 0;
  for (size_t c = 0; c < static_cast<size_t>(frame.count); ++c) {
    const auto dc = static_cast<size_t>(frame.components[c].dc), ac = static_cast<size_t>(frame.components[c].ac);
    if (!keep(dc_[dc], headers.dc[dc], Coefficients::kDc) || !keep(ac_[ac], headers.ac[ac], Coefficients::kAc))
      return false;
    for (int i = frame.components[c].h * frame.components[c].v; i > 0; --i, ++block) {
      component_of_[block] = static_cast<uint8_t>(c);
      steps_[block].ac = ac_[ac].table.get();
    }
  }
  for (size_t i = 0; i < block; ++i) {
    const size_t next = (i + 1) % block;
    steps_[i].next = &steps_[next];
    steps_[i].next_dc = dc_[static_cast<size_t>(frame.components[component_of_[next]].dc)].table.get();
  }
  interval_ = frame.segment_mcus();
  return true;
}

bool EntropyDecoder::start(const Bitstream& bits) {
  bits_ = &bits;
  first_segment_ = 0;
  return restart(0);
}

bool EntropyDecoder::start_at(const Bitstream& bits, const Place& place) {
  bits_ = &bits;
  first_segment_ = segment_of(place.mcu);
  if (!restart(first_segment_)) return false;
  const auto taken = static_cast<unsigned>(place.bit % 8);
  state_.bits = uint64_t{*at_++} << (56 + taken);
  state_.count = 8 - taken;
  sums_ = place.dc;
  mcu_ = place.mcu;
  return true;
}

bool EntropyDecoder::restart(size_t segment) {
  if (segment - first_segment_ >= bits_->segments()) return false;
  const auto bytes = bits_->segment(segment - first_segment_);
  at_ = bytes.data();
  end_ = bytes.data() + bytes.size();
  const size_t last = static_cast<size_t>(blocks_ - 1);
  state_ = {.step = &steps_[0], .table = steps_[last].next_dc};
  sums_ = {};
  mcu_ = static_cast<int64_t>(segment) * interval_;
  segment_end_ = mcu_ + interval_;
  return true;
}

bool EntropyDecoder::seek(int64_t mcu) {
  if (notes_ == nullptr && mcu >= segment_end_ && !restart(segment_of(mcu))) return false;
  while (mcu_ < mcu) {
    if (!take(std::min<int64_t>(mcu - mcu_, kSkipped), Keep::kDc, skipped_.data())) return false;
  }
  return true;
}

bool EntropyDecoder::read(int64_t count, int16_t* out) { return take(count, Keep::kAll, out); }

uint64_t EntropyDecoder::position() const {
  return static_cast<uint64_t>(at_ - bits_->segment(0).data()) * 8 - state_.count;
}

bool EntropyDecoder::take(int64_t count, Keep keep, int16_t* out) {
  while (count > 0) {
    if (mcu_ == segment_end_ && !restart(segment_of(mcu_))) return false;
    int64_t now = std::min(count, segment_end_ - mcu_);
    if (notes_ != nullptr) {
      if (mcu_ == notes_->next_mcu()) notes_->add(position(), sums_);
      now = std::min(now, notes_->next_mcu() - mcu_);
    }
    if (!run(now * blocks_, keep, out) || !sum_dc(now, keep, out)) return false;
    mcu_ += now;
    count -= now;
    out += now * blocks_ * stride_of(keep);
  }
  return true;
}

bool EntropyDecoder::run(int64_t blocks, Keep keep, int16_t* out) {
  const int16_t* last = out + blocks * stride_of(keep);
  state_.block = out;
  at_ = take_blocks(state_, keep, at_, end_, last);
  // libjpeg reads eight bytes ahead, and refuses a file that ends there without a marker.
  const int64_t left = (end_ - at_) * 8 + static_cast<int64_t>(state_.count);
  return state_.block == last && !state_.broken && left >= (bits_->ended() ? 0 : 64);
}

bool EntropyDecoder::sum_dc(int64_t mcus, Keep keep, int16_t* out) {
  int32_t beyond = 0;  // of 16 bits: libjpeg has rules of its own for such files
  for (; mcus > 0; --mcus)
    for (int i = 0; i < blocks_; ++i, out += stride_of(keep)) {
      int32_t& sum = sums_[component_of_[static_cast<size_t>(i)]];
      sum += out[0];
      beyond |= sum + 0x8000;
      out[0] = static_cast<int16_t>(sum);
    }
  return (beyond & ~0xFFFF) == 0;
}

}  // namespace penstock::codec::jpeg
