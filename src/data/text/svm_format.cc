// svmlight / libsvm: `label [qid:n] index:value ... [# comment]`.
#include <algorithm>

#include "data/text/number.h"
#include "data/text/text_format.h"

namespace cane {
namespace {

// Checks only the index, so that a bad value is reported as such.
bool is_index_feature(std::string_view token) {
  const std::size_t colon = token.find(':');
  if (colon == std::string_view::npos) return false;
  token = token.substr(0, colon);
  if (token.starts_with('-')) token.remove_prefix(1);
  return !token.empty() && std::all_of(token.begin(), token.end(), is_digit);
}

}  // namespace

// The first feature stands at the start of the line or after one other token, queries not counted.
bool is_svm_line(std::string_view line, bool) {
  const char* const end = line.data() + line.size();
  for (const char* cursor = skip_blanks(line.data(), end); cursor != end;) {
    const char* const stop = token_end(cursor, end);
    const std::string_view token(cursor, static_cast<std::size_t>(stop - cursor));
    if (token.starts_with(kFastTextLabel)) return false;
    if (is_index_feature(token)) return true;
    if (cursor != line.data() && !token.starts_with("qid:")) return false;
    cursor = skip_blanks(stop, end);
  }
  return false;
}

void parse_svm_line(std::string_view line, const TextHeader& header, Example& example) {
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
  parse_index_features(cursor, end, header.features, example);
}

}  // namespace cane
