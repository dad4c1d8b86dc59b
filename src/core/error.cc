#include <penstock/error.h>

namespace penstock {

void Error::add_context(const ErrorContext& outer) {
  const auto fill = [](std::string& mine, const std::string& theirs) {
    if (mine.empty()) mine = theirs;
  };
  fill(context_.op, outer.op);
  fill(context_.argument, outer.argument);
  fill(context_.source, outer.source);
  fill(context_.origin, outer.origin);
  if (context_.sample < 0) context_.sample = outer.sample;
  compose();
}

void Error::compose() {
  text_.clear();
  if (!context_.op.empty()) text_ += "[" + context_.op + "] ";
  if (!context_.argument.empty()) text_ += "argument `" + context_.argument + "`: ";
  text_ += message_;
  if (context_.sample >= 0) text_ += "; sample " + std::to_string(context_.sample);
  if (!context_.source.empty()) text_ += (context_.sample >= 0 ? ", " : "; ") + context_.source;
  if (!context_.origin.empty()) text_ += "\n  used in the pipeline definition at\n" + context_.origin;
}

}  // namespace penstock
