#include "core/file/damaged.h"

#include <fmt/format.h>

#include "cane/error.h"

namespace cane {

void throw_damaged(const SafetensorsFile& file, const std::string& what) {
  throw Error(
      fmt::format("{}: {}; the file is damaged or was made by another program: train again "
                  "or fetch it anew",
                  file.path(), what));
}

}  // namespace cane
