// `cane cache` and `cane-lm cache`: what lies in the folder of parsed files, and removing it.
#pragma once

#include "app/verb.h"

namespace cane::cli {

int run_cache(const Verb& verb, const Arguments& arguments);

}  // namespace cane::cli
