// Memory that a decoder keeps from picture to picture.
#pragma once

#include <cstddef>
#include <vector>

namespace penstock::codec {

/// Scratch of more bytes is given back after the picture that needed it: one giant must not stay in every worker.
inline constexpr size_t kKeptScratch = size_t{64} << 20;

/// Gives memory back that an unusually large picture took. (To assign {} would empty the vector and keep its memory.)
template <class T>
void trim(std::vector<T>& scratch) {
  if (scratch.capacity() * sizeof(T) > kKeptScratch) std::vector<T>().swap(scratch);
}

/// Does so at the end of a block, also where decoding throws.
template <class Scratch>
class TrimLater {
 public:
  explicit TrimLater(Scratch& scratch) : scratch_(scratch) {}
  ~TrimLater() { trim(scratch_); }
  TrimLater(const TrimLater&) = delete;
  TrimLater& operator=(const TrimLater&) = delete;

 private:
  Scratch& scratch_;
};

}  // namespace penstock::codec
