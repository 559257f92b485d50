#include "data/text/line_parser.h"
#include "data/text/number.h"

namespace cane {

void parse_svm_line(std::string_view line, Example& example) {
  constexpr std::uint64_t kIndexLimit = std::uint64_t{1} << 31;
  const char* cursor = line.data();
  const char* end = cursor + line.size();
  cursor = skip_blanks(cursor, end);
  if (cursor == end || *cursor == '#') {
    example.is_blank = true;
    return;
  }
  const char* const label_end = token_end(cursor, end);
  const std::string_view label(cursor, static_cast<std::size_t>(label_end - cursor));
  if (label.find(':') == std::string_view::npos) {
    example.labels.push_back(label);
    cursor = skip_blanks(label_end, end);
  }
  std::string_view features(cursor, static_cast<std::size_t>(end - cursor));
  features = features.substr(0, features.find('#'));
  end = cursor + features.size();
  if (features.starts_with("qid:")) cursor = token_end(cursor, end);
  parse_index_features(cursor, end, kIndexLimit, example);
}

}  // namespace cane
