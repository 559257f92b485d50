// Ranks that share the slices of every batch of a deterministic training: each computes some of
// them, and gets what the others have computed, so that all apply the same gradients in the order
// of the examples. The bits of the result do not depend on the number of ranks.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "core/base/row_view.h"
#include "core/parallel/communicator.h"
#include "linear/weights/parameter_table.h"
#include "step/step_worker.h"

namespace cane {

/// The gradients of some slices as one message.
Bytes packed_gradients(std::span<const std::span<const TableGradient>> slices,
                       const std::vector<ParameterTable>& tables);

class SliceExchange {
 public:
  /// Both arguments must outlive the object.
  SliceExchange(const std::vector<ParameterTable>& tables, Communicator& ranks)
      : tables_(tables), ranks_(ranks) {}

  /// Whether this rank computes the slice of this number.
  bool is_own(std::size_t slice) const { return owner(slice) == ranks_.rank(); }

  /// Sends the own slices and fills in the others; both spans have an element for each slice. The
  /// gradients stay valid until the next call. Returns whether any rank wants to stop.
  bool exchange(std::span<StepStats> stats, std::span<std::span<const TableGradient>> gradients,
                bool wants_stop);

 private:
  /// A slice that another rank has computed; rows and steps of its gradients.
  struct Received {
    std::vector<GradientParts> parts;
    std::vector<std::vector<RowView>> rows;
    std::vector<TableGradient> gradients;
  };

  int owner(std::size_t slice) const {
    return static_cast<int>(slice % static_cast<std::size_t>(ranks_.ranks()));
  }

  const std::vector<ParameterTable>& tables_;
  Communicator& ranks_;
  std::vector<Bytes> messages_;  // that the rows of received slices point into
  std::vector<Received> received_;
};

}  // namespace cane
