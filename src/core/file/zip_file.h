// The members of a zip archive, unpacked into memory.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>

namespace cane {

/// Whether this is a regular file that begins as a zip archive does.
bool is_zip(const std::string& path);

/// Name -> content. `most` says how many bytes of a member are wanted: of a longer one only the
/// beginning is unpacked, a little more than that. Throws Error if the archive is damaged.
std::map<std::string, std::string> read_zip(
    const std::string& path, const std::function<std::uint64_t(const std::string& name)>& most);

}  // namespace cane
