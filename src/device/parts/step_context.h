// What all parts of a step share: the backend, the batch, constants of the products, and what the
// examples leave for the sums.
#pragma once

#include "device/parts/backend.h"
#include "device/plain/batch.h"
#include "device/plain/row_sums.h"

namespace cane::device {

template <typename Backend>
struct StepContext {
  Backend& backend;
  std::uint32_t places;  // of the batch
  BatchView batch;
  ExampleResults results;
  const float* zero;  // in the memory of the device
  const float* one;
};

/// Memory for the pieces of rows (plain/row_sums.h) of this many entries.
template <typename Backend>
class PieceStore {
 public:
  PieceStore() = default;
  PieceStore(Backend& backend, std::uint64_t entries, std::uint64_t columns)
      : pitch_(PieceSums::pitch_for(columns)),
        sums_(backend, PieceSums::count_for(entries) * pitch_) {}

  PieceSums view() const { return {sums_.data(), pitch_}; }

 private:
  std::uint64_t pitch_ = 0;
  Array<float> sums_;
};

/// Updates each row that is touched once.
template <typename Backend, typename Steps>
void update_rows(Backend& backend, const Steps& steps, std::uint64_t rows,
                 const SortedEntries& sorted, const PieceSums& pieces) {
  backend.template launch<Spread::kWarp>(sorted.count,
                                         SumPiece<Steps>{steps, rows, sorted, pieces});
  backend.template launch<Spread::kWarp>((sorted.count + kPiece - 1) / kPiece,
                                         JoinPieces<Steps>{steps, rows, sorted, pieces});
}

/// Coefficients of rows that few examples share: back to the inputs, and one update of each row.
/// `gradient` is null if the gradient of the inputs is not needed.
template <typename Backend>
void learn_entries(const StepContext<Backend>& step, const Rows& inputs, const RowTable& table,
                   const Entries& entries, const PieceStore<Backend>& pieces, float* gradient,
                   std::uint64_t pitch) {
  Backend& backend = step.backend;
  if (gradient != nullptr) {
    backend.template launch<Spread::kWarp>(step.places,
                                           BackExample{table, entries, gradient, pitch});
  }
  const std::uint64_t count = std::uint64_t{step.places} * entries.per_example;
  const SortedEntries sorted = backend.sort(entries.rows, count, table.rows);
  const DenseSteps steps = {step.batch.step, inputs, table, entries};
  if (inputs.dense != nullptr) {
    update_rows(backend, steps, table.rows, sorted, pieces.view());
  } else {
    backend.template launch<Spread::kWarp>(count, UpdateSparseRow{steps, sorted});
  }
}

}  // namespace cane::device
