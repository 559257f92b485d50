// A text in memory, read like a file.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "core/file/text_source.h"

namespace cane {

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
