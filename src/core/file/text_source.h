// The bytes of a text file or of standard input, decompressed: gzip and zstd are recognised by
// their first bytes. Compressed input that is cut off or damaged ends early and says so.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>

namespace cane {

class TextSource {
 public:
  virtual ~TextSource() = default;

  /// Fills `buffer`; fewer bytes come back only at the end. Throws Error if the file cannot be
  /// read.
  virtual std::size_t read(std::span<char> buffer) = 0;
  /// After the end: what made it come too early; empty if nothing did.
  virtual std::string damage() const { return {}; }
};

/// How messages call the input.
inline std::string source_name(const std::string& path) {
  return path == "-" ? "standard input" : path;
}

/// `path` may be "-".
std::unique_ptr<TextSource> open_text(const std::string& path);

}  // namespace cane
