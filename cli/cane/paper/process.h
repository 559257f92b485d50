// A program of the plan as a child process, with its output in files.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "app/verb.h"

namespace cane::cli::paper {

struct ProcessEnd {
  int exit_code = 0;  // 128 + the signal that ended it
  double seconds = 0.0;
  std::uint64_t peak_bytes = 0;
};

/// Runs it to its end and calls `look(seconds)` several times a second meanwhile. When the user
/// asks to stop, the child is asked to end, too, and killed if it does not. It ends with this
/// program, however that ends. Throws Error if it cannot be started.
ProcessEnd run_process(const std::string& program, const Arguments& arguments,
                       const std::string& output_path, const std::string& log_path,
                       const std::function<void(double seconds)>& look);

/// The path of a program: as it is if it has a slash, otherwise beside this program or in PATH.
/// Empty if there is none.
std::string find_program(const std::string& name);

}  // namespace cane::cli::paper
