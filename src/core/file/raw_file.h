// An open file or standard input, read front to back.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace cane {

class RawFile {
 public:
  /// `path` may be "-". Throws Error.
  explicit RawFile(const std::string& path);
  ~RawFile();
  RawFile(RawFile&& other) noexcept;
  RawFile& operator=(RawFile&&) = delete;

  /// Fills `buffer`; fewer bytes come back only at the end.
  std::size_t read(std::span<char> buffer);
  /// The next `count` bytes (fewer at the end), which stay to be read. Valid until the next call.
  std::string_view peek(std::size_t count);

 private:
  std::size_t read_descriptor(std::span<char> buffer);

  std::string name_;
  int descriptor_ = -1;
  std::string peeked_;
};

}  // namespace cane
