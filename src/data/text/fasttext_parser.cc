#include <fmt/format.h>

#include "core/base/bad_line.h"
#include "data/text/line_parser.h"
#include "data/text/number.h"

namespace cane {

void parse_fasttext_line(std::string_view line, Example& example) {
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
