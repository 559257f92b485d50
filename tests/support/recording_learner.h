// A learner that learns nothing and remembers what it was given: tables, rows and batches. Its loss
// is what the test says, the last weight of each table grows with every step.
#pragma once

#include <algorithm>
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
  };
  std::vector<Step> steps;
  std::map<device::Table, std::vector<float>> tables;
  std::map<device::Table, std::vector<float>> sums;
  int downloads = 0;
  std::size_t most_queued = 0;  // steps between two calls of take_loss
  double loss = 1.0;            // of every example
  std::size_t fails_after = ~std::size_t{0};
};

class RecordingLearner : public device::Learner {
 public:
  RecordingLearner(const device::LearnerSpec& spec, LearnerRecord& record)
      : spec_(spec),
        record_(record),
        examples_(spec.batch),
        columns_(spec.columns),
        offsets_(spec.columns),
        entries_(3 * spec.batch + 1),
        begins_(spec.batch + 1),
        values_(spec.is_sparse ? spec.batch_values : spec.batch * spec.dimension),
        indices_(spec.batch_values) {}

  void upload(device::Table table, std::span<const float> weights,
              std::span<const float> sums) override {
    const device::TableSpec& own = table == device::Table::kClasses ? spec_.classes : spec_.encoder;
    if (weights.size() != own.size() || sums.size() != own.sums) throw std::runtime_error("size");
    record_.tables[table].assign(weights.begin(), weights.end());
    record_.sums[table].assign(sums.begin(), sums.end());
  }
  void download(device::Table table, std::span<float> weights, std::span<float> sums) override {
    ++record_.downloads;
    std::ranges::copy(record_.tables[table], weights.begin());
    std::ranges::copy(record_.sums[table], sums.begin());
  }

  void keep(std::uint64_t first, std::uint64_t count, const device::HostRows& rows) override {
    if (first != kept_.size()) throw std::runtime_error("order");
    for (std::uint64_t i = 0; i < count; ++i) {
      kept_.push_back(row_of(spec_.is_sparse ? nullptr : rows.dense, rows.offsets, rows.indices,
                             rows.values, i));
    }
  }

  device::BatchBuffer next_buffer() override {
    return {.examples = examples_.data(),
            .columns = columns_.data(),
            .offsets = offsets_.data(),
            .entry_classes = entries_.data(),
            .entry_begins = entries_.data() + spec_.batch,
            .entry_examples = entries_.data() + 2 * spec_.batch + 1,
            .row_begins = begins_.data(),
            .dense = values_.data(),
            .indices = indices_.data(),
            .values = values_.data()};
  }
  void step(const device::StepOptions& options) override {
    if (record_.steps.size() == record_.fails_after) throw std::runtime_error("the device is lost");
    for (auto& [table, values] : record_.tables) values.back() += 1.0F;
    LearnerRecord::Step& step = record_.steps.emplace_back();
    step.rate = options.rate;
    for (std::uint32_t i = 0; i < options.examples; ++i) {
      const device::ListedExample& example = examples_[i];
      step.examples.push_back(example.number);
      step.rows.push_back(spec_.kept_examples > 0
                              ? kept_[example.number]
                              : row_of(spec_.is_sparse ? nullptr : values_.data(), begins_.data(),
                                       indices_.data(), values_.data(), i));
      step.labels.push_back(example.label);
      step.weights.push_back(example.weight);
    }
  }

  double take_loss() override {
    double loss = 0.0;
    record_.most_queued = std::max(record_.most_queued, record_.steps.size() - taken_);
    for (; taken_ < record_.steps.size(); ++taken_) {
      for (const float weight : record_.steps[taken_].weights) {
        loss += record_.loss * static_cast<double>(weight);
      }
    }
    return loss;
  }

 private:
  std::vector<float> row_of(const float* dense, const std::uint64_t* offsets,
                            const std::uint32_t* indices, const float* values,
                            std::uint64_t i) const {
    std::vector<float> row(spec_.dimension, 0.0F);
    if (dense != nullptr) {
      std::copy_n(dense + i * spec_.dimension, spec_.dimension, row.begin());
    } else {
      for (std::uint64_t at = offsets[i] - offsets[0]; at < offsets[i + 1] - offsets[0]; ++at) {
        row[indices[at]] = values[at];
      }
    }
    return row;
  }

  device::LearnerSpec spec_;
  LearnerRecord& record_;
  std::vector<std::vector<float>> kept_;
  std::size_t taken_ = 0;
  std::vector<device::ListedExample> examples_;
  std::vector<std::uint32_t> columns_;
  std::vector<float> offsets_;
  std::vector<std::uint32_t> entries_;
  std::vector<std::uint64_t> begins_;
  std::vector<float> values_;
  std::vector<std::uint32_t> indices_;
};

}  // namespace cane::testing
