#include "data/text/word_map.h"

#include <algorithm>
#include <limits>

namespace cane {

WordMap::WordMap(const Vocabulary* known) : is_known_(known != nullptr) {
  if (!is_known_) return;
  for (const auto& word : known->words) table_.find_or_add(word);
}

std::uint32_t WordMap::number_of(std::string_view word, std::uint64_t occurrences) {
  if (is_known_) return table_.find(word);
  const std::uint32_t number = table_.find_or_add(word);
  if (number == counts_.size()) counts_.push_back(0);
  constexpr std::uint64_t kMax = std::numeric_limits<std::uint32_t>::max();
  counts_[number] = static_cast<std::uint32_t>(std::min(counts_[number] + occurrences, kMax));
  return number;
}

WordMap::Features WordMap::features(std::uint32_t min_count) const {
  Features features;
  features.of_number.resize(table_.size(), StringTable::kNone);
  for (std::uint32_t number = 0; number < table_.size(); ++number) {
    if (!is_known_ && counts_[number] < min_count) continue;
    features.of_number[number] = static_cast<FeatureId>(features.words.size());
    features.words.emplace_back(table_[number]);
  }
  return features;
}

}  // namespace cane
