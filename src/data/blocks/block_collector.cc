#include "data/blocks/block_collector.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <utility>

#include "cane/error.h"
#include "data/blocks/rarity.h"
#include "data/vocabulary/feature_options.h"

namespace cane {

BlockCollector::BlockCollector(std::string name, const DataOptions& options,
                               const Vocabulary* known, Vocabulary vocabulary, StoreLimits store)
    : name_(std::move(name)),
      options_(options),
      known_(known),
      labels_(known, options.add_labels),
      words_(known),
      blocks_(name_, std::move(store)) {
  data_.vocabulary = std::move(vocabulary);
}

void BlockCollector::add(std::vector<ParsedBlock> blocks, ThreadPool& pool) {
  if (known_ == nullptr && has_ngram_dictionary(vocabulary())) ngrams_.add(blocks, pool);
  for (ParsedBlock& block : blocks) join(block);
  blocks_.add(std::move(blocks), pool);
}

/// Gives the names of the block their numbers in the file.
void BlockCollector::join(ParsedBlock& block) {
  num_examples_ += block.size();
  num_values_ += block.values.size() - unknown_features(block);
  has_weights_ = has_weights_ || !block.weights.empty();
  dimension_ = std::max(dimension_, block.dimension);
  for (std::uint32_t label = 0; label < block.label_names.size(); ++label) {
    block.label_ids.push_back(labels_.number_of(block.label_names[label]));
  }
  for (std::uint32_t word = 0; word < block.word_names.size(); ++word) {
    block.word_ids.push_back(words_.number_of(block.word_names[word], block.word_counts[word]));
  }
  block.label_names = {};
  block.word_names = {};
  block.word_counts = {};
  block.ngram_hashes = block.ngrams.take();
  block.ngram_counts = {};
}

/// Counts indices missing from the known vocabulary, to decide whether rows are dense.
std::uint64_t BlockCollector::unknown_features(const ParsedBlock& block) const {
  const bool all_known = known_ == nullptr || known_->feature_kind != FeatureKind::kIndices ||
                         block.dimension <= known_->dimension;
  if (all_known) return 0;
  return static_cast<std::uint64_t>(std::ranges::count_if(
      block.features, [&](FeatureId feature) { return feature >= known_->dimension; }));
}

void BlockCollector::merge(Communicator& ranks) {
  if (ranks.is_alone()) return;
  dimension_ = std::ranges::max(ranks.all_gather_value(dimension_));
  has_weights_ = ranks.sum(std::uint64_t{has_weights_}) > 0;
  if (known_ == nullptr && has_ngram_dictionary(vocabulary())) ngrams_.exchange(ranks);
  labels_.merge(ranks);
  if (vocabulary().feature_kind == FeatureKind::kWords) words_.merge(ranks);
}

ParsedData BlockCollector::finish(const End& end, const RunContext& run) && {
  merge(run.ranks());
  Vocabulary& vocabulary = data_.vocabulary;
  WordMap::Features features;
  if (vocabulary.feature_kind == FeatureKind::kWords)
    features = words_.features(options_.min_count);
  vocabulary.labels = labels_.sorted_labels();
  data_.report.unseen_label_names = labels_.unseen();
  if (known_ == nullptr) learn(end, features, run);
  // Dense rows take four bytes per value, sparse ones eight per stored value.
  const bool is_smaller_dense =
      vocabulary.feature_kind == FeatureKind::kIndices &&
      2 * run.ranks().sum(num_values_) > run.ranks().sum(num_examples_) * vocabulary.dimension;
  ParsedData parsed = {.data = std::move(data_),
                       .blocks = std::move(blocks_),
                       .class_of = labels_.classes(),
                       .feature_of = std::move(features.of_number),
                       .ngrams = {},
                       .num_examples = num_examples_,
                       .num_values = num_values_,
                       .is_dense = end.is_dense || is_smaller_dense,
                       .has_weights = has_weights_,
                       .marks_empty = end.marks_empty,
                       .is_training_data = known_ == nullptr};
  Vocabulary& learned = parsed.data.vocabulary;
  if (has_ngram_dictionary(learned)) parsed.ngrams = NgramDictionary(learned.ngram_hashes);
  if (known_ != nullptr) return parsed;
  if (learned.weights == FeatureWeights::kTfidf) {
    learned.factors = rarity_factors(parsed.blocks, parsed.number_map(), run);
  }
  keep_numbers_unweighted(learned);
  return parsed;
}

void BlockCollector::learn(const End& end, WordMap::Features& features, const RunContext& run) {
  Vocabulary& vocabulary = data_.vocabulary;
  if (end.has_labels) check_classes(name_, vocabulary.labels);
  if (vocabulary.feature_kind == FeatureKind::kIndices) {
    vocabulary.dimension =
        end.dimension.value_or(std::max(dimension_, columns_of_numbers(vocabulary)));
  } else {
    vocabulary.words = std::move(features.words);
    if (has_ngram_dictionary(vocabulary)) vocabulary.ngram_hashes = frequent_ngrams(run);
    check_size();
    vocabulary.dimension = static_cast<FeatureId>(word_features(vocabulary));
  }
  if (vocabulary.dimension > 0) return;
  throw Error(fmt::format("{}: there is no feature to learn from; {}", name_,
                          options_.min_count > 1 ? "lower `min_count`" : "check the file"));
}

std::vector<std::uint64_t> BlockCollector::frequent_ngrams(const RunContext& run) const {
  const std::vector<std::uint64_t> own = ngrams_.frequent(ngram_count_of(options_), run.pool());
  std::vector<std::uint64_t> all;
  for (const Bytes& part : run.ranks().all_gather(bytes_of(std::span(own)))) {
    const auto hashes = values_of<std::uint64_t>(part);
    all.insert(all.end(), hashes.begin(), hashes.end());
  }
  return all;
}

// More features than can be numbered beside the mark of n-grams.
void BlockCollector::check_size() const {
  if (word_features(vocabulary()) < BlockName::kMark) return;
  throw Error(fmt::format(
      "{}: there are {} words and n-grams, more than can be numbered; raise `ngram_count`", name_,
      word_features(vocabulary())));
}

}  // namespace cane
