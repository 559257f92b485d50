#include "model/damaged.h"

#include <fmt/format.h>

#include "cane/error.h"

namespace cane {

void fail_damaged(const SafetensorsFile& file, const std::string& what) {
  throw Error(
      fmt::format("{}: {}; the file is damaged or was made by another program: train again "
                  "or fetch it anew",
                  file.path(), what));
}

}  // namespace cane
