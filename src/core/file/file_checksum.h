// A checksum of whole files, to tell whether data is the data that a model was trained on.
#pragma once

#include <span>
#include <string>

namespace cane {

/// XXH3 (64 bits) of the bytes of the files, one after the other, as 16 hexadecimal digits; for one
/// file it is what `xxhsum -H3` prints. Folders are passed over: their files are listed, too. Empty
/// if one cannot be read again: a pipe, say.
std::string file_checksum(std::span<const std::string> paths);

}  // namespace cane
