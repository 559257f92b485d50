// The bytes of a text file or of standard input, decompressed where they are compressed by gzip,
// zstd, xz, bzip2 or lz4, which their first bytes show. Several members or frames in a row read as
// one text. Compressed input that is cut off, damaged or followed by something else ends early, and
// damage() says so.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>

namespace cane {

class TextSource {
 public:
  virtual ~TextSource() = default;

  /// Waits until there is something to read, and reads what there is; 0 bytes at the end only.
  /// Throws Error if the file cannot be read.
  virtual std::size_t read_some(std::span<char> buffer) = 0;
  /// Fills `buffer`; fewer bytes come back only at the end.
  std::size_t read(std::span<char> buffer);
  /// Whether there is something to read, or the end, without waiting for it. Of compressed text that
  /// may still be too little for a byte of it.
  virtual bool is_ready() const = 0;
  /// After the end: what made it come too early; empty if nothing did.
  virtual std::string damage() const { return {}; }
};

/// How messages call the input.
inline std::string source_name(const std::string& path) {
  return path == "-" ? "standard input" : path;
}

/// `path` may be "-". Throws Error if it cannot be opened, or is compressed in another way.
std::unique_ptr<TextSource> open_text(const std::string& path);

}  // namespace cane
