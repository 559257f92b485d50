#include "data/blocks/rarity.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdint>

namespace cane {
namespace {

// Threads add to the same counts, and sums of whole numbers do not depend on the order.
void add(std::vector<std::uint32_t>& counts, std::size_t feature, std::uint32_t examples) {
  if (feature >= counts.size() || examples == 0) return;
  std::atomic_ref(counts[feature]).fetch_add(examples, std::memory_order_relaxed);
}

// Indices occur once in a row.
void count_indices(const ParsedBlock& block, std::vector<std::uint32_t>& counts) {
  for (const FeatureId feature : block.features) add(counts, feature, 1);
}

// Numbers of the block are few: each remembers the last row that had it.
class RowCounter {
 public:
  explicit RowCounter(std::size_t numbers) : counts_(numbers), last_row_(numbers) {}
  void add(std::size_t number, std::uint64_t row) {
    if (last_row_[number] == row + 1) return;
    last_row_[number] = row + 1;
    ++counts_[number];
  }
  std::uint32_t operator[](std::size_t number) const { return counts_[number]; }

 private:
  std::vector<std::uint32_t> counts_;
  std::vector<std::uint64_t> last_row_;
};

// Buckets of a hash may be those of several names of a row.
void count_hashed(std::vector<FeatureId>& row, std::vector<std::uint32_t>& counts) {
  std::sort(row.begin(), row.end());
  const auto end = std::unique(row.begin(), row.end());
  std::for_each(row.begin(), end, [&](FeatureId feature) { add(counts, feature, 1); });
  row.clear();
}

void count_hashed_words(const ParsedBlock& block, std::vector<std::uint32_t>& counts) {
  std::vector<FeatureId> features;
  for (std::size_t row = 0; row < block.size(); ++row) {
    const RowView view = block.row(row);
    features.assign(view.indices, view.indices + view.count);
    count_hashed(features, counts);
  }
}

void count_names(const ParsedBlock& block, const NumberMap& map,
                 std::vector<std::uint32_t>& counts) {
  const BlockFeatures feature_of(block, map);
  RowCounter words(block.word_ids.size());
  RowCounter ngrams(block.ngram_hashes.size());
  std::vector<FeatureId> hashed;
  std::uint64_t i = 0;
  for (std::size_t row = 0; row < block.size(); ++row) {
    for (; i < block.ends[row]; ++i) {
      const BlockName name = block.names[i];
      if (!name.is_ngram()) {
        words.add(name.number(), row);
      } else if (map.ngrams != nullptr) {
        ngrams.add(name.number(), row);
      } else {
        hashed.push_back(feature_of(name));
      }
    }
    count_hashed(hashed, counts);
  }
  for (std::uint32_t word = 0; word < block.word_ids.size(); ++word) {
    add(counts, feature_of(BlockName(BlockId{word})), words[word]);
  }
  for (std::uint32_t ngram = 0; ngram < block.ngram_hashes.size(); ++ngram) {
    add(counts, feature_of(BlockName::ngram(ngram)), ngrams[ngram]);
  }
}

}  // namespace

float rarity(double examples, double with_feature) {
  return static_cast<float>(1.0 + std::log((1.0 + examples) / (1.0 + with_feature)));
}

std::vector<float> rarity_factors(const BlockStore& blocks, const NumberMap& map,
                                  const RunContext& run) {
  std::vector<std::uint32_t> counts(map.dimension);
  std::atomic<std::uint64_t> examples = 0;
  run.pool().run(blocks.size(), [&](std::size_t task, int) {
    ParsedBlock scratch;
    const ParsedBlock& block = blocks.read(task, scratch);
    examples += block.size();
    switch (map.feature_kind) {
      case FeatureKind::kIndices:
        return count_indices(block, counts);
      case FeatureKind::kHashedWords:
        return count_hashed_words(block, counts);
      case FeatureKind::kWords:
        return count_names(block, map, counts);
    }
  });
  run.ranks().sum(std::span(counts));
  std::vector<float> factors(counts.size());
  const auto all = static_cast<double>(run.ranks().sum(examples.load()));
  std::transform(counts.begin(), counts.end(), factors.begin(),
                 [&](std::uint32_t count) { return rarity(all, count); });
  return factors;
}

void keep_numbers_unweighted(Vocabulary& vocabulary) {
  const bool has_words = vocabulary.feature_kind != FeatureKind::kIndices;
  if (vocabulary.weights == FeatureWeights::kCount || !has_words ||
      columns_of_numbers(vocabulary) == 0) {
    return;
  }
  if (vocabulary.factors.empty()) vocabulary.factors.resize(vocabulary.dimension, 1.0F);
  for (const TableColumn& column : vocabulary.columns) {
    if (column.role != ColumnRole::kNumber) continue;
    const std::string name = column_feature(column.name, {});
    if (vocabulary.feature_kind == FeatureKind::kHashedWords) {
      vocabulary.factors[hashed_word(name, vocabulary.hash_bits)] = 0.0F;
      continue;
    }
    const auto word = std::find(vocabulary.words.begin(), vocabulary.words.end(), name);
    if (word == vocabulary.words.end()) continue;
    vocabulary.factors[static_cast<std::size_t>(word - vocabulary.words.begin())] = 0.0F;
  }
}

}  // namespace cane
