/// @file
/// Every error Penstock throws. Messages read: [operator] what is wrong; where; what to do about it.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>

namespace penstock {

/// Where an error happened, filled in layer by layer while it travels up.
struct ErrorContext {
  std::string op;        ///< operator, as the user spells it: "decoders.image"
  std::string argument;  ///< argument of that operator
  int64_t sample = -1;   ///< position in the batch
  std::string source;    ///< file or database key of the sample
  std::string origin;    ///< the user's own lines that made the operator
};

/// The base of all errors. what() is the whole text: the message and what is known of its place.
class Error : public std::exception {
 public:
  /// @param message  what is wrong and what to do about it
  explicit Error(std::string message) : message_(std::move(message)) { compose(); }
  /// The message with operator, argument, sample, source and origin, as far as these are known.
  const char* what() const noexcept override { return text_.c_str(); }
  /// What is wrong, without the context.
  const std::string& message() const { return message_; }
  /// Where it happened.
  const ErrorContext& context() const { return context_; }
  /// Fills the fields that are still empty: the layer nearest to the fault knows best.
  void add_context(const ErrorContext& outer);

 private:
  void compose();
  std::string message_, text_;
  ErrorContext context_;
};

/// A value the caller passed is wrong. penstock.errors.ArgumentError in Python: a ValueError and a RuntimeError.
class ArgumentError : public Error {
  using Error::Error;
};
/// A value of the wrong type. ArgumentTypeError in Python: a TypeError, a ValueError and a RuntimeError.
class TypeError : public Error {
  using Error::Error;
};
/// An index out of range. OutOfRangeError in Python: an IndexError and a RuntimeError.
class IndexError : public Error {
  using Error::Error;
};
/// A name that does not exist. UnknownNameError in Python: a KeyError and a RuntimeError.
class KeyError : public Error {
  using Error::Error;
};
/// Input data (a file, a record, a sample) that cannot be used. RuntimeError in Python.
class DataError : public Error {
  using Error::Error;
};
/// A limit on memory was reached. OutOfMemoryError in Python: a MemoryError and a RuntimeError.
class OutOfMemory : public Error {
  using Error::Error;
};
/// A source has no more data. StopIteration in Python.
class EndOfData : public Error {
  using Error::Error;
};
/// A fault of Penstock itself. RuntimeError in Python.
class InternalError : public Error {
  using Error::Error;
};

}  // namespace penstock
