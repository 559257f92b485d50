// The verb `inspect` of both programs: prints the contents of a model of either.
#pragma once

#include "app/verb.h"

namespace cane::cli {

int run_inspect(const Verb& verb, const Arguments& arguments);

}  // namespace cane::cli
