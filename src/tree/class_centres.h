// The centre of every class: the weighted mean of its examples (the first step of Alg. 4). Centres
// are sparse where the data is, so that they never take more memory than the data or, if dense, a
// flat model of it. Each example is read once, each class is summed in the order of its examples,
// so the centres do not depend on the number of threads.
#pragma once

#include <cstdint>
#include <vector>

#include "base/thread_pool.h"
#include "base/types.h"
#include "data/dataset_view.h"

namespace cane {

class ClassCentres {
 public:
  /// Examples without a class are passed over; a class without examples has the centre zero.
  ClassCentres(const DatasetView& data, std::uint32_t classes, ThreadPool& pool);

  std::uint32_t class_count() const { return class_count_; }
  FeatureId dimension() const { return dimension_; }
  bool is_dense() const { return is_dense_; }
  RowView row(ClassId label) const;

 private:
  // The centres of a few classes in a row; `indices` stays empty where they are dense.
  struct Chunk {
    std::vector<std::uint64_t> offsets = {0};
    std::vector<FeatureId> indices;
    std::vector<float> values;
  };
  class Accumulator;
  class Sums;

  std::uint32_t class_count_;
  FeatureId dimension_;
  bool is_dense_;
  std::vector<Chunk> chunks_;
};

}  // namespace cane
