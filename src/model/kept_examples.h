// A few training examples of every class that a model keeps, so that further training on other data
// does not forget the classes which that data lacks. Their rows are as the model reads them, sparse
// or dense.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "data/rows/dataset_view.h"

namespace cane {

struct KeptExamples {
  std::span<const std::uint64_t> offsets;  // of sparse rows; empty if they are dense
  std::span<const FeatureId> indices;
  std::span<const float> values;
  std::span<const ClassId> labels;
  std::uint64_t unseen = 0;  // so many of the first were measured on, and never trained on
  std::shared_ptr<const void> storage;  // what they point into

  std::size_t size() const { return labels.size(); }
  bool is_dense() const { return offsets.empty(); }
  DatasetView view(FeatureId dimension) const;
  std::uint64_t bytes() const {
    return offsets.size_bytes() + indices.size_bytes() + values.size_bytes() + labels.size_bytes();
  }
};

/// What is wrong with them, or null. Only further training uses them, and asks.
const char* validation_error(const KeptExamples& kept, FeatureId dimension, std::size_t classes);

struct KeepLimits {
  std::uint32_t of_class = 0;
  std::uint64_t total = 0;
};
/// What TrainConfig::memory asks for: at most so many of a class and, if that is automatic, in all.
KeepLimits keep_limits(std::uint32_t asked, const DatasetView& data, std::size_t classes,
                       std::uint64_t weight_bytes);

/// Some examples of each class, at random: of those of `earlier`, which stand for as many examples
/// as `earlier_counts` says, and of `data`, which has labels below `classes` only. A few of
/// `unseen`, which may be null, come first.
KeptExamples keep_examples(const DatasetView& data, const DatasetView* unseen, std::size_t classes,
                           const KeptExamples& earlier,
                           std::span<const std::uint64_t> earlier_counts, const KeepLimits& limits,
                           std::uint64_t seed);

}  // namespace cane
