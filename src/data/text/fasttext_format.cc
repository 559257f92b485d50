// fastText: words, those that start with `__label__` are labels.
#include <fmt/format.h>

#include "core/base/bad_line.h"
#include "data/text/number.h"
#include "data/text/text_format.h"

namespace cane {

bool is_fasttext_line(std::string_view line, bool) {
  const char* const end = line.data() + line.size();
  for (const char* cursor = skip_blanks(line.data(), end); cursor != end;) {
    const char* const stop = token_end(cursor, end);
    if (std::string_view(cursor, static_cast<std::size_t>(stop - cursor))
            .starts_with(kFastTextLabel)) {
      return true;
    }
    cursor = skip_blanks(stop, end);
  }
  return false;
}

void parse_fasttext_line(std::string_view line, const TextHeader&, Example& example) {
  const char* const end = line.data() + line.size();
  for (const char* cursor = skip_blanks(line.data(), end); cursor != end;) {
    const char* const stop = token_end(cursor, end);
    const std::string_view token(cursor, static_cast<std::size_t>(stop - cursor));
    if (!token.starts_with(kFastTextLabel)) {
      example.words.push_back({{}, token, 1.0F});
    } else if (token.size() == kFastTextLabel.size()) {
      throw BadLine{
          fmt::format("the label after {} is empty; write {}name", kFastTextLabel, kFastTextLabel)};
    } else {
      example.labels.push_back(token.substr(kFastTextLabel.size()));
    }
    cursor = skip_blanks(stop, end);
  }
}

}  // namespace cane
