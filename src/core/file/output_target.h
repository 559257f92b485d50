// Where the content of an output goes: symbolic links are followed, so that the file behind a link
// is replaced and the link stays; character devices and FIFOs are written in place.
#pragma once

#include <string>

namespace cane {

struct OutputTarget {
  std::string path;         // without a link at its end
  bool is_stream = false;   // a device or a FIFO
  bool is_present = false;  // there is such a file, device or FIFO
};

/// Throws Error, "path: what it is; what to do", on what no output may replace: folders, disks,
/// sockets, files that are write-protected, links that lead in a circle.
OutputTarget output_target(const std::string& path);

/// Removes the file behind a name, if there is one; a link stays.
void remove_output(const std::string& path);

}  // namespace cane
