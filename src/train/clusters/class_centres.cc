#include "train/clusters/class_centres.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <span>

#include "core/base/memory.h"
#include "data/rows/row_copy.h"

namespace cane {
namespace {

constexpr std::uint32_t kClassesPerChunk = 64;
constexpr std::size_t kMaxPasses = 4;
constexpr std::uint64_t kStretchBytes = std::uint64_t{32} << 20;

}  // namespace

// Groups the examples by class, in data order.
struct ClassCentres::ExamplesByClass {
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

  /// End of the run of class chunks from `begin` whose rows take roughly `bytes`; at least one
  /// chunk.
  std::size_t chunks_within(std::size_t begin, std::uint64_t bytes, const DatasetView& data) const {
    const std::uint64_t most =
        bytes * data.size() / std::max<std::uint64_t>(data.stored_bytes(), 1);
    std::size_t end = begin + 1;
    while (first_class(end) + 1 < offsets.size() &&
           offsets[first_class(end + 1)] - offsets[first_class(begin)] <= most) {
      ++end;
    }
    return end;
  }

  /// The examples of class chunks [begin, end), in data order.
  std::vector<ExampleRange> ranges(const DatasetView& data, std::size_t begin,
                                   std::size_t end) const {
    const std::size_t first = first_class(begin);
    const std::size_t last = first_class(end);
    std::vector<ExampleRange> found;
    for (std::size_t example = 0; example < data.size(); ++example) {
      const ClassId label = data.label(example);
      if (label < first || label >= last) continue;
      if (!found.empty() && found.back().end == example) {
        ++found.back().end;
      } else {
        found.push_back({example, example + 1});
      }
    }
    return found;
  }

 private:
  std::size_t first_class(std::size_t chunk) const {
    return std::min(chunk * kClassesPerChunk, offsets.size() - 1);
  }
};

// Accumulator of one class, one per thread. It is dense even for sparse data, which is small
// compared with the model, which has a weight per feature and class.
class ClassCentres::Accumulator {
 public:
  explicit Accumulator(const DatasetView& data)
      : data_(data), scratch_(data.dimension()), cells_(data.dimension()) {}

  void append_centre(std::span<const std::uint64_t> examples, Chunk& chunk) {
    double total_weight = 0.0;
    for (const std::uint64_t example : examples) {
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
  std::vector<float> scratch_;
  std::vector<Cell> cells_;
  std::vector<FeatureId> touched_;
};

// Accumulates many classes at once, with bit-identical results: each class adds its examples in
// order.
class ClassCentres::Sums {
 public:
  Sums(const DatasetView& data, std::uint64_t most_bytes, ThreadPool& pool)
      : data_(data), pool_(pool), scratch_(static_cast<std::size_t>(pool.threads())) {
    const std::uint64_t class_bytes = (sizeof(double) + 1) * std::uint64_t{data.dimension()};
    const std::uint64_t room = most_bytes / std::max<std::uint64_t>(class_bytes, 1);
    chunks_at_once_ = static_cast<std::size_t>(room / kClassesPerChunk);
  }

  /// Whether this method pays off for this many chunks.
  bool fits(std::size_t chunks) const { return chunks <= kMaxPasses * chunks_at_once_; }

  void fill(std::vector<Chunk>& chunks, std::uint32_t classes) {
    for (std::size_t begin = 0; begin < chunks.size(); begin += chunks_at_once_) {
      const std::size_t end = std::min(begin + chunks_at_once_, chunks.size());
      first_class_ = static_cast<ClassId>(begin * kClassesPerChunk);
      end_class_ = std::min(static_cast<ClassId>(end * kClassesPerChunk), classes);
      read_all();
      pool_.run(end - begin, [&](std::size_t i, int) {
        const auto first = static_cast<ClassId>((begin + i) * kClassesPerChunk);
        const ClassId last = std::min(first + kClassesPerChunk, classes);
        for (ClassId label = first; label < last; ++label) append(label, chunks[begin + i]);
      });
    }
  }

 private:
  void read_all() {
    const std::size_t cells = std::size_t{end_class_ - first_class_} * data_.dimension();
    sums_.assign(cells, 0.0);
    touched_.assign(data_.is_dense() ? 0 : cells, 0);
    weights_.assign(end_class_ - first_class_, 0.0);
    const std::uint64_t row_bytes = data_.stored_bytes() / data_.size() + 1;
    const std::size_t stretch = kStretchBytes / row_bytes + 1;
    const auto tasks = static_cast<std::size_t>(pool_.threads());
    for (std::size_t begin = 0; begin < data_.size(); begin += stretch) {
      const std::size_t end = std::min(begin + stretch, data_.size());
      data_.fetch_rows(end, std::min(end + stretch, data_.size()));
      pool_.run(tasks, [&](std::size_t task, int) {
        scratch_[task].resize(data_.dimension());
        for (std::size_t example = begin; example < end; ++example) {
          const ClassId label = data_.label(example);
          const bool is_mine = label >= first_class_ && label < end_class_ && label % tasks == task;
          if (is_mine) add(example, label - first_class_, scratch_[task]);
        }
      });
      data_.drop_rows(begin, end);
    }
  }

  void add(std::size_t example, std::size_t place, std::span<float> scratch) {
    const double weight = data_.weight(example);
    weights_[place] += weight;
    const RowView row = data_.row(example, scratch);
    const std::size_t first = place * data_.dimension();
    for (std::uint32_t i = 0; i < row.count; ++i) {
      const std::size_t cell = first + (row.indices != nullptr ? row.indices[i] : i);
      sums_[cell] += weight * static_cast<double>(row.values[i]);
      if (!touched_.empty()) touched_[cell] = 1;
    }
  }

  void append(ClassId label, Chunk& chunk) const {
    const std::size_t place = label - first_class_;
    const double scale = weights_[place] > 0.0 ? 1.0 / weights_[place] : 0.0;
    for (FeatureId feature = 0; feature < data_.dimension(); ++feature) {
      const std::size_t cell = place * data_.dimension() + feature;
      if (!touched_.empty() && touched_[cell] == 0) continue;
      if (!data_.is_dense()) chunk.indices.push_back(feature);
      chunk.values.push_back(static_cast<float>(sums_[cell] * scale));
    }
    chunk.offsets.push_back(chunk.values.size());
  }

  const DatasetView& data_;
  ThreadPool& pool_;
  std::vector<std::vector<float>> scratch_;
  std::size_t chunks_at_once_ = 0;
  ClassId first_class_ = 0;
  ClassId end_class_ = 0;
  std::vector<double> sums_;
  std::vector<std::uint8_t> touched_;  // sparse data: the features that occur in a class
  std::vector<double> weights_;
};

ClassCentres::ClassCentres(const DatasetView& data, std::uint32_t classes, ThreadPool& pool,
                           const CentreLimits& limits)
    : class_count_(classes),
      dimension_(data.dimension()),
      is_dense_(data.is_dense()),
      chunks_((classes + kClassesPerChunk - 1) / kClassesPerChunk) {
  const bool in_order = data.is_mapped() &&
                        (data.stored_bytes() > limits.whole_bytes || is_large(data.stored_bytes()));
  if (Sums sums(data, limits.sum_bytes, pool); in_order && sums.fits(chunks_.size())) {
    sums.fill(chunks_, classes);
    return;
  }
  const ExamplesByClass examples(data, classes);
  if (!in_order) {
    append_centres(data, examples, 0, chunks_.size(), pool);
    return;
  }
  RowCopy rows(data);
  for (std::size_t begin = 0; begin < chunks_.size();) {
    const std::size_t end = examples.chunks_within(begin, limits.copy_bytes, data);
    rows.take(examples.ranges(data, begin, end), pool);
    append_centres(rows.view(), examples, begin, end, pool);
    begin = end;
  }
}

ClassCentres::ClassCentres(std::uint32_t classes, FeatureId dimension, bool is_dense)
    : class_count_(classes),
      dimension_(dimension),
      is_dense_(is_dense),
      chunks_((classes + kClassesPerChunk - 1) / kClassesPerChunk) {}

void ClassCentres::append(const RowView& centre) {
  Chunk& chunk = chunks_[appended_++ / kClassesPerChunk];
  if (!is_dense_) {
    chunk.indices.insert(chunk.indices.end(), centre.indices, centre.indices + centre.count);
  }
  chunk.values.insert(chunk.values.end(), centre.values, centre.values + centre.count);
  chunk.offsets.push_back(chunk.values.size());
}

void ClassCentres::append_centres(const DatasetView& data, const ExamplesByClass& examples,
                                  std::size_t begin_chunk, std::size_t end_chunk,
                                  ThreadPool& pool) {
  std::vector<std::optional<Accumulator>> accumulators(static_cast<std::size_t>(pool.threads()));
  pool.run(end_chunk - begin_chunk, [&](std::size_t task, int worker) {
    auto& accumulator = accumulators[static_cast<std::size_t>(worker)];
    if (!accumulator) accumulator.emplace(data);
    Chunk& chunk = chunks_[begin_chunk + task];
    const auto begin = static_cast<ClassId>((begin_chunk + task) * kClassesPerChunk);
    const ClassId end = std::min(begin + kClassesPerChunk, class_count_);
    for (ClassId label = begin; label < end; ++label) {
      accumulator->append_centre(examples.of(label), chunk);
    }
    chunk.indices.shrink_to_fit();
    chunk.values.shrink_to_fit();
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
