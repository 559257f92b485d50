// The rows of a few examples, gathered and encoded, as the classes see them. Backpropagates the
// gradient in the weights that score them, or in the rows themselves, to the weights of the
// encoder.
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "core/base/random.h"
#include "data/rows/dataset_view.h"
#include "data/rows/row_gather.h"
#include "linear/encoders/encoder.h"
#include "step/step_worker.h"

namespace cane {

/// A table whose blocks score encoded rows.
struct ScoringTable {
  const BlockLayout* layout = nullptr;
  const float* weights = nullptr;
};

/// Shared and read-only.
struct EncoderParts {
  const Encoder* encoder = nullptr;  // null: rows unchanged, no backpropagation
  std::size_t first_table = 0;       // of the encoder
  std::uint64_t seed = 0;            // of dropout, and of the examples left out
  // An example all of whose steps are shorter is mostly left out, and scaled up where it is not, so
  // that the expectation of its gradient stays; so are single short steps of the others. 0: none.
  // Late in training most examples contribute almost no gradient, and the way back through the
  // encoder costs as much as the way forth.
  float least_step = 0.0F;
  // Used in backpropagation; a proposal only if it sees the encoded rows themselves.
  ScoringTable classes;
  ScoringTable proposal;
};

/// The factor of an example whose longest step has this length, by EncoderParts::least_step; 0: it
/// is left out. `random` is the generator of kExamples.
inline float kept_factor(const CounterRandom& random, std::uint32_t number, float longest,
                         float least) {
  const bool is_kept = longest >= least || random.uniform(number, 0) * static_cast<double>(least) <
                                               static_cast<double>(longest);
  return is_kept ? std::max(1.0F, least / longest) : 0.0F;
}

class EncodedRows {
 public:
  EncodedRows(const DatasetView& data, const EncoderParts& parts);

  /// `random` is the generator of the epoch. The result is valid until the next call.
  std::span<const RowView> gather(std::span<const std::uint32_t> examples, bool want_dense,
                                  const CounterRandom& random);
  std::span<const RowView> rows() const { return encoded_; }

  /// Adds the gradients in the encoder's tables, given the gradient in the class table and, unless
  /// it is null, in that of a proposal, for the last gathered rows. They stay valid until the next
  /// call. Examples that are left out are removed from the given gradients, and those kept in spite
  /// of short steps are scaled up there.
  void back(GradientParts& classes, GradientParts* proposal, std::vector<TableGradient>& gradients);
  /// The same, given the steps (minus the gradient) in the rows, contiguous. Requires an encoder.
  void back(std::span<const float> steps, std::vector<TableGradient>& gradients);

 private:
  void leave_out(GradientParts& classes, GradientParts* proposal);
  void add_steps(const GradientParts& parts, const ScoringTable& table);

  const DatasetView& data_;
  EncoderParts parts_;
  RowGather gathered_;
  std::span<const RowView> encoded_;
  std::span<const std::uint32_t> examples_;
  std::uint32_t epoch_ = 0;
  std::vector<float> factors_;  // of the gradients of the examples; 0: left out
  Encoder::Workspace workspace_;
  std::vector<float> steps_;
  std::vector<GradientParts> gradients_;
};

}  // namespace cane
