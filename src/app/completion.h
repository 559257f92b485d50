// Scripts that let a shell complete verbs, options and their values.
#pragma once

#include <span>
#include <string>

#include "app/options_page.h"

namespace cane::cli {

/// `shell`: bash, zsh or fish. Throws Error for another.
std::string completion_script(const std::string& shell, const std::string& program,
                              std::span<const VerbPage> pages);

}  // namespace cane::cli
