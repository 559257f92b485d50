// Messages for people, on standard error. A message that cannot be written is lost and nothing
// else: the terminal may be gone, or the disk of a log full, while hours of work go on.
#pragma once

#include <fmt/format.h>

#include <cstdio>
#include <string_view>
#include <utility>

namespace cane::cli {

/// Drops the messages of this process and its results to standard output: another rank writes them.
void mute_output();
/// Messages are written again.
void unmute_output();
bool is_output_muted();

inline void say_text(std::string_view text) {
  if (is_output_muted()) return;
  [[maybe_unused]] const std::size_t written = std::fwrite(text.data(), 1, text.size(), stderr);
}

/// Writes the formatted text as it is: a line needs its own '\n'.
template <typename... Arguments>
void say(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
  say_text(fmt::format(format, std::forward<Arguments>(arguments)...));
}

/// Puts something harmless in the place of each standard stream that the caller has closed:
/// otherwise the next file that is opened takes its number, and messages end up in that file.
/// Reading and writing results fails as it does on a closed stream; messages are lost.
void hold_standard_streams();

}  // namespace cane::cli
