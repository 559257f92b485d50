// The verbs of the program `cane-lm`.
#pragma once

#include "app/verb.h"

namespace cane::lm {

using cli::Arguments;
using cli::Verb;

int run_train(const Verb& verb, const Arguments& arguments);
int run_test(const Verb& verb, const Arguments& arguments);
int run_generate(const Verb& verb, const Arguments& arguments);
int run_compare(const Verb& verb, const Arguments& arguments);

}  // namespace cane::lm
