// What a parser throws for a line it cannot use. Whoever knows the file and the line's number adds
// them, or skips the line.
#pragma once

#include <string>
#include <string_view>

namespace cane {

struct BadLine {
  std::string message;  // what is wrong; what to do
};

/// `token` between quote marks, fit for a message: long ones are shortened, unprintable bytes
/// escaped.
std::string in_quotes(std::string_view token);

}  // namespace cane
