// The one exception type of the library: something the user gave is wrong (a file, an option, a
// value). The message says what is wrong and what to do, and names file and line where there is
// one.
#pragma once

#include <stdexcept>
#include <string>

namespace cane {

class Error : public std::runtime_error {
 public:
  explicit Error(const std::string& message) : std::runtime_error(message) {}
};

}  // namespace cane
