#include "core/base/bad_line.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>

namespace cane {

namespace {

// The length of the UTF-8 character that the text begins with; 0 if there is none, or if it is a
// control character.
std::size_t character_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  if (byte(0) < 0x80) return byte(0) >= 0x20 && byte(0) != 0x7F ? 1 : 0;
  const std::size_t length = byte(0) >= 0xF0 ? 4 : byte(0) >= 0xE0 ? 3 : 2;
  if (byte(0) < 0xC2 || byte(0) > 0xF4 || text.size() < length) return 0;
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return 0;
  }
  if (byte(0) == 0xC2 && byte(1) < 0xA0) return 0;
  return length;
}

std::string printable(std::string_view text, std::size_t longest) {
  std::string printed;
  std::size_t place = 0;
  while (place < std::min(text.size(), longest)) {
    const std::size_t length = character_length(text.substr(place));
    if (length == 0) {
      printed += fmt::format("\\x{:02x}", static_cast<unsigned char>(text[place]));
    } else {
      printed += text.substr(place, length);
    }
    place += std::max<std::size_t>(length, 1);
  }
  if (place < text.size()) printed += "...";
  return printed;
}

}  // namespace

std::string in_quotes(std::string_view token) {
  constexpr std::size_t kLongest = 40;
  return fmt::format("'{}'", printable(token, kLongest));
}

std::string shown(std::string_view text) {
  constexpr std::size_t kLongest = 200;
  return printable(text, kLongest);
}

bool is_plain_label(std::string_view label) {
  return std::ranges::none_of(label, [](char c) { return static_cast<unsigned char>(c) < 0x20; });
}

std::string without_control_bytes(std::string_view message) {
  std::string text;
  while (!message.empty()) {
    const std::size_t end = std::min(message.find('\n'), message.size());
    text += printable(message.substr(0, end), end);
    if (end < message.size()) text += '\n';
    message.remove_prefix(std::min(end + 1, message.size()));
  }
  return text;
}

}  // namespace cane
