#include <algorithm>
#include <iterator>

#include "data/table/columns.h"

namespace cane {
namespace {

constexpr std::string_view kLabelNames[] = {"label",  "labels",   "class", "target",
                                            "intent", "category", "y"};
constexpr std::string_view kTextNames[] = {
    "text",    "sentence", "utterance", "query",   "question",    "review", "comment",
    "message", "document", "content",   "snippet", "description", "tweet",  "phrase"};
constexpr std::string_view kCounterNames[] = {"id", "index", "idx", "row", "uid", "unnamed: 0"};
constexpr std::string_view kMissingNumbers[] = {"", "nan", "na", "n/a", "null", "none", "-nan"};

template <std::size_t kCount>
bool is_one_of(const std::string_view (&names)[kCount], std::string_view name) {
  std::string lower(name);
  for (char& letter : lower) {
    if (letter >= 'A' && letter <= 'Z') letter = static_cast<char>(letter - 'A' + 'a');
  }
  return std::find(std::begin(names), std::end(names), lower) != std::end(names);
}

}  // namespace

bool is_label_name(std::string_view name) {
  return is_one_of(kLabelNames, name);
}

bool is_text_name(std::string_view name) {
  return is_one_of(kTextNames, name);
}

bool is_counter_name(std::string_view name) {
  return is_one_of(kCounterNames, name);
}

bool is_missing_number(std::string_view text) {
  return text.size() <= 4 && is_one_of(kMissingNumbers, text);
}

}  // namespace cane
