// Exception that a parser throws for a line it cannot use. The caller, which knows the file and
// line number, adds them or skips the line.
#pragma once

#include <string>
#include <string_view>

namespace cane {

struct BadLine {
  std::string message;  // what is wrong; what to do
};

/// Quotes `token` for a message: long tokens are shortened and unprintable bytes escaped. Every
/// message that repeats something out of a file goes through this or through shown().
std::string in_quotes(std::string_view token);
/// The same for a longer text that is no single token, without quotation marks.
std::string shown(std::string_view text);
/// Whether a label can be written into a line of its own: it has no control bytes, and so no line
/// break and no tab.
bool is_plain_label(std::string_view label);
/// A whole message with its control bytes escaped, so that nothing in it steers a terminal. Line
/// ends stay.
std::string without_control_bytes(std::string_view message);

}  // namespace cane
