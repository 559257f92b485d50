// What the initial weights of a training are computed from: the class means, a few examples to
// choose scales on, and the principal directions of the means. Several trainings over parts of the
// same data can share it: everything is computed once, when it is first asked for, by whichever
// thread asks.
#pragma once

#include <compare>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "core/base/thread_pool.h"
#include "data/rows/dataset_view.h"
#include "data/rows/row_gather.h"
#include "train/clusters/class_centres.h"
#include "train/clusters/principal_directions.h"
#include "train/start/best_scale.h"
#include "train/start/measure_whitening.h"

namespace cane {

/// A few examples used to choose scales, if possible of classes that have others.
struct ScaleSample {
  ScaleSample(const DatasetView& data, std::span<const double> class_weights, std::uint64_t seed,
              std::size_t size);

  /// What leaving each example out of its own class's mean changes in its score. The rows may be
  /// projected, as the centres are.
  std::vector<float> own_changes(std::span<const RowView> examples,
                                 std::span<const RowView> centres,
                                 std::span<const double> class_weights) const;
  /// The same for scores by whitened products, of dense rows.
  std::vector<float> own_changes(const Whitening& whitening, std::span<const RowView> centres,
                                 std::span<const double> class_weights) const;

  RowGather gather;
  std::span<const RowView> rows;
  std::vector<ClassId> labels;
  std::vector<double> weights;
};

class StartMeans {
 public:
  /// The data must outlive the object. The seed selects the sample.
  StartMeans(const DatasetView& data, std::uint32_t classes, std::uint64_t seed)
      : data_(data), classes_(classes), seed_(seed) {}
  StartMeans(const StartMeans&) = delete;
  StartMeans& operator=(const StartMeans&) = delete;

  const DatasetView& data() const { return data_; }
  std::uint32_t classes() const { return classes_; }

  /// The mean of every class.
  std::span<const RowView> centres(ThreadPool& pool);
  const ScaleSample& sample(ThreadPool& pool);
  /// Weight of the examples of each class.
  std::span<const double> class_weights(ThreadPool& pool);
  const PrincipalDirections& directions(std::uint32_t rank, ThreadPool& pool);
  std::shared_ptr<const Whitening> whitening(ThreadPool& pool);

  /// Which scores a scale was measured for. Path sums of the means are those of flat rows, less the
  /// same for all classes.
  struct ScaleKey {
    std::uint32_t rank = 0;  // of a proposal; 0: the classes
    bool is_whitened = false;
    Normalizer normalizer = Normalizer::kOfExample;
    std::uint32_t noises = 0;  // 0: the scale does not depend on them
    auto operator<=>(const ScaleKey&) const = default;
  };
  /// The scale for these scores, by `measure` if it has not been measured.
  BestScale scale(const ScaleKey& key, const std::function<BestScale()>& measure);

 private:
  void compute(ThreadPool& pool);

  const DatasetView& data_;
  std::uint32_t classes_;
  std::uint64_t seed_;
  std::once_flag computed_;
  std::optional<ClassCentres> centres_;
  std::vector<RowView> centre_rows_;
  std::vector<double> class_weights_;
  std::optional<ScaleSample> sample_;
  std::mutex mutex_;  // guards what follows
  std::map<std::uint32_t, PrincipalDirections> directions_;
  std::shared_ptr<const Whitening> whitening_;
  std::map<ScaleKey, BestScale> scales_;
};

}  // namespace cane
