#include "readers/file/posix_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <system_error>

#include "core/check.h"
#include "readers/remote/http.h"
#include "readers/remote/remote_file.h"
#include "readers/remote/url.h"

namespace penstock {
namespace {

int open_retrying(int dir, const char* path, int flags) {
  int fd = -1;
  do {
    fd = ::openat(dir, path, flags | O_CLOEXEC);
  } while (fd < 0 && errno == EINTR);
  return fd;
}

/// A list may hold paths that start elsewhere, or files that were removed since.
[[noreturn]] void fail_missing(int dir, const char* path) {
  std::error_code unknown;
  if (dir == AT_FDCWD && *path != '/')
    fail<DataError>("no such file; a relative path starts at the working directory, {}",
                    std::filesystem::current_path(unknown).string());
  fail<DataError>("no such file: it was listed but is not there (any more)");
}

}  // namespace

std::string system_message(int error) { return std::generic_category().message(error); }

PosixFile::PosixFile(PosixFile&& other) noexcept
    : fd_(std::exchange(other.fd_, -1)), size_(other.size_), remote_(std::move(other.remote_)) {}

PosixFile& PosixFile::operator=(PosixFile&& other) noexcept {
  std::swap(fd_, other.fd_);
  std::swap(size_, other.size_);
  std::swap(remote_, other.remote_);
  return *this;
}

PosixFile::~PosixFile() {
  if (fd_ >= 0) ::close(fd_);
}

PosixFile PosixFile::open(int dir, const char* path) {
  if (remote::is_url(path)) return PosixFile(remote::RemoteFiles().open(path));
  // O_NONBLOCK: opening a pipe that stands where a file is expected would wait for its writer for ever.
  PosixFile file(open_retrying(dir, path, O_RDONLY | O_NONBLOCK));
  if (file.fd_ < 0) {
    const int error = errno;
    if (error == ENOENT) fail_missing(dir, path);
    PENSTOCK_CHECK(error != EMFILE, DataError, "too many open files; raise the limit (ulimit -n)");
    fail<DataError>("cannot open the file: {}", system_message(error));
  }
  file.take_size();
  return file;
}

PosixFile::PosixFile(std::shared_ptr<const remote::RemoteFile> remote)
    : size_(remote->size()), remote_(std::move(remote)) {}

PosixFile PosixFile::open_named(const std::string& path, bool keeps) {
  if (remote::is_url(path)) {
    try {
      using remote::RemoteFile;
      auto remote = std::make_shared<const RemoteFile>(path, RemoteFile::kRecords, remote::kTries);
      PosixFile local = keeps ? remote->local_copy() : PosixFile();
      if (local.fd_ < 0) return PosixFile(std::move(remote));
      local.take_size();
      return local;
    } catch (const DataError& e) {
      fail<ArgumentError>("Cannot open: {}: {}", path, e.message());
    }
  }
  PosixFile file(open_retrying(AT_FDCWD, path.c_str(), O_RDONLY | O_NONBLOCK));
  PENSTOCK_CHECK(file.fd_ >= 0, ArgumentError, "Cannot open: {}: {}", path, system_message(errno));
  file.take_size();
  return file;
}

void PosixFile::take_size() {
  struct stat status {};
  PENSTOCK_CHECK(::fstat(fd_, &status) == 0, DataError, "cannot ask for the size of the file: {}",
                 system_message(errno));
  PENSTOCK_CHECK(S_ISREG(status.st_mode), DataError, "not a regular file");
  size_ = status.st_size;
}

PosixFile PosixFile::open_directory(const std::string& path) {
  PosixFile directory(open_retrying(AT_FDCWD, path.c_str(), O_RDONLY | O_DIRECTORY));
  PENSTOCK_CHECK(directory.fd_ >= 0, ArgumentError, "Failed to open directory \"{}\": {}", path, system_message(errno));
  return directory;
}

bool PosixFile::pages_are_told() const noexcept {
  struct stat status {};
  if (::fstat(fd_, &status) == 0 && status.st_uid == ::geteuid()) return true;
  return ::faccessat(fd_, "", W_OK, AT_EMPTY_PATH | AT_EACCESS) == 0;
}

void PosixFile::read(std::span<std::byte> out, int64_t begin) const {
  if (remote_) return remote_->read(out, begin);
  size_t done = 0;
  while (done < out.size()) {
    const ssize_t n = ::pread(fd_, out.data() + done, out.size() - done, begin + static_cast<off_t>(done));
    if (n < 0 && errno == EINTR) continue;
    PENSTOCK_CHECK(n >= 0, DataError, "cannot read the file: {}", system_message(errno));
    PENSTOCK_CHECK(n > 0, DataError, "file shrank while being read: {} of {} bytes are there", done, out.size());
    done += static_cast<size_t>(n);
  }
}

void PosixFile::write(std::span<const std::byte> bytes, int64_t begin) const {
  size_t done = 0;
  while (done < bytes.size()) {
    const ssize_t n = ::pwrite(fd_, bytes.data() + done, bytes.size() - done, begin + static_cast<off_t>(done));
    if (n < 0 && errno == EINTR) continue;
    PENSTOCK_CHECK(n > 0, DataError, "cannot write the file: {}", system_message(errno));
    done += static_cast<size_t>(n);
  }
}

std::string PosixFile::text() const {
  std::string all(static_cast<size_t>(size_), '\0');
  read(std::as_writable_bytes(std::span(all)));
  return all;
}

void PosixFile::will_need(int64_t begin, int64_t size) const noexcept {
  if (remote_) return remote_->will_need(begin, size);
  // Linux cuts one piece of advice down to its read-ahead window, which is 128 KiB on most disks and file servers.
  constexpr off_t kWindow = off_t{128} << 10;
  for (off_t at = 0; at < size; at += kWindow)
    ::posix_fadvise(fd_, begin + at, std::min(kWindow, size - at), POSIX_FADV_WILLNEED);
  std::byte last;
  [[maybe_unused]] const ssize_t waited = ::pread(fd_, &last, 1, begin + size - 1);
}

}  // namespace penstock
