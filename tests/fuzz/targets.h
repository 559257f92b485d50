// The fuzz targets: each takes any bytes and hands them to one reader, which must return or throw
// Error, and nothing else. All are in one program, so that it is linked once; CANE_FUZZ names one.
#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace cane::fuzz {

using Bytes = std::span<const std::uint8_t>;

struct Target {
  const char* name;
  void (*run)(Bytes input);
};

std::span<const Target> text_targets();
std::span<const Target> file_targets();
std::span<const Target> archive_targets();
std::span<const Target> option_targets();

/// A file in memory that has a path; the next call replaces its content.
std::string path_of(Bytes content);

/// Removes the first byte, from which a target takes its options; 0 if there is none.
std::uint8_t take_byte(Bytes& input);

}  // namespace cane::fuzz
