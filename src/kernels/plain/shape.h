// The layout of the classes of an example in its row of scores:
//   [ own candidates | candidates of the batch | label | noises of the batch | own noises ]
// Candidates come before noises, as the objectives require. The classes that the batch shares are
// contiguous, so that one matrix product scores them. The label is between them, in case it is not
// a candidate. Host and device.
#pragma once

#include <cstdint>

#include "core/base/host_device.h"

namespace cane::kernels {

struct ShortlistShape {
  std::int64_t examples = 0;
  std::int64_t own_candidates = 0;
  std::int64_t shared_candidates = 0;
  std::int64_t shared_noises = 0;
  std::int64_t own_noises = 0;

  CANE_HOST_DEVICE std::int64_t candidates() const { return own_candidates + shared_candidates; }
  CANE_HOST_DEVICE std::int64_t noises() const { return shared_noises + own_noises; }
  CANE_HOST_DEVICE std::int64_t label_column() const { return candidates(); }
  CANE_HOST_DEVICE std::int64_t columns() const { return candidates() + 1 + noises(); }

  /// Distance between rows of scores: whole vectors, as matrix products on a GPU require.
  CANE_HOST_DEVICE std::int64_t stride() const { return (columns() + 7) / 8 * 8; }

  /// The classes that the batch shares: candidates, a place for the label, noises.
  CANE_HOST_DEVICE std::int64_t shared_classes() const {
    return shared_candidates + 1 + shared_noises;
  }
  CANE_HOST_DEVICE std::int64_t first_shared_column() const { return own_candidates; }
  /// Columns of the product that scores them. It extends to the next row if no other column
  /// follows, since products of whole vectors are faster. Values beyond the classes themselves have
  /// no meaning, and a gradient of zero.
  CANE_HOST_DEVICE std::int64_t shared_columns() const {
    return own_noises == 0 ? stride() - first_shared_column() : shared_classes();
  }

  /// An example's own classes: candidates, label, noises.
  CANE_HOST_DEVICE std::int64_t own_classes() const { return own_candidates + 1 + own_noises; }
  CANE_HOST_DEVICE std::int64_t column_of_own(std::int64_t place) const {
    if (place < own_candidates) return place;
    if (place == own_candidates) return label_column();
    return place + shared_candidates + shared_noises;
  }
};

}  // namespace cane::kernels
