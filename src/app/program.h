// A program with several verbs: help, version, dispatch to the verb, and every error as one line
// and an exit code. main() of both programs is a table of verbs and a call of run_program.
#pragma once

#include <exception>
#include <span>
#include <string>

#include "app/error_text.h"
#include "app/verb.h"

namespace cane::cli {

struct Program {
  const char* name;
  const char* summary;
  const char* example;        // the last lines of the help
  const char* memory_remedy;  // what to do where memory does not suffice
  std::span<const Verb> verbs;
  /// Tables of the lists of fields, for the page that `help --markdown` prints.
  std::string (*option_tables)();
  /// Adds fields that messages may name in addition to the fields of the library; may be nullptr.
  void (*add_flags)(FlagNames& names) = nullptr;
  /// The text of an error that the user reads; nullptr means the whole message.
  std::string (*error_text)(const std::exception& error) = nullptr;
};

/// Returns the exit code. `arguments` follow the name of the program.
int run_program(const Program& program, const Arguments& arguments);

}  // namespace cane::cli
