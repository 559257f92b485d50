// What a comparison is made of, as the user lists it: NAME:PART:PART...,NAME..., where a part is
// OPTION=VALUE or whatever a program reads from it.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace cane::cli {

struct Spec {
  std::string text;                // as the user wrote it
  std::vector<std::string> parts;  // the first one is the name
};

/// Cuts the list given as `option` (say "--methods") and hands each to `read`. Throws Error, naming
/// the one that is wrong, on empty parts, on one that is there twice, and on what `read` throws.
void for_each_spec(const std::string& option, const std::string& list,
                   const std::function<void(const Spec& spec)>& read);

}  // namespace cane::cli
