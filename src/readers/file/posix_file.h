// A file that is read: of this machine, or of a server, where its name is a URL.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>

namespace penstock {

namespace remote {
class RemoteFile;
}

/// An open file descriptor, closed with its owner, or what is known of a file on a server.
class PosixFile {
 public:
  PosixFile() = default;
  explicit PosixFile(int fd) : fd_(fd) {}
  PosixFile(PosixFile&& other) noexcept;
  PosixFile& operator=(PosixFile&& other) noexcept;
  ~PosixFile();

  /// Opens a regular file for reading; a relative path is looked up from the directory `dir` (AT_FDCWD: where we are).
  /// A URL is asked for much of its file at once, as that will be read as a whole.
  /// @throws DataError "no such file", "no permission", "not a regular file", ...
  static PosixFile open(int dir, const char* path);
  /// Opens a file that the user named; a URL is asked for a few bytes of its file. @throws ArgumentError "Cannot open:
  /// ..." with its name, DataError
  /// @param keeps  whether it will stay open: then the cache may have fetched it as a whole, as a file of this machine
  static PosixFile open_named(const std::string& path, bool keeps = true);
  /// A file on a server.
  explicit PosixFile(std::shared_ptr<const remote::RemoteFile> remote);
  /// Opens a directory as the starting point of open(). @throws ArgumentError
  static PosixFile open_directory(const std::string& path);

  /// -1 for a file on a server.
  int fd() const { return fd_; }
  bool is_remote() const { return remote_ != nullptr; }
  /// Bytes that one read of few takes about as long for as of one.
  int64_t piece() const { return is_remote() ? int64_t{4} << 20 : 4096; }
  /// Bytes in the file when open() opened it.
  int64_t size() const { return size_; }
  /// Whether mincore() says which pages of it are in memory. Linux tells processes that own the file or may write it,
  /// and tells others that all are.
  bool pages_are_told() const noexcept;
  /// Fills `out` with the bytes from `begin` on. @throws DataError when the file is shorter or cannot be read.
  void read(std::span<std::byte> out, int64_t begin = 0) const;
  /// Writes all of it there. @throws DataError
  void write(std::span<const std::byte> bytes, int64_t begin) const;
  /// All of it, as text. @throws DataError as read()
  std::string text() const;
  /// Brings `size` bytes from `begin` on into the page cache and waits for the last of them; never fails.
  void will_need(int64_t begin, int64_t size) const noexcept;
  /// The whole file likewise.
  void will_need() const noexcept { will_need(0, size_); }

 private:
  /// @throws DataError for what is no regular file
  void take_size();
  int fd_ = -1;
  int64_t size_ = 0;
  std::shared_ptr<const remote::RemoteFile> remote_;
};

/// The system's words for errno.
std::string system_message(int error);

}  // namespace penstock
