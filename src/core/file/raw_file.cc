#include "core/file/raw_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "cane/error.h"
#include "core/file/text_source.h"

namespace cane {

RawFile::RawFile(const std::string& path) : name_(source_name(path)) {
  descriptor_ = path == "-" ? STDIN_FILENO : ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor_ < 0) throw Error(fmt::format("{}: cannot open: {}", name_, std::strerror(errno)));
}

RawFile::~RawFile() {
  if (descriptor_ > STDIN_FILENO) ::close(descriptor_);
}

RawFile::RawFile(RawFile&& other) noexcept
    : name_(std::move(other.name_)),
      descriptor_(std::exchange(other.descriptor_, -1)),
      peeked_(std::move(other.peeked_)) {}

std::size_t RawFile::read(std::span<char> buffer) {
  const std::size_t ready = std::min(peeked_.size(), buffer.size());
  std::copy_n(peeked_.data(), ready, buffer.data());
  peeked_.erase(0, ready);
  return ready + read_descriptor(buffer.subspan(ready));
}

std::string_view RawFile::peek(std::size_t count) {
  const std::size_t ready = peeked_.size();
  if (ready < count) {
    peeked_.resize(count);
    peeked_.resize(ready + read_descriptor(std::span(peeked_).subspan(ready)));
  }
  return std::string_view(peeked_).substr(0, count);
}

std::size_t RawFile::read_descriptor(std::span<char> buffer) {
  std::size_t filled = 0;
  while (filled < buffer.size()) {
    const ssize_t count = ::read(descriptor_, buffer.data() + filled, buffer.size() - filled);
    if (count == 0) break;
    if (count < 0) {
      if (errno == EINTR) continue;
      throw Error(fmt::format("{}: cannot read: {}", name_, std::strerror(errno)));
    }
    filled += static_cast<std::size_t>(count);
  }
  return filled;
}

}  // namespace cane
