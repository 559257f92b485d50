#include "data/text/format.h"

#include <algorithm>

#include "core/base/bad_line.h"
#include "data/text/line_parser.h"
#include "data/text/number.h"

namespace cane {
namespace {

bool is_xmc_header(std::string_view line) {
  try {
    parse_xmc_header(line);
    return true;
  } catch (const BadLine&) {
    return false;
  }
}

// Only the index is looked at: a wrong value is to be reported as such.
bool is_index_feature(std::string_view token) {
  const std::size_t colon = token.find(':');
  if (colon == std::string_view::npos) return false;
  token = token.substr(0, colon);
  if (token.starts_with('-')) token.remove_prefix(1);
  return !token.empty() && std::all_of(token.begin(), token.end(), is_digit);
}

}  // namespace

std::optional<Format> recognise_line(std::string_view line, bool is_first) {
  if (is_first && is_xmc_header(line)) return Format::kXmc;
  const char* const end = line.data() + line.size();
  bool features_may_begin = true;  // before the second token, queries not counted
  for (const char* cursor = skip_blanks(line.data(), end); cursor != end;) {
    const char* const stop = token_end(cursor, end);
    const std::string_view token(cursor, static_cast<std::size_t>(stop - cursor));
    if (token.starts_with(kFastTextLabel)) return Format::kFastText;
    if (features_may_begin && is_index_feature(token)) return Format::kSvm;
    if (cursor != line.data() && !token.starts_with("qid:")) features_may_begin = false;
    cursor = skip_blanks(stop, end);
  }
  if (line.find('|') != std::string_view::npos) return Format::kVw;
  return std::nullopt;
}

}  // namespace cane
