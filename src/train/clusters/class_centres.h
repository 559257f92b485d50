// The centre of every class: the weighted mean of its examples (the first step of Alg. 4). Centres
// are sparse if the data is, so they never take more memory than the data or, if dense, than a flat
// model. Each example is read once and each class is summed in example order, so the centres do not
// depend on the number of threads.
#pragma once

#include <cstdint>
#include <vector>

#include "core/base/thread_pool.h"
#include "core/base/types.h"
#include "data/rows/dataset_view.h"

namespace cane {

/// Mapped data of more than `whole_bytes` is not accessed randomly, which would pull all of it into
/// memory. It is read sequentially, one pass for as many classes as their sums fit in memory. If
/// that takes more than a few passes, the rows of as many classes as fit are copied at a time
/// instead.
struct CentreLimits {
  std::uint64_t whole_bytes = std::uint64_t{256} << 20;
  std::uint64_t sum_bytes = std::uint64_t{256} << 20;
  std::uint64_t copy_bytes = std::uint64_t{128} << 20;
};

class ClassCentres {
 public:
  /// Examples without a class are ignored; the centre of a class without examples is zero.
  ClassCentres(const DatasetView& data, std::uint32_t classes, ThreadPool& pool,
               const CentreLimits& limits = {});
  /// Centres that are known: append() gives them, class by class.
  ClassCentres(std::uint32_t classes, FeatureId dimension, bool is_dense);
  void append(const RowView& centre);

  std::uint32_t class_count() const { return class_count_; }
  FeatureId dimension() const { return dimension_; }
  bool is_dense() const { return is_dense_; }
  RowView row(ClassId label) const;

 private:
  // The centres of a few consecutive classes; `indices` is empty if they are dense.
  struct Chunk {
    std::vector<std::uint64_t> offsets = {0};
    std::vector<FeatureId> indices;
    std::vector<float> values;
  };
  struct ExamplesByClass;
  class Accumulator;
  class Sums;

  void append_centres(const DatasetView& data, const ExamplesByClass& examples,
                      std::size_t begin_chunk, std::size_t end_chunk, ThreadPool& pool);

  std::uint32_t class_count_;
  FeatureId dimension_;
  bool is_dense_;
  std::vector<Chunk> chunks_;
  std::uint32_t appended_ = 0;  // classes, by append()
};

}  // namespace cane
