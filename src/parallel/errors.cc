#include <penstock/parallel.h>

#include "core/check.h"

namespace penstock::parallel {
namespace {

std::string told(const Failure& failure) {
  const std::string rows = failure.total < 0 ? ""
                           : failure.begin < failure.end
                               ? fmt::format(" (rows {} to {} of {})", failure.begin, failure.end - 1, failure.total)
                               : fmt::format(" (no rows of {})", failure.total);
  return fmt::format("replica {} on {}{}: {}", failure.replica, to_string(failure.device), rows, failure.reason);
}

std::string told(const std::vector<Failure>& failures) {
  if (failures.size() == 1) return told(failures[0]);
  std::string text = fmt::format("{} replicas failed", failures.size());
  for (const Failure& failure : failures) text += "; " + told(failure);
  return text;
}

}  // namespace

ReplicaErrors::ReplicaErrors(std::vector<Failure> failures) : Error(told(failures)), failures_(std::move(failures)) {}

}  // namespace penstock::parallel
