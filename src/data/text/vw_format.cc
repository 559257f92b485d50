// Vowpal Wabbit: `label [importance] ['tag] |name_space:scale feature:value ... |...`.
#include <fmt/format.h>

#include <cmath>

#include "core/base/bad_line.h"
#include "data/text/number.h"
#include "data/text/text_format.h"

namespace cane {
namespace {

// Removes the next token from the front of `text`; empty at its end.
std::string_view take_token(std::string_view& text) {
  const char* const end = text.data() + text.size();
  const char* const begin = skip_blanks(text.data(), end);
  const char* const stop = token_end(begin, end);
  text = {stop, static_cast<std::size_t>(end - stop)};
  return {begin, static_cast<std::size_t>(stop - begin)};
}

float number_after_colon(std::string_view token, std::size_t colon) {
  if (colon == std::string_view::npos) return 1.0F;
  float value = 0.0F;
  const char* const end = token.data() + token.size();
  if (parse_float(token.data() + colon + 1, end, value) != end) {
    throw BadLine{fmt::format(
        "{} does not end in a finite number; write name:value, and no colon inside the name",
        in_quotes(token))};
  }
  return value;
}

// `text` is the part before the first bar.
void parse_front(std::string_view text, Example& example) {
  const bool touches_bar = !text.empty() && !is_blank(text.back());
  std::string_view tokens[3];
  std::size_t count = 0;
  for (std::string_view token = take_token(text); !token.empty(); token = take_token(text)) {
    const bool is_last = skip_blanks(text.data(), text.data() + text.size()) == text.end();
    if (is_last && (touches_bar || token.front() == '\'')) break;
    if (count == 2) {
      throw BadLine{fmt::format(
          "{} before the bar is one word too many; write: label [weight] ['tag] |features",
          in_quotes(token))};
    }
    tokens[count++] = token;
  }
  if (count > 0) example.labels.push_back(tokens[0]);
  if (count < 2) return;
  const char* const end = tokens[1].data() + tokens[1].size();
  if (parse_float(tokens[1].data(), end, example.weight) != end || example.weight < 0.0F) {
    throw BadLine{fmt::format("weight {} is not a finite number of 0 or more; correct it",
                              in_quotes(tokens[1]))};
  }
}

// `text` is the part between two bars.
void parse_name_space(std::string_view text, Example& example) {
  std::string_view name_space;
  float scale = 1.0F;
  if (!text.empty() && !is_blank(text.front())) {
    const std::string_view token = take_token(text);
    const std::size_t colon = token.find(':');
    name_space = token.substr(0, colon);
    scale = number_after_colon(token, colon);
  }
  for (std::string_view token = take_token(text); !token.empty(); token = take_token(text)) {
    const std::size_t colon = token.find(':');
    const std::string_view name = token.substr(0, colon);
    if (name.empty()) {
      throw BadLine{fmt::format("feature {} has no name; write name:value or just the name",
                                in_quotes(token))};
    }
    const float value = scale * number_after_colon(token, colon);
    if (!std::isfinite(value)) {
      throw BadLine{fmt::format("{} times the scale of its name space is too large; scale it down",
                                in_quotes(token))};
    }
    example.words.push_back({name_space, name, value});
  }
}

}  // namespace

bool is_vw_line(std::string_view line, bool) {
  return line.find('|') != std::string_view::npos;
}

void parse_vw_line(std::string_view line, const TextHeader&, Example& example) {
  std::size_t bar = line.find('|');
  if (bar == std::string_view::npos) {
    throw BadLine{"there is no '|'; write: label |features, or name another `format`"};
  }
  parse_front(line.substr(0, bar), example);
  while (bar != std::string_view::npos) {
    const std::size_t next = line.find('|', bar + 1);
    parse_name_space(line.substr(bar + 1, next - bar - 1), example);
    bar = next;
  }
}

}  // namespace cane
