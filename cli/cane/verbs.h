// The verbs of the program `cane`.
#pragma once

#include "app/verb.h"

namespace cane::cli {

int run_train(const Verb& verb, const Arguments& arguments);
int run_tune(const Verb& verb, const Arguments& arguments);
int run_test(const Verb& verb, const Arguments& arguments);
int run_predict(const Verb& verb, const Arguments& arguments);
int run_calibrate(const Verb& verb, const Arguments& arguments);
int run_explain(const Verb& verb, const Arguments& arguments);
int run_export(const Verb& verb, const Arguments& arguments);
int run_compare(const Verb& verb, const Arguments& arguments);
int run_synth(const Verb& verb, const Arguments& arguments);
int run_tree(const Verb& verb, const Arguments& arguments);
int run_quantize(const Verb& verb, const Arguments& arguments);
int run_version(const Verb& verb, const Arguments& arguments);

}  // namespace cane::cli
