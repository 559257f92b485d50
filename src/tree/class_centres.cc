#include "tree/class_centres.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <span>

#include "base/memory.h"

namespace cane {
namespace {

constexpr std::uint32_t kClassesPerChunk = 64;
// The rows of a class lie anywhere, and the system brings their neighbours along: of data that does
// not fit into memory, all is let go after so many.
constexpr std::uint64_t kRowsInMemory = 1024;

// The examples of each class, in their order in the data.
struct ExamplesByClass {
  std::vector<std::uint64_t> offsets;
  std::vector<std::uint64_t> examples;

  ExamplesByClass(const DatasetView& data, std::uint32_t classes)
      : offsets(classes + std::size_t{1}, 0) {
    for (std::size_t example = 0; example < data.size(); ++example) {
      const ClassId label = data.label(example);
      if (label < classes) ++offsets[label + std::size_t{1}];
    }
    for (std::size_t label = 0; label < classes; ++label) offsets[label + 1] += offsets[label];
    examples.resize(offsets.back());
    std::vector<std::uint64_t> next(offsets.begin(), offsets.end() - 1);
    for (std::size_t example = 0; example < data.size(); ++example) {
      const ClassId label = data.label(example);
      if (label < classes) examples[next[label]++] = example;
    }
  }

  std::span<const std::uint64_t> of(ClassId label) const {
    return std::span(examples).subspan(offsets[label], offsets[label + 1] - offsets[label]);
  }
};

}  // namespace

// A thread's sum of one class. It has a cell for each feature, sparse or not: little beside the
// model, which has a weight for each feature and each class.
class ClassCentres::Accumulator {
 public:
  explicit Accumulator(const DatasetView& data)
      : data_(data),
        lets_go_(data.is_mapped() && is_large(data.stored_bytes())),
        scratch_(data.dimension()),
        cells_(data.dimension()) {}

  void append_centre(std::span<const std::uint64_t> examples, Chunk& chunk) {
    double total_weight = 0.0;
    for (const std::uint64_t example : examples) {
      if (lets_go_ && ++rows_read_ % kRowsInMemory == 0) data_.drop_rows(0, data_.size());
      const double weight = data_.weight(example);
      total_weight += weight;
      const RowView row = data_.row(example, scratch_);
      for (std::uint32_t i = 0; i < row.count; ++i) {
        const FeatureId feature = row.indices != nullptr ? row.indices[i] : i;
        Cell& cell = cells_[feature];
        if (!cell.touched && !data_.is_dense()) touched_.push_back(feature);
        cell.touched = true;
        cell.sum += weight * static_cast<double>(row.values[i]);
      }
    }
    const double scale = total_weight > 0.0 ? 1.0 / total_weight : 0.0;
    const auto take = [&](FeatureId feature) {
      chunk.values.push_back(static_cast<float>(cells_[feature].sum * scale));
      cells_[feature] = {};
    };
    if (data_.is_dense()) {
      for (FeatureId feature = 0; feature < data_.dimension(); ++feature) take(feature);
    } else {
      std::ranges::sort(touched_);
      chunk.indices.insert(chunk.indices.end(), touched_.begin(), touched_.end());
      for (const FeatureId feature : touched_) take(feature);
      touched_.clear();
    }
    chunk.offsets.push_back(chunk.values.size());
  }

 private:
  struct Cell {
    double sum = 0.0;
    bool touched = false;
  };

  const DatasetView& data_;
  bool lets_go_;
  std::uint64_t rows_read_ = 0;
  std::vector<float> scratch_;
  std::vector<Cell> cells_;
  std::vector<FeatureId> touched_;
};

ClassCentres::ClassCentres(const DatasetView& data, std::uint32_t classes, ThreadPool& pool)
    : class_count_(classes),
      dimension_(data.dimension()),
      is_dense_(data.is_dense()),
      chunks_((classes + kClassesPerChunk - 1) / kClassesPerChunk) {
  const ExamplesByClass examples(data, classes);
  std::vector<std::optional<Accumulator>> accumulators(static_cast<std::size_t>(pool.threads()));
  pool.run(chunks_.size(), [&](std::size_t task, int worker) {
    auto& accumulator = accumulators[static_cast<std::size_t>(worker)];
    if (!accumulator) accumulator.emplace(data);
    const auto begin = static_cast<ClassId>(task * kClassesPerChunk);
    const ClassId end = std::min(begin + kClassesPerChunk, classes);
    for (ClassId label = begin; label < end; ++label) {
      accumulator->append_centre(examples.of(label), chunks_[task]);
    }
    chunks_[task].indices.shrink_to_fit();
    chunks_[task].values.shrink_to_fit();
  });
}

RowView ClassCentres::row(ClassId label) const {
  const Chunk& chunk = chunks_[label / kClassesPerChunk];
  const std::uint64_t begin = chunk.offsets[label % kClassesPerChunk];
  const std::uint64_t end = chunk.offsets[label % kClassesPerChunk + 1];
  return {is_dense_ ? nullptr : chunk.indices.data() + begin, chunk.values.data() + begin,
          static_cast<std::uint32_t>(end - begin)};
}

}  // namespace cane
