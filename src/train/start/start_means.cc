#include "train/start/start_means.h"

#include <algorithm>
#include <functional>

#include "linear/scorers/flat_scorer.h"
#include "train/shuffle.h"
#include "train/start/leave_one_out.h"

namespace cane {

ScaleSample::ScaleSample(const DatasetView& data, std::span<const double> class_weights,
                         std::uint64_t seed, std::size_t size) {
  std::vector<std::uint32_t> order(data.size());
  shuffle_examples(seed, 0, order);
  const auto is_alone = [&](std::uint32_t example) {
    return class_weights[data.label(example)] <= static_cast<double>(data.weight(example));
  };
  std::stable_partition(order.begin(), order.end(), std::not_fn(is_alone));
  order.resize(std::min(size, order.size()));
  rows = gather.gather(data, std::span<const std::uint32_t>(order));
  for (const std::uint32_t example : order) {
    labels.push_back(data.label(example));
    weights.push_back(static_cast<double>(data.weight(example)));
  }
}

std::vector<float> ScaleSample::own_changes(std::span<const RowView> examples,
                                            std::span<const RowView> centres,
                                            std::span<const double> class_weights) const {
  std::vector<float> changes;
  for (std::size_t e = 0; e < examples.size(); ++e) {
    changes.push_back(
        leave_one_out_change(examples[e], centres[labels[e]], weights[e], class_weights[labels[e]])
            .value_or(0.0F));
  }
  return changes;
}

std::vector<float> ScaleSample::own_changes(const Whitening& whitening,
                                            std::span<const RowView> centres,
                                            std::span<const double> class_weights) const {
  const FeatureId dimension = whitening.dimension();
  const std::size_t pitch = Whitening::row_pitch(dimension + 1);
  AlignedBuffer<float> inputs(2 * pitch);  // of an example, and of the centre of its class
  AlignedBuffer<float> turned(2 * pitch);
  std::vector<float> scratch;
  std::vector<float> changes;
  for (std::size_t e = 0; e < rows.size(); ++e) {
    const RowView pair[] = {rows[e], centres[labels[e]]};
    fill_inputs(pair, dimension, pitch, inputs.data());
    whitening.turn(inputs.data(), 2, pitch, scratch, turned.data());
    const float* const centre = inputs.data() + pitch;
    const OwnProducts products = {whitening.product(inputs.data(), turned.data()),
                                  whitening.product(centre, turned.data()),
                                  whitening.product(centre, turned.data() + pitch)};
    changes.push_back(
        leave_one_out_change(products, weights[e], class_weights[labels[e]]).value_or(0.0F));
  }
  return changes;
}

void StartMeans::compute(ThreadPool& pool) {
  std::call_once(computed_, [&] {
    centres_.emplace(data_, classes_, pool);
    for (ClassId k = 0; k < classes_; ++k) centre_rows_.push_back(centres_->row(k));
    class_weights_ = class_counts(data_, classes_);
    sample_.emplace(data_, class_weights_, seed_, best_scale_sample(classes_));
  });
}

std::span<const RowView> StartMeans::centres(ThreadPool& pool) {
  compute(pool);
  return centre_rows_;
}

const ScaleSample& StartMeans::sample(ThreadPool& pool) {
  compute(pool);
  return *sample_;
}

std::span<const double> StartMeans::class_weights(ThreadPool& pool) {
  compute(pool);
  return class_weights_;
}

const PrincipalDirections& StartMeans::directions(std::uint32_t rank, ThreadPool& pool) {
  compute(pool);
  const std::lock_guard lock(mutex_);
  const auto place = directions_.find(rank);
  if (place != directions_.end()) return place->second;
  std::vector<float> counts(classes_, 0.0F);
  for (const ClassId label : data_.labels()) counts[label] += 1.0F;
  return directions_.emplace(rank, principal_directions(*centres_, counts, rank, pool))
      .first->second;
}

std::shared_ptr<const Whitening> StartMeans::whitening(ThreadPool& pool) {
  compute(pool);
  const std::lock_guard lock(mutex_);
  if (whitening_ == nullptr) {
    whitening_ = std::make_shared<const Whitening>(
        measure_whitening(data_, centre_rows_, class_weights_, seed_, pool));
  }
  return whitening_;
}

BestScale StartMeans::scale(const ScaleKey& key, const std::function<BestScale()>& measure) {
  const std::lock_guard lock(mutex_);
  const auto place = scales_.find(key);
  return place != scales_.end() ? place->second : scales_.emplace(key, measure()).first->second;
}

}  // namespace cane
