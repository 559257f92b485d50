// From words to features: numbers in the order the words come, then the rare ones are left out and
// the others move up, which keeps their order. With a known vocabulary the features are given.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/string_table.h"
#include "core/base/types.h"
#include "data/text/vocabulary.h"

namespace cane {

class WordMap {
 public:
  explicit WordMap(const Vocabulary* known);

  /// kNone for a word that the known vocabulary lacks.
  std::uint32_t number_of(std::string_view word, std::uint64_t occurrences);

  struct Features {
    std::vector<FeatureId> of_number;  // StringTable::kNone: left out
    std::vector<std::string> words;    // feature -> word
  };
  /// Called when all words have been seen.
  Features features(std::uint32_t min_count) const;

 private:
  bool is_known_;
  StringTable table_;
  std::vector<std::uint32_t> counts_;  // no further than the largest number
};

}  // namespace cane
