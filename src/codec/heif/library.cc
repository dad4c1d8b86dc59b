#include "codec/heif/library.h"

#include "core/shared_library.h"

namespace penstock::codec::heif {
namespace {

Library open_library() {
  Library library;
  SharedLibrary opened({"libheif.so.1"});
  const char* (*version)() = nullptr;
  opened.find(version, "heif_get_version");
  opened.find(library.make, "heif_context_alloc");
  opened.find(library.destroy, "heif_context_free");
  opened.find(library.limit_threads, "heif_context_set_max_decoding_threads");
  opened.find(library.limit_size, "heif_context_set_maximum_image_size_limit");
  opened.find(library.read, "heif_context_read_from_memory_without_copy");
  opened.find(library.primary, "heif_context_get_primary_image_handle");
  opened.find(library.release_handle, "heif_image_handle_release");
  opened.find(library.width, "heif_image_handle_get_width");
  opened.find(library.height, "heif_image_handle_get_height");
  opened.find(library.has_alpha, "heif_image_handle_has_alpha_channel");
  opened.find(library.bits, "heif_image_handle_get_luma_bits_per_pixel");
  opened.find(library.decode, "heif_decode_image");
  opened.find(library.release_image, "heif_image_release");
  opened.find(library.image_width, "heif_image_get_width");
  opened.find(library.image_height, "heif_image_get_height");
  opened.find(library.image_bits, "heif_image_get_bits_per_pixel_range");
  opened.find(library.plane, "heif_image_get_plane_readonly");
  opened.find(library.has_decoder, "heif_have_decoder_for_format");
  if (!opened.why_not().empty())
    library.why = "libheif cannot be used; run: apt-get install libheif1 (" + opened.why_not() + ")";
  else
    library.version = version();
  return library;
}

}  // namespace

const Library& Library::get() {
  static const Library library = open_library();
  return library;
}

}  // namespace penstock::codec::heif
