// The files that a text consists of: one, or those of a folder, which are read as one text after
// the other. A table of a folder may repeat its row of column names in every file.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "cane/data_options.h"
#include "core/file/text_source.h"

namespace cane {

struct TextMembers {
  std::string name;                // as the user gave it
  std::vector<std::string> files;  // in order
  bool is_folder = false;
  std::size_t first = 0;        // the first that is not blank; it shows the format
  std::string first_line = {};  // of this one, blank lines left out; known for folders
};

/// Throws Error if there is no file in the folder.
TextMembers members_of(const std::string& path);

/// The text from the first member on that is not blank, to recognise its format and to sample it. A
/// first line that later members repeat is blank there.
std::unique_ptr<TextSource> open_members(const TextMembers& members);

/// The format that is wanted: the one given, or else the one that the names of the files tell.
Format wanted_format(const TextMembers& members, const DataOptions& options);

}  // namespace cane
