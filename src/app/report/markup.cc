#include "app/report/markup.h"

#include <charconv>
#include <system_error>

namespace cane::cli {

std::string escaped(std::string_view text) {
  std::string safe;
  for (const char character : text) {
    switch (character) {
      case '&':
        safe += "&amp;";
        break;
      case '<':
        safe += "&lt;";
        break;
      case '>':
        safe += "&gt;";
        break;
      case '"':
        safe += "&quot;";
        break;
      case '\'':
        safe += "&#39;";
        break;
      default:
        safe += static_cast<unsigned char>(character) < 0x20 ? '?' : character;
    }
  }
  return safe;
}

namespace {

// What a spreadsheet would compute. A number may begin with a sign.
bool is_formula(const std::string& text) {
  if (text.empty() || std::string_view("=+-@").find(text.front()) == std::string_view::npos) {
    return false;
  }
  double number = 0.0;
  const char* const end = text.data() + text.size();
  const auto parsed = std::from_chars(text.data() + (text.front() == '+' ? 1 : 0), end, number);
  return parsed.ec != std::errc() || parsed.ptr != end;
}

}  // namespace

std::string exact_csv_field(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string field = "\"";
  for (const char character : text) {
    if (character == '"') field += '"';
    field += character;
  }
  return field + '"';
}

std::string csv_field(const std::string& text) {
  return exact_csv_field(is_formula(text) ? '\'' + text : text);
}

}  // namespace cane::cli
