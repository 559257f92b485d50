// The candidates of an example. Some belong to the whole batch: classes that are always candidates,
// then labels of the batch. A label of the batch is a candidate of an example unless all its
// occurrences are in the example's own stream and not before it: a model of the next class cannot
// know these, and candidates that reveal the label would make the estimate inconsistent. Host and
// device.
#pragma once

#include <cstdint>
#include <limits>

#include "kernels/plain/law.h"
#include "kernels/plain/shape.h"

namespace cane::kernels {

inline constexpr std::int32_t kNoColumn = std::numeric_limits<std::int32_t>::max();
/// Values of visible_after that are not the index of an example.
inline constexpr std::int32_t kSeenByAll = -1;
inline constexpr std::int32_t kSeenByNone = -2;

struct CandidateView {
  ShortlistShape shape;
  std::int64_t streams = 1;  // example = time * streams + stream
  std::int64_t fixed = 0;    // shared candidates that are always there, outside the noise law
  const std::int32_t* own_classes = nullptr;  // [examples, shape.own_classes()]
  const std::int32_t* column_of_class =
      nullptr;  // [classes] among the shared candidates, or kNoColumn
  const std::int32_t* visible_after = nullptr;  // for the other shared candidates
};

CANE_HOST_DEVICE inline bool is_visible(const CandidateView& view, std::int64_t example,
                                        std::int64_t shared_column) {
  if (shared_column < view.fixed) return true;
  const std::int32_t after = view.visible_after[shared_column - view.fixed];
  if (after < 0) return after == kSeenByAll;
  return after % view.streams != example % view.streams || after < example;
}

/// The column of a class among the shared candidates that this example sees, or kNoColumn.
CANE_HOST_DEVICE inline std::int32_t shared_column(const CandidateView& view, std::int64_t example,
                                                   std::int32_t id) {
  const std::int32_t column = view.column_of_class[id];
  return column != kNoColumn && is_visible(view, example, column) ? column : kNoColumn;
}

/// The place of a class among the example's own candidates, or kNoColumn.
CANE_HOST_DEVICE inline std::int32_t own_place(const CandidateView& view, std::int64_t example,
                                               std::int32_t id) {
  const std::int32_t* own = view.own_classes + example * view.shape.own_classes();
  std::int32_t found = kNoColumn;
  for (std::int32_t place = 0; place < view.shape.own_candidates; ++place) {
    found = own[place] == id ? place : found;
  }
  return found;
}

/// The column of a class in the example's row of scores if it is a candidate, or kNoColumn.
CANE_HOST_DEVICE inline std::int32_t candidate_column(const CandidateView& view,
                                                      std::int64_t example, std::int32_t id) {
  const std::int32_t shared = shared_column(view, example, id);
  if (shared != kNoColumn) return static_cast<std::int32_t>(view.shape.own_candidates) + shared;
  return own_place(view, example, id);
}

}  // namespace cane::kernels
