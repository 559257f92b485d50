#include "data/vocabulary/name_maps.h"

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
  return !label.empty() && label.find_first_not_of("0123456789") == std::string_view::npos;
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

NameTable::NameTable(const std::vector<std::string>& known) {
  for (const std::string& name : known) table_.find_or_add(name);
  known_ = table_.size();
}

std::vector<std::vector<std::uint32_t>> NameTable::merge(Communicator& ranks) {
  if (ranks.is_alone()) return {};
  Bytes own;
  for (std::uint32_t number = known_; number < size(); ++number) pack_text(table_[number], own);
  const std::vector<Bytes> parts = ranks.all_gather(std::move(own));
  StringTable merged;
  for (std::uint32_t number = 0; number < known_; ++number) merged.find_or_add(table_[number]);
  std::vector<std::vector<std::uint32_t>> numbers;
  for (const Bytes& part : parts) {
    auto& of_rank = numbers.emplace_back();
    for_each_text(part,
                  [&](std::string_view text) { of_rank.push_back(merged.find_or_add(text)); });
  }
  table_ = std::move(merged);
  own_ = numbers[static_cast<std::size_t>(ranks.rank())];
  is_merged_ = true;
  return numbers;
}

LabelMap::LabelMap(const Vocabulary* known, bool adds)
    : is_known_(known != nullptr),
      adds_(adds),
      names_(known != nullptr ? known->labels : std::vector<std::string>()) {}

FileId LabelMap::number_of(std::string_view label) {
  if (!is_known_ || adds_) return names_.find_or_add(label);
  const FileId number = names_.find(label);
  if (number == kUnknownName && unseen_.size() < kUnseenNames &&
      std::find(unseen_.begin(), unseen_.end(), label) == unseen_.end()) {
    unseen_.emplace_back(label);
  }
  return number;
}

std::vector<ClassId> LabelMap::classes() const {
  std::vector<ClassId> classes(names_.size());
  if (is_known_) {
    std::iota(classes.begin(), classes.end(), 0U);
  } else {
    const std::vector<std::string> labels = sorted_labels();
    for (ClassId id = 0; id < labels.size(); ++id) classes[names_.number_of(labels[id])] = id;
  }
  return names_.for_own(std::move(classes));
}

std::vector<std::string> LabelMap::sorted_labels() const {
  std::vector<std::string> labels;
  labels.reserve(names_.size());
  for (std::uint32_t number = 0; number < names_.size(); ++number) {
    labels.emplace_back(names_[number]);
  }
  if (!is_known_) sort_labels(labels);
  return labels;
}

WordMap::WordMap(const Vocabulary* known)
    : is_known_(known != nullptr),
      names_(known != nullptr ? known->words : std::vector<std::string>()) {}

FileId WordMap::number_of(std::string_view word, std::uint64_t occurrences) {
  if (is_known_) return names_.find(word);
  const FileId number = names_.find_or_add(word);
  if (static_cast<std::uint32_t>(number) == counts_.size()) counts_.push_back(0);
  count(static_cast<std::uint32_t>(number), occurrences);
  return number;
}

void WordMap::merge(Communicator& ranks) {
  if (ranks.is_alone() || is_known_) return;
  const std::vector<Bytes> counts =
      ranks.all_gather(bytes_of(std::span<const std::uint32_t>(counts_)));
  const auto numbers = names_.merge(ranks);
  counts_.assign(names_.size(), 0);
  for (std::size_t rank = 0; rank < counts.size(); ++rank) {
    const auto of_rank = values_of<std::uint32_t>(counts[rank]);
    for (std::size_t word = 0; word < of_rank.size(); ++word) {
      count(numbers[rank][word], of_rank[word]);
    }
  }
}

void WordMap::count(std::uint32_t number, std::uint64_t occurrences) {
  constexpr std::uint64_t kMax = std::numeric_limits<std::uint32_t>::max();
  counts_[number] = static_cast<std::uint32_t>(std::min(counts_[number] + occurrences, kMax));
}

WordMap::Features WordMap::features(std::uint32_t min_count) const {
  Features features;
  std::vector<FeatureId> of_number(names_.size(), StringTable::kNone);
  for (std::uint32_t number = 0; number < names_.size(); ++number) {
    if (!is_known_ && counts_[number] < min_count) continue;
    of_number[number] = static_cast<FeatureId>(features.words.size());
    features.words.emplace_back(names_[number]);
  }
  features.of_number = names_.for_own(std::move(of_number));
  return features;
}

}  // namespace cane
