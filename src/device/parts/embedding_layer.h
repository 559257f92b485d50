// A layer of embeddings (plain/embedding.h): the bag of features or the projection of a proposal.
// Dense inputs are products; of sparse ones the values of a batch are sorted by feature.
#pragma once

#include <algorithm>
#include <span>
#include <stdexcept>

#include "device/learner.h"
#include "device/parts/backend.h"
#include "device/parts/step_context.h"
#include "device/plain/embedding.h"

namespace cane::device {

/// The tables of weights of a learner in the memory of its device, with upload and download.
template <typename Backend>
class TableStore {
 public:
  TableStore() = default;
  /// `minus_rates`: of all tables, in the memory of the device.
  TableStore(Backend& backend, const LearnerSpec& spec, Table table, const float* minus_rates)
      : shape_(shape_of(spec, table)),
        pitch_(pitch_of(shape_.columns)),
        has_rows_of_state_(shape_.state < shape_.size()),
        minus_rate_(minus_rates + static_cast<std::size_t>(table)),
        decays_(table == Table::kClasses && spec.l2 > 0.0F),
        weights_(backend, shape_.rows * pitch_),
        squares_(backend, state_rows() * state_pitch()) {}

  RowTable rows() const {
    return {weights_.data(), shape_.state > 0 ? squares_.data() : nullptr,
            shape_.rows,     static_cast<std::uint32_t>(shape_.columns - 1),
            pitch_,          minus_rate_,
            decays_};
  }
  EmbeddingTable embeddings() const {
    return {weights_.data(),
            shape_.state > 0 ? squares_.data() : nullptr,
            static_cast<std::uint32_t>(shape_.rows - 1),
            static_cast<std::uint32_t>(shape_.columns),
            pitch_,
            minus_rate_};
  }

  void upload(Backend& backend, std::span<const float> values) {
    check(values.size(), shape_.size());
    backend.copy_in(weights_.data(), pitch_, values.data(), shape_.columns, shape_.columns,
                    shape_.rows);
  }
  void download(Backend& backend, std::span<float> values) {
    check(values.size(), shape_.size());
    backend.copy_out(values.data(), shape_.columns, weights_.data(), pitch_, shape_.columns,
                     shape_.rows);
  }
  void upload_state(Backend& backend, std::span<const float> values) {
    check(values.size(), shape_.state);
    backend.copy_in(squares_.data(), state_pitch(), values.data(), state_columns(), state_columns(),
                    state_rows());
  }
  void download_state(Backend& backend, std::span<float> values) {
    check(values.size(), shape_.state);
    backend.copy_out(values.data(), state_columns(), squares_.data(), state_pitch(),
                     state_columns(), state_rows());
  }

 private:
  static void check(std::uint64_t given, std::uint64_t expected) {
    if (given != expected) {
      throw std::runtime_error("a table of the device has another size than the one of the host");
    }
  }
  std::uint64_t state_rows() const { return shape_.state > 0 ? shape_.rows : 0; }
  std::uint64_t state_columns() const { return has_rows_of_state_ ? 1 : shape_.columns; }
  std::uint64_t state_pitch() const { return has_rows_of_state_ ? 1 : pitch_; }

  TableShape shape_;
  std::uint64_t pitch_ = 0;
  bool has_rows_of_state_ = false;
  const float* minus_rate_ = nullptr;
  bool decays_ = false;
  Array<float> weights_;
  Array<float> squares_;
};

template <typename Backend>
class EmbeddingLayer {
 public:
  EmbeddingLayer() = default;
  /// `values`: most values of a batch of sparse inputs; 0: inputs are dense.
  EmbeddingLayer(Backend& backend, const EmbeddingTable& table, std::uint32_t batch,
                 std::uint64_t values)
      : table_(table),
        entries_(values > 0 ? values + batch : 0),
        pitch_(pitch_of(std::uint64_t{table.columns} + 1)),
        outputs_(backend, batch * pitch_),
        gradient_(backend, batch * pitch_),
        lengths_(backend, batch),
        starts_(backend, values > 0 ? batch : 0),
        features_(backend, entries_),
        examples_(backend, entries_),
        values_(backend, entries_),
        pieces_(backend, entries_, table.columns) {
    backend.reserve_sort(entries_);
  }

  Rows outputs() const { return {table_.columns, outputs_.data(), pitch_}; }
  float* gradient() const { return gradient_.data(); }
  std::uint64_t pitch() const { return pitch_; }

  void forward(const StepContext<Backend>& step, const Rows& inputs) {
    Backend& backend = step.backend;
    if (inputs.dense == nullptr) {
      backend.template launch<Spread::kWarp>(
          step.places, EmbedExample{step.batch, inputs, table_, outputs_.data(), pitch_});
      return;
    }
    backend.multiply({.m = step.places,
                      .n = table_.columns,
                      .k = std::uint64_t{inputs.width} + 1,
                      .alpha = step.one,
                      .a = inputs.dense,
                      .a_pitch = inputs.pitch,
                      .b = table_.weights,
                      .b_pitch = table_.pitch,
                      .beta = step.zero,
                      .c = outputs_.data(),
                      .c_pitch = pitch_});
    backend.template launch<Spread::kWarp>(
        step.places, SetBias{step.batch, outputs_.data(), pitch_, table_.columns});
  }

  /// Steps on the table, given the gradient of the outputs; `places` of the batch have one.
  void learn(const StepContext<Backend>& step, const Rows& inputs, std::uint32_t places) {
    Backend& backend = step.backend;
    if (inputs.dense != nullptr && table_.squares == nullptr) {
      backend.multiply({.m = std::uint64_t{inputs.width} + 1,
                        .n = table_.columns,
                        .k = places,
                        .alpha = table_.minus_rate,
                        .a = inputs.dense,
                        .a_pitch = inputs.pitch,
                        .transposes_a = true,
                        .b = gradient_.data(),
                        .b_pitch = pitch_,
                        .beta = step.one,
                        .c = table_.weights,
                        .c_pitch = table_.pitch});
      return;
    }
    backend.template launch<Spread::kWarp>(
        step.places, GradientLength{gradient_.data(), pitch_, table_.columns, lengths_.data()});
    const EmbeddingSteps steps = {table_,           examples_.data(), values_.data(),
                                  gradient_.data(), pitch_,           lengths_.data()};
    if (inputs.dense != nullptr) {
      backend.template launch<Spread::kWarp>(std::uint64_t{table_.features} + 1,
                                             AdaptEmbedding{inputs, steps, places});
    } else {
      update_rows(backend, steps, std::uint64_t{table_.features} + 1, sort_values(step, inputs),
                  pieces_.view());
    }
  }

 private:
  SortedEntries sort_values(const StepContext<Backend>& step, const Rows& inputs) {
    const ListValues list = {inputs,           step.places,      entries_,      starts_.data(),
                             features_.data(), examples_.data(), values_.data()};
    step.backend.template launch<Spread::kBlock>(1, list);
    step.backend.template launch<Spread::kWarp>(step.places, ListExample{list});
    return step.backend.sort(features_.data(), entries_, std::uint64_t{table_.features} + 1);
  }

  EmbeddingTable table_;
  std::uint64_t entries_ = 0;  // values of a batch and its biases
  std::uint64_t pitch_ = 0;
  Array<float> outputs_;
  Array<float> gradient_;
  Array<float> lengths_;
  Array<std::uint64_t> starts_;
  Array<std::uint32_t> features_;
  Array<std::uint32_t> examples_;
  Array<float> values_;
  PieceStore<Backend> pieces_;
};

}  // namespace cane::device
