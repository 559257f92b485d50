// A part of a plain text file as a text of its own, for readers that share the file.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "core/file/text_source.h"

namespace cane {

struct FileRange {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  bool operator==(const FileRange&) const = default;
};

/// The bytes of a range of a plain file. Throws Error if the file cannot be opened.
std::unique_ptr<TextSource> open_range(const std::string& path, const FileRange& range);

/// The first position at or after `from` where a line begins, or the end of the file.
std::uint64_t line_start(const std::string& path, std::uint64_t from);

}  // namespace cane
