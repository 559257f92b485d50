// Exception that a parser throws for a line it cannot use. The caller, which knows the file and
// line number, adds them or skips the line.
#pragma once

#include <string>
#include <string_view>

namespace cane {

struct BadLine {
  std::string message;  // what is wrong; what to do
};

/// Quotes `token` for a message: long tokens are shortened and unprintable bytes escaped.
std::string in_quotes(std::string_view token);

}  // namespace cane
