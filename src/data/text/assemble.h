// From parsed blocks to the final arrays: numbers become classes and features, what is unknown is
// left out, each row gets strictly increasing features and, if wanted, length one. Each block is
// worked on by itself, so the result does not depend on the number of threads.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "core/base/thread_pool.h"
#include "data/rows/columns.h"
#include "data/text/parsed_block.h"

namespace cane {

struct NumberedBlock {
  ParsedBlock columns;                  // its names are gone
  std::vector<std::uint32_t> label_of;  // the block's number -> the file's; kNone: unseen
  std::vector<std::uint32_t> word_of;   // the same for words, for FeatureKind::kWords
};

struct AssemblyPlan {
  FeatureKind feature_kind = FeatureKind::kIndices;
  FeatureId dimension = 0;    // features from here on are left out
  FeatureId first_ngram = 0;  // the feature of the first n-gram, for FeatureKind::kWords
  bool normalize = false;
  bool dense = false;     // whether rows are spread out, and whether there is a column of weights:
  bool weighted = false;  // of all blocks, as not all of them need be put together at once
  std::span<const ClassId> class_of;      // the file's number -> class
  std::span<const FeatureId> feature_of;  // the file's number -> feature, for FeatureKind::kWords
};

struct Assembled {
  Columns columns;
  std::shared_ptr<const void> storage;  // what `columns` points to
  std::uint64_t unseen_labels = 0;      // examples
  std::uint64_t dropped_features = 0;   // occurrences
};

/// Takes the blocks' memory as it goes.
Assembled assemble(std::vector<NumberedBlock> blocks, const AssemblyPlan& plan, ThreadPool& pool);

}  // namespace cane
