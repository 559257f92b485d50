#include "core/file/file_range.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <vector>

#include "cane/error.h"

namespace cane {
namespace {

/// A file that is read at given positions.
class ReadableFile {
 public:
  explicit ReadableFile(const std::string& path)
      : path_(path), number_(::open(path.c_str(), O_RDONLY | O_CLOEXEC)) {
    if (number_ < 0) throw Error(fmt::format("{}: cannot open: {}", path_, std::strerror(errno)));
  }
  ~ReadableFile() { ::close(number_); }
  ReadableFile(const ReadableFile&) = delete;
  ReadableFile& operator=(const ReadableFile&) = delete;

  /// 0 bytes at the end of the file.
  std::size_t read_at(std::uint64_t position, std::span<char> buffer) const {
    while (true) {
      const ssize_t count =
          ::pread(number_, buffer.data(), buffer.size(), static_cast<off_t>(position));
      if (count >= 0) return static_cast<std::size_t>(count);
      if (errno != EINTR) {
        throw Error(fmt::format("{}: cannot read: {}", path_, std::strerror(errno)));
      }
    }
  }

 private:
  std::string path_;
  int number_;
};

class RangeSource final : public TextSource {
 public:
  RangeSource(const std::string& path, const FileRange& range)
      : file_(path), position_(range.begin), end_(range.end) {}

  std::size_t read_some(std::span<char> buffer) override {
    const auto wanted = static_cast<std::size_t>(
        std::min<std::uint64_t>(buffer.size(), end_ - std::min(position_, end_)));
    const std::size_t count = file_.read_at(position_, buffer.first(wanted));
    position_ += count;
    return count;
  }
  bool is_ready() const override { return true; }

 private:
  ReadableFile file_;
  std::uint64_t position_;
  std::uint64_t end_;
};

}  // namespace

std::unique_ptr<TextSource> open_range(const std::string& path, const FileRange& range) {
  return std::make_unique<RangeSource>(path, range);
}

std::uint64_t line_start(const std::string& path, std::uint64_t from) {
  if (from == 0) return 0;
  const ReadableFile file(path);
  std::vector<char> buffer(std::size_t{1} << 16);
  // A line begins behind the end of another: at `from` itself if that lies just before it.
  for (std::uint64_t position = from - 1;;) {
    const std::size_t count = file.read_at(position, buffer);
    const auto found =
        std::find(buffer.begin(), buffer.begin() + static_cast<std::ptrdiff_t>(count), '\n');
    position += static_cast<std::uint64_t>(found - buffer.begin());
    if (count == 0) return position;
    if (found != buffer.begin() + static_cast<std::ptrdiff_t>(count)) return position + 1;
  }
}

}  // namespace cane
