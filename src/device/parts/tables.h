// The tables of weights of a learner in the memory of its device, and their ways in and out.
#pragma once

#include <algorithm>
#include <span>
#include <stdexcept>

#include "device/learner.h"
#include "device/parts/backend.h"
#include "device/plain/embedding.h"

namespace cane::device {

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

}  // namespace cane::device
