// The files of a folder that stands for data cut into several files, as Hadoop and Spark write it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace cane {

bool is_folder(const std::string& path);

/// Its regular files (links are followed) in the order of their names. Names that begin with "." or
/// "_" are left out: those are marks such as _SUCCESS. Throws Error if the folder cannot be read.
std::vector<std::string> files_of_folder(const std::string& folder);

/// Whether this is a regular file that begins with these bytes.
bool begins_with(const std::string& path, std::string_view bytes);
/// The last name of a path, also if it ends with a slash.
std::string last_name(const std::string& path);

}  // namespace cane
