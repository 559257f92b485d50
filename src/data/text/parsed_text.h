// A text that has been read and parsed to its end: its names are known, its blocks wait to be put
// together, all in memory or a few at a time.
#pragma once

#include <cstdint>
#include <vector>

#include "data/loaded_data.h"
#include "data/text/assemble.h"
#include "data/text/block_store.h"

namespace cane {

struct ParsedText {
  Vocabulary vocabulary;
  ReadReport report;
  BlockStore blocks;
  std::vector<ClassId> class_of;
  std::vector<FeatureId> feature_of;
  std::uint64_t examples = 0;
  std::uint64_t values = 0;  // at most so many are stored
  bool dense = false;
  bool weighted = false;
  bool is_training_data = true;  // labels and features were learned from it

  AssemblyPlan plan() const {
    return {vocabulary.feature_kind,
            vocabulary.dimension,
            static_cast<FeatureId>(vocabulary.words.size()),
            vocabulary.normalize == Normalize::kL2,
            dense,
            weighted,
            class_of,
            feature_of};
  }

  /// Puts blocks [begin, end) together, taking them, and counts what was left out in the report.
  Assembled assemble_some(std::size_t begin, std::size_t end, ThreadPool& pool);
};

}  // namespace cane
