// The members of a zip archive, unpacked into memory.
#pragma once

#include <map>
#include <string>

namespace cane {

/// Whether this is a regular file that begins as a zip archive does.
bool is_zip(const std::string& path);

/// Name -> content. Throws Error if the archive is damaged or its content does not fit in memory.
std::map<std::string, std::string> read_zip(const std::string& path);

}  // namespace cane
