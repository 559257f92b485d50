// The list of a comparison's rows as the user writes it: NAME:PART:PART...,NAME..., where a part is
// OPTION=VALUE or another form that the program reads.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace cane::cli {

struct Spec {
  std::string text;                // as the user wrote it
  std::vector<std::string> parts;  // the first one is the name
};

/// Splits the list given as `option` (say "--methods") and passes each entry to `read`. Throws
/// Error that names the invalid entry on empty parts, on duplicates, and on each error that `read`
/// throws.
void for_each_spec(const std::string& option, const std::string& list,
                   const std::function<void(const Spec& spec)>& read);

}  // namespace cane::cli
