// A verb of a program: takes the arguments after its name and returns the exit code; user errors
// are thrown as cane::Error.
#pragma once

#include <string>
#include <vector>

#include "cane/ranks.h"
#include "core/base/words.h"

namespace cane::cli {

using Arguments = std::vector<std::string>;

struct Verb {
  const char* name;
  const char* summary;
  int (*run)(const Verb& verb, const Arguments& arguments);
  bool shares_work = false;  // runs on several ranks, under a launcher of MPI
  const char* program = "cane";
  const Ranks* ranks = nullptr;  // the ranks that run it; set by the program
};

/// The command line that runs a command ("cane train") with these arguments.
inline std::string command_line(std::string command, const Arguments& arguments) {
  for (const std::string& argument : arguments) command += ' ' + quoted(argument);
  return command;
}

inline constexpr int kExitDone = 0;
inline constexpr int kExitUserError = 1;
inline constexpr int kExitInterrupted = 130;
inline constexpr int kExitClosedPipe = 141;

/// Verbs of both programs: what lies in the folder of parsed files, and removing it; and the
/// contents of a model of either.
int run_cache(const Verb& verb, const Arguments& arguments);
int run_inspect(const Verb& verb, const Arguments& arguments);

}  // namespace cane::cli
