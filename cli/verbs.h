// What the program can do. A verb takes the arguments after its name and returns the exit code;
// user errors are thrown as cane::Error.
#pragma once

#include <string>
#include <vector>

namespace cane::cli {

using Arguments = std::vector<std::string>;

struct Verb {
  const char* name;
  const char* summary;
  int (*run)(const Verb& verb, const Arguments& arguments);
  const char* program = "cane";
};

int run_train(const Verb& verb, const Arguments& arguments);
int run_tune(const Verb& verb, const Arguments& arguments);
int run_test(const Verb& verb, const Arguments& arguments);
int run_predict(const Verb& verb, const Arguments& arguments);
int run_compare(const Verb& verb, const Arguments& arguments);
int run_synth(const Verb& verb, const Arguments& arguments);
int run_tree(const Verb& verb, const Arguments& arguments);
int run_quantize(const Verb& verb, const Arguments& arguments);
int run_inspect(const Verb& verb, const Arguments& arguments);
int run_version(const Verb& verb, const Arguments& arguments);

inline constexpr int kExitDone = 0;
inline constexpr int kExitUserError = 1;
inline constexpr int kExitInterrupted = 130;
inline constexpr int kExitClosedPipe = 141;

}  // namespace cane::cli
