#include "data/text/name_maps.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <limits>
#include <numeric>
#include <span>
#include <tuple>
#include <utility>

#include "cane/error.h"
#include "core/base/bad_line.h"
#include "core/parallel/packing.h"
#include "data/text/number.h"

namespace cane {
namespace {

struct WholeNumber {
  bool negative = false;
  std::string_view digits;  // no leading zeros: a longer one is larger
};

std::string_view unsigned_part(std::string_view label) {
  if (label.starts_with('-') || label.starts_with('+')) label.remove_prefix(1);
  return label;
}

bool is_whole_number(std::string_view label) {
  label = unsigned_part(label);
  return !label.empty() && std::all_of(label.begin(), label.end(), is_digit);
}

WholeNumber whole_number(std::string_view label) {
  std::string_view digits = unsigned_part(label);
  digits.remove_prefix(std::min(digits.find_first_not_of('0'), digits.size()));
  return {label.starts_with('-') && !digits.empty(), digits};
}

// Labels that spell the same number differently ("1" and "01") are ordered by their bytes.
bool numeric_less(std::string_view left, std::string_view right) {
  const WholeNumber a = whole_number(left);
  const WholeNumber b = whole_number(right);
  if (a.negative != b.negative) return a.negative;
  const auto size_and_digits = [](const WholeNumber& number) {
    return std::tuple(number.digits.size(), number.digits);
  };
  if (size_and_digits(a) == size_and_digits(b)) return left < right;
  return (size_and_digits(a) < size_and_digits(b)) != a.negative;
}

// Adds the strings of all ranks to the first `known`, which all ranks have, in the order of the
// ranks. Returns the strings of each rank by their new numbers, and replaces the table.
std::vector<std::vector<std::uint32_t>> merge_tables(Communicator& ranks, std::uint32_t known,
                                                     StringTable& table) {
  Bytes own;
  for (std::uint32_t number = known; number < table.size(); ++number) pack_text(table[number], own);
  const std::vector<Bytes> parts = ranks.all_gather(std::move(own));
  StringTable merged;
  for (std::uint32_t number = 0; number < known; ++number) merged.find_or_add(table[number]);
  std::vector<std::vector<std::uint32_t>> numbers;
  for (const Bytes& part : parts) {
    auto& of_rank = numbers.emplace_back();
    for_each_text(part,
                  [&](std::string_view text) { of_rank.push_back(merged.find_or_add(text)); });
  }
  table = std::move(merged);
  return numbers;
}

// The new numbers of this rank's strings, those that all knew included.
std::vector<std::uint32_t> renumbered(std::uint32_t known, std::span<const std::uint32_t> added) {
  std::vector<std::uint32_t> numbers(known);
  std::iota(numbers.begin(), numbers.end(), 0U);
  numbers.insert(numbers.end(), added.begin(), added.end());
  return numbers;
}

}  // namespace

void sort_labels(std::vector<std::string>& labels) {
  if (std::all_of(labels.begin(), labels.end(), is_whole_number)) {
    std::sort(labels.begin(), labels.end(), numeric_less);
  } else {
    std::sort(labels.begin(), labels.end());
  }
}

void check_classes(const std::string& name, const std::vector<std::string>& labels) {
  if (labels.size() >= 2) return;
  throw Error(fmt::format("{}: {}, but there must be at least 2 to tell apart; give data with more",
                          name,
                          labels.empty() ? std::string("no example has a label")
                                         : "the only class is " + in_quotes(labels.front())));
}

LabelMap::LabelMap(const Vocabulary* known, bool adds) : is_known_(known != nullptr), adds_(adds) {
  if (known == nullptr) return;
  for (const auto& label : known->labels) table_.find_or_add(label);
  known_labels_ = table_.size();
}

std::uint32_t LabelMap::number_of(std::string_view label) {
  if (!is_known_ || adds_) return table_.find_or_add(label);
  const std::uint32_t number = table_.find(label);
  if (number == StringTable::kNone && unseen_.size() < kUnseenNames &&
      std::find(unseen_.begin(), unseen_.end(), label) == unseen_.end()) {
    unseen_.emplace_back(label);
  }
  return number;
}

std::vector<std::uint32_t> LabelMap::merge(Communicator& ranks) {
  const auto numbers = merge_tables(ranks, known_labels_, table_);
  return renumbered(known_labels_, numbers[static_cast<std::size_t>(ranks.rank())]);
}

std::vector<ClassId> LabelMap::classes() const {
  std::vector<ClassId> classes(table_.size());
  if (is_known_) {
    std::iota(classes.begin(), classes.end(), 0U);
    return classes;
  }
  const std::vector<std::string> labels = sorted_labels();
  for (ClassId id = 0; id < labels.size(); ++id) classes[table_.find(labels[id])] = id;
  return classes;
}

std::vector<std::string> LabelMap::sorted_labels() const {
  std::vector<std::string> labels;
  labels.reserve(table_.size());
  for (std::uint32_t number = 0; number < table_.size(); ++number) {
    labels.emplace_back(table_[number]);
  }
  if (!is_known_) sort_labels(labels);
  return labels;
}

WordMap::WordMap(const Vocabulary* known) : is_known_(known != nullptr) {
  if (!is_known_) return;
  for (const auto& word : known->words) table_.find_or_add(word);
}

std::uint32_t WordMap::number_of(std::string_view word, std::uint64_t occurrences) {
  if (is_known_) return table_.find(word);
  const std::uint32_t number = table_.find_or_add(word);
  if (number == counts_.size()) counts_.push_back(0);
  count(number, occurrences);
  return number;
}

std::vector<std::uint32_t> WordMap::merge(Communicator& ranks) {
  const std::vector<Bytes> counts =
      ranks.all_gather(bytes_of(std::span<const std::uint32_t>(counts_)));
  const std::uint32_t known = is_known_ ? table_.size() : 0;
  const auto numbers = merge_tables(ranks, known, table_);
  const auto own = static_cast<std::size_t>(ranks.rank());
  if (!is_known_) {
    counts_.assign(table_.size(), 0);
    for (std::size_t rank = 0; rank < counts.size(); ++rank) {
      const auto of_rank = values_of<std::uint32_t>(counts[rank]);
      for (std::size_t word = 0; word < of_rank.size(); ++word) {
        count(numbers[rank][word], of_rank[word]);
      }
    }
  }
  return renumbered(known, numbers[own]);
}

void WordMap::count(std::uint32_t number, std::uint64_t occurrences) {
  constexpr std::uint64_t kMax = std::numeric_limits<std::uint32_t>::max();
  counts_[number] = static_cast<std::uint32_t>(std::min(counts_[number] + occurrences, kMax));
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
