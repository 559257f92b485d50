#include "core/base/bad_line.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>

namespace cane {

std::string in_quotes(std::string_view token) {
  constexpr std::size_t kLongest = 40;
  std::string text = "'";
  for (const char character : token.substr(0, std::min(token.size(), kLongest))) {
    const auto byte = static_cast<unsigned char>(character);
    if (byte >= 0x20 && byte < 0x7F) {
      text += character;
    } else {
      text += fmt::format("\\x{:02x}", byte);
    }
  }
  text += token.size() > kLongest ? "...'" : "'";
  return text;
}

}  // namespace cane
