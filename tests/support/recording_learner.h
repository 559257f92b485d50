// A learner that learns nothing and remembers what it was given: tables, rows and batches. Its loss
// is what the test says, one weight of each table grows with every step.
#pragma once

#include <map>
#include <memory>
#include <stdexcept>
#include <vector>

#include "device/learner.h"

namespace cane::testing {

/// What a learner was given; lives longer than it.
struct LearnerRecord {
  struct Step {
    std::vector<std::uint32_t> examples;
    std::vector<std::vector<float>> rows;  // dense, with zeros for what a sparse row lacks
    std::vector<std::uint32_t> labels;
    std::vector<float> weights;
    float rate = 0.0F;
    std::uint32_t epoch = 0;
  };
  std::vector<Step> steps;
  std::map<device::Table, std::vector<float>> tables;
  std::map<device::Table, std::vector<float>> sums;
  int downloads = 0;
  std::size_t most_queued = 0;  // steps between two calls of take_stats
  double loss = 1.0;            // of every example
  std::size_t fails_after = ~std::size_t{0};
};

class RecordingLearner : public device::Learner {
 public:
  RecordingLearner(const device::LearnerSpec& spec, LearnerRecord& record)
      : spec_(spec),
        record_(record),
        dense_(spec.batch * spec.dimension),
        offsets_(spec.batch + 1),
        indices_(spec.batch_values),
        values_(spec.batch_values),
        labels_(spec.batch),
        weights_(spec.batch),
        numbers_(spec.batch) {}

  void upload(device::Table table, std::span<const float> values) override {
    if (values.size() != device::shape_of(spec_, table).size()) throw std::runtime_error("size");
    record_.tables[table].assign(values.begin(), values.end());
  }
  void download(device::Table table, std::span<float> values) override {
    ++record_.downloads;
    std::copy(record_.tables[table].begin(), record_.tables[table].end(), values.begin());
  }
  void upload_state(device::Table table, std::span<const float> values) override {
    if (values.size() != device::shape_of(spec_, table).state) throw std::runtime_error("size");
    record_.sums[table].assign(values.begin(), values.end());
  }
  void download_state(device::Table table, std::span<float> values) override {
    std::copy(record_.sums[table].begin(), record_.sums[table].end(), values.begin());
  }

  void keep_data(const device::HostRows& rows) override {
    for (std::uint32_t i = 0; i < spec_.kept_examples; ++i) {
      kept_.rows.push_back(row_of(rows.dense, rows.offsets, rows.indices, rows.values, i));
      kept_.labels.push_back(rows.labels[i]);
      kept_.weights.push_back(rows.weights != nullptr ? rows.weights[i] : 1.0F);
    }
  }
  void step(std::span<const std::uint32_t> examples, const device::StepOptions& options) override {
    LearnerRecord::Step& step = begin(options);
    for (const std::uint32_t number : examples) {
      step.examples.push_back(number);
      step.rows.push_back(kept_.rows[number]);
      step.labels.push_back(kept_.labels[number]);
      step.weights.push_back(kept_.weights[number]);
    }
  }

  device::BatchBuffer next_buffer() override {
    return {dense_.data(),  offsets_.data(), indices_.data(), values_.data(),
            labels_.data(), weights_.data(), numbers_.data()};
  }
  void step_buffer(std::uint32_t count, const device::StepOptions& options) override {
    LearnerRecord::Step& step = begin(options);
    for (std::uint32_t i = 0; i < count; ++i) {
      step.examples.push_back(numbers_[i]);
      step.rows.push_back(row_of(spec_.is_sparse ? nullptr : dense_.data(), offsets_.data(),
                                 indices_.data(), values_.data(), i));
      step.labels.push_back(labels_[i]);
      step.weights.push_back(weights_[i]);
    }
  }

  device::LearnerStats take_stats() override {
    device::LearnerStats stats;
    record_.most_queued = std::max(record_.most_queued, record_.steps.size() - taken_);
    for (; taken_ < record_.steps.size(); ++taken_) {
      for (const float weight : record_.steps[taken_].weights) {
        stats.loss += record_.loss * static_cast<double>(weight);
        stats.weight += static_cast<double>(weight);
        ++stats.examples;
      }
    }
    return stats;
  }

 private:
  LearnerRecord::Step& begin(const device::StepOptions& options) {
    if (record_.steps.size() == record_.fails_after) throw std::runtime_error("the device is lost");
    for (auto& [table, values] : record_.tables) values.back() += 1.0F;
    for (auto& [table, values] : record_.sums) values.back() += 1.0F;
    LearnerRecord::Step& step = record_.steps.emplace_back();
    step.rate = options.rate;
    step.epoch = options.epoch;
    return step;
  }

  std::vector<float> row_of(const float* dense, const std::uint64_t* offsets,
                            const std::uint32_t* indices, const float* values,
                            std::uint32_t i) const {
    std::vector<float> row(spec_.dimension, 0.0F);
    if (dense != nullptr) {
      std::copy_n(dense + std::size_t{i} * spec_.dimension, spec_.dimension, row.begin());
    } else {
      for (std::uint64_t at = offsets[i]; at < offsets[i + 1]; ++at) row[indices[at]] = values[at];
    }
    return row;
  }

  device::LearnerSpec spec_;
  LearnerRecord& record_;
  LearnerRecord::Step kept_;
  std::size_t taken_ = 0;
  std::vector<float> dense_;
  std::vector<std::uint64_t> offsets_;
  std::vector<std::uint32_t> indices_;
  std::vector<float> values_;
  std::vector<std::uint32_t> labels_;
  std::vector<float> weights_;
  std::vector<std::uint32_t> numbers_;
};

}  // namespace cane::testing
