// Where files that only save time are kept.
#pragma once

#include <string>

namespace cane {

/// The first that is set of `chosen`, CANE_CACHE_DIR, XDG_CACHE_HOME/cane and HOME/.cache/cane;
/// empty if none is.
std::string cache_folder(const std::string& chosen);

}  // namespace cane
