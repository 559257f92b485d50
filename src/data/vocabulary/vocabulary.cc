#include "data/vocabulary/vocabulary.h"

#include <xxhash.h>

#include <algorithm>
#include <functional>
#include <iterator>
#include <memory>
#include <utility>

#include "core/base/bad_line.h"

namespace cane {
namespace {

class Fingerprint {
 public:
  Fingerprint() { XXH3_64bits_reset(state_.get()); }

  void add(std::uint64_t number) { XXH3_64bits_update(state_.get(), &number, sizeof number); }
  // Lengths are hashed too: moving a byte from one string to the next must change the result.
  void add(const std::vector<std::string>& strings) {
    add(strings.size());
    for (const auto& text : strings) {
      add(text.size());
      XXH3_64bits_update(state_.get(), text.data(), text.size());
    }
  }
  template <typename Number>
  void add(const std::vector<Number>& numbers) {
    add(numbers.size());
    XXH3_64bits_update(state_.get(), numbers.data(), numbers.size() * sizeof(Number));
  }
  std::uint64_t value() const { return XXH3_64bits_digest(state_.get()); }

 private:
  struct Free {
    void operator()(XXH3_state_t* state) const { XXH3_freeState(state); }
  };
  std::unique_ptr<XXH3_state_t, Free> state_{XXH3_createState()};
};

// Indexed by ColumnRole.
constexpr const char* kRoleNames[] = {"none", "label", "weight", "text", "number", "string"};

// The columns of a table and the kind of its features must agree.
bool columns_fit(const Vocabulary& vocabulary) {
  if (vocabulary.columns.empty()) return true;
  std::uint64_t counts[std::size(kRoleNames)] = {};
  for (const TableColumn& column : vocabulary.columns) {
    ++counts[static_cast<std::size_t>(column.role)];
  }
  const auto count = [&](ColumnRole role) { return counts[static_cast<std::size_t>(role)]; };
  if (count(ColumnRole::kNone) > 0 || count(ColumnRole::kLabel) > 1 ||
      count(ColumnRole::kWeight) > 1) {
    return false;
  }
  const std::uint64_t with_words = count(ColumnRole::kText) + count(ColumnRole::kString);
  return vocabulary.feature_kind == FeatureKind::kIndices
             ? with_words == 0 && count(ColumnRole::kNumber) == vocabulary.dimension
             : with_words > 0;
}

bool is_from_one_to(std::uint32_t most, std::uint32_t number) {
  return number >= 1 && number <= most;
}

bool are_valid(const Ngrams& ngrams) {
  const auto [shortest, longest] = ngrams.characters;
  const bool has_lengths = (shortest > 0 || longest > 0) && ngrams.characters != CharNgrams::ends();
  if (has_lengths && (shortest > longest || !is_from_one_to(kMaxCharNgrams, shortest) ||
                      !is_from_one_to(kMaxCharNgrams, longest))) {
    return false;
  }
  return is_from_one_to(kMaxWordNgrams, ngrams.words);
}

bool are_chosen(const Vocabulary& vocabulary) {
  return vocabulary.tokenizer != TokenizerKind::kAuto &&
         vocabulary.weights != FeatureWeights::kAuto && vocabulary.normalize != Normalize::kAuto &&
         vocabulary.multi_label != MultiLabel::kAuto;
}

bool has_valid_factors(const Vocabulary& vocabulary) {
  const std::vector<float>& factors = vocabulary.factors;
  if (factors.empty() && vocabulary.weights != FeatureWeights::kTfidf) return true;
  // One plus the logarithm of the number of examples: more cannot be counted.
  constexpr float kMaxFactor = 64.0F;
  return vocabulary.weights != FeatureWeights::kCount && factors.size() == vocabulary.dimension &&
         std::all_of(factors.begin(), factors.end(),
                     [](float factor) { return factor >= 0.0F && factor <= kMaxFactor; });
}

}  // namespace

bool has_ngram_dictionary(const Vocabulary& vocabulary) {
  return vocabulary.feature_kind == FeatureKind::kWords && vocabulary.ngrams.any() &&
         vocabulary.ngrams.bits == 0;
}

std::vector<std::string> column_texts(const std::vector<TableColumn>& columns) {
  std::vector<std::string> texts;
  for (const TableColumn& column : columns) {
    texts.push_back(kRoleNames[static_cast<std::size_t>(column.role)] + (':' + column.name));
  }
  return texts;
}

std::vector<TableColumn> columns_of_texts(const std::vector<std::string>& texts) {
  std::vector<TableColumn> columns;
  for (const std::string& text : texts) {
    const std::size_t colon = std::min(text.find(':'), text.size());
    const auto* const role =
        std::find(std::begin(kRoleNames), std::end(kRoleNames), text.substr(0, colon));
    TableColumn column;
    if (role != std::end(kRoleNames) && colon < text.size()) {
      column = {static_cast<ColumnRole>(role - kRoleNames), text.substr(colon + 1)};
    }
    columns.push_back(std::move(column));
  }
  return columns;
}

std::string column_feature(std::string_view column, std::string_view value) {
  return std::string(column).append("=").append(value);
}

FeatureId hashed_word(std::string_view word, std::uint32_t bits) {
  return static_cast<FeatureId>(XXH3_64bits(word.data(), word.size()) >> (64 - bits));
}

FeatureId columns_of_numbers(const Vocabulary& vocabulary) {
  return static_cast<FeatureId>(
      std::count_if(vocabulary.columns.begin(), vocabulary.columns.end(),
                    [](const TableColumn& column) { return column.role == ColumnRole::kNumber; }));
}

std::uint64_t word_features(const Vocabulary& vocabulary) {
  constexpr std::uint64_t kOne = 1;
  if (vocabulary.feature_kind == FeatureKind::kHashedWords) return kOne << vocabulary.hash_bits;
  const Ngrams& ngrams = vocabulary.ngrams;
  if (has_ngram_dictionary(vocabulary)) {
    return vocabulary.words.size() + vocabulary.ngram_hashes.size();
  }
  return vocabulary.words.size() + (ngrams.any() ? kOne << ngrams.bits : 0);
}

const char* validation_error(const Vocabulary& vocabulary) {
  const Ngrams& ngrams = vocabulary.ngrams;
  const bool hashes_words = vocabulary.feature_kind == FeatureKind::kHashedWords;
  const bool may_have_buckets = vocabulary.feature_kind == FeatureKind::kWords && ngrams.any();
  if (!are_valid(ngrams)) return "its n-grams are out of range";
  if (ngrams.any() && vocabulary.feature_kind == FeatureKind::kIndices) {
    return "its features are indices, but it asks for n-grams of words";
  }
  if (hashes_words ? !is_from_one_to(kMaxHashBits, vocabulary.hash_bits)
                   : vocabulary.hash_bits != 0) {
    return "its hash_bits do not fit its features";
  }
  if (ngrams.bits > (may_have_buckets ? kMaxHashBits : 0)) {
    return "its ngram_bits do not fit its features";
  }
  const std::vector<std::uint64_t>& hashes = vocabulary.ngram_hashes;
  const bool are_in_order =
      std::adjacent_find(hashes.begin(), hashes.end(), std::greater_equal()) == hashes.end();
  if (!are_in_order || (!hashes.empty() && !has_ngram_dictionary(vocabulary))) {
    return "its dictionary of n-grams is none";
  }
  if (!are_chosen(vocabulary)) return "it leaves open how its features are made";
  if (vocabulary.feature_kind == FeatureKind::kIndices &&
      vocabulary.tokenizer != TokenizerKind::kSpaces) {
    return "its features are indices, but it asks for words";
  }
  if (!has_valid_factors(vocabulary)) return "the weights of its features do not fit them";
  if (!columns_fit(vocabulary)) return "its columns do not fit its features";
  if (!std::ranges::all_of(vocabulary.labels, is_plain_label)) {
    return "a label holds a line break or another control byte";
  }
  const bool fits = vocabulary.feature_kind == FeatureKind::kIndices ||
                    vocabulary.dimension == word_features(vocabulary);
  return fits ? nullptr : "the words do not fit the weights";
}

std::uint64_t fingerprint(const Vocabulary& vocabulary) {
  Fingerprint result;
  result.add(vocabulary.labels);
  result.add(static_cast<std::uint64_t>(vocabulary.feature_kind));
  result.add(vocabulary.words);
  result.add(vocabulary.hash_bits);
  result.add(vocabulary.ngrams.words);
  result.add(vocabulary.ngrams.characters.min);
  result.add(vocabulary.ngrams.characters.max);
  result.add(vocabulary.ngrams.bits);
  result.add(vocabulary.dimension);
  result.add(static_cast<std::uint64_t>(vocabulary.normalize));
  // What version 0.1 did not have: checkpoints of it keep their fingerprint.
  if (vocabulary.tokenizer != TokenizerKind::kSpaces ||
      vocabulary.weights != FeatureWeights::kCount || has_ngram_dictionary(vocabulary)) {
    result.add(vocabulary.ngram_hashes);
    result.add(static_cast<std::uint64_t>(vocabulary.tokenizer));
    result.add(static_cast<std::uint64_t>(vocabulary.weights));
    result.add(vocabulary.factors);
  }
  if (!vocabulary.columns.empty()) result.add(column_texts(vocabulary.columns));
  return result.value();
}

}  // namespace cane
