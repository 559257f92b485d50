// Manual pages, in the language of man(7).
#pragma once

#include <span>
#include <string>

#include "app/options_page.h"
#include "app/program.h"

namespace cane::cli {

/// The page of the program: what it does and its verbs.
std::string program_manual(const Program& program, std::span<const VerbPage> pages);
/// The page of a verb: its options and examples.
std::string verb_manual(const Program& program, const VerbPage& page);

}  // namespace cane::cli
