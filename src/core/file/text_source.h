// The bytes of a text file or of standard input, decompressed if their first bytes identify gzip,
// zstd, xz, bzip2 or lz4. Several members or frames in a row are read as one text. Compressed input
// that is truncated, damaged or followed by other data ends early, and damage() then reports it.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace cane {

class TextSource {
 public:
  virtual ~TextSource() = default;

  /// Waits until input is available and reads what there is; returns 0 bytes only at the end.
  /// Throws Error if the file cannot be read.
  virtual std::size_t read_some(std::span<char> buffer) = 0;
  /// Fills `buffer`; returns fewer bytes only at the end.
  std::size_t read(std::span<char> buffer);
  /// Whether input, or the end of it, is available without waiting. For compressed text, the
  /// available input may still decompress to nothing.
  virtual bool is_ready() const = 0;
  /// After the end: why the input ended early; empty if it did not.
  virtual std::string damage() const { return {}; }
};

/// Name of the input in messages.
inline std::string source_name(const std::string& path) {
  return path == "-" ? "standard input" : path;
}

/// `path` may be "-". Throws Error if it cannot be opened or uses an unsupported compression.
std::unique_ptr<TextSource> open_text(const std::string& path);

/// The compression of a file by its first bytes ("gzip"); empty if it is plain. Throws Error if it
/// cannot be opened.
std::string compression_of(const std::string& path);

/// A text in memory, read like a file.
class MemoryText : public TextSource {
 public:
  /// The text must outlive the object.
  explicit MemoryText(std::string_view text) : rest_(text) {}

  std::size_t read_some(std::span<char> buffer) override {
    const std::size_t count = rest_.copy(buffer.data(), buffer.size());
    rest_.remove_prefix(count);
    return count;
  }
  bool is_ready() const override { return true; }

 private:
  std::string_view rest_;
};

}  // namespace cane
