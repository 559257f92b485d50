// Joins parsed blocks in the order of the file and numbers their names; at the end the vocabulary
// is learned from them, or is the known one. A reader knows nothing of ranks: each reads a part,
// and the end is the one step where the names of all ranks become one vocabulary.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cane/data_options.h"
#include "core/parallel/run_context.h"
#include "data/blocks/parsed_data.h"
#include "data/vocabulary/name_maps.h"

namespace cane {

class BlockCollector {
 public:
  /// `name` identifies the data in messages. `vocabulary`: the known one, or a new one without
  /// names (see new_vocabulary()). All but the name must outlive the object.
  BlockCollector(std::string name, const DataOptions& options, const Vocabulary* known,
                 Vocabulary vocabulary, StoreLimits store);

  const Vocabulary& vocabulary() const { return data_.vocabulary; }
  ReadReport& report() { return data_.report; }

  /// Takes the next blocks.
  void add(std::vector<ParsedBlock> blocks, ThreadPool& pool);

  struct End {
    bool has_labels = true;
    bool is_dense = false;  // else rows are if that takes less memory
    bool marks_empty = false;
    /// Index formats: the number of features; nothing: as many as there are.
    std::optional<FeatureId> dimension = {};
  };
  /// All ranks call it. Throws Error if there is nothing to learn.
  ParsedData finish(const End& end, const RunContext& run) &&;

 private:
  void join(ParsedBlock& block);
  std::uint64_t unknown_features(const ParsedBlock& block) const;
  void merge(Communicator& ranks);
  void learn(const End& end, WordMap::Features& features, const RunContext& run);
  std::vector<std::uint64_t> frequent_ngrams(const RunContext& run) const;
  void check_size() const;

  std::string name_;
  const DataOptions& options_;
  const Vocabulary* known_;
  LoadedData data_;
  LabelMap labels_;
  WordMap words_;
  NgramCounts ngrams_;
  BlockStore blocks_;
  std::uint64_t num_examples_ = 0;
  std::uint64_t num_values_ = 0;
  FeatureId dimension_ = 0;
  bool has_weights_ = false;
};

}  // namespace cane
