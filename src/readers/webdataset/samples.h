// How files of an archive make samples: those of one name, one behind the other, whose extensions tell them apart.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "readers/records/record_file.h"

namespace penstock {

/// Which components an output takes: "jpg;png" one of the two, the one that comes first.
class Extensions {
 public:
  /// @throws ArgumentError for an entry without an extension
  Extensions(const std::vector<std::string>& ext, bool case_sensitive);
  size_t outputs() const { return alternatives_.size(); }
  bool takes(size_t output, std::string_view extension) const;

 private:
  std::vector<std::vector<std::string>> alternatives_;
  bool case_sensitive_;
};

enum class MissingComponent { kEmpty, kSkip, kError };
/// @throws ArgumentError
MissingComponent missing_component_from(std::string_view text);

/// Places of samples, one for each output; {0, 0} for a component that a sample lacks.
class SampleCollector {
 public:
  SampleCollector(const Extensions& extensions, MissingComponent missing)
      : extensions_(extensions), missing_(missing), sample_(extensions.outputs()) {}
  void add(std::string_view extension, Place place);
  /// All components of the sample `name` were added. @throws DataError when one is missing and may not be
  void end(std::string_view name);
  std::vector<Place> take() { return std::move(all_); }

 private:
  const Extensions& extensions_;
  MissingComponent missing_;
  std::vector<Place> sample_;
  std::vector<Place> all_;
};

/// "a/b.c.jpg" is ("a/b", "c.jpg"). None for files that begin with a dot, and those without one.
std::optional<std::pair<std::string_view, std::string_view>> split_name(std::string_view name);

/// The samples of an archive. @throws DataError
std::vector<Place> list_tar(const PosixFile& file, const Extensions& extensions, MissingComponent missing);

/// The same from an index of wds2idx, version 1.1 or 1.2. @throws DataError that names the line
std::vector<Place> parse_wds_index(std::string_view text, const Extensions& extensions, MissingComponent missing);

}  // namespace penstock
