// The layout of the words of a token in its row of scores:
//   [ own candidates | candidates of the batch | label | noises of the batch | own noises ]
// Candidates come before noises, as the objectives require. The words that the batch shares are
// contiguous, so that one matrix product scores them. The label is between them, in case it is not
// a candidate. Host and device.
#pragma once

#include <cstdint>

#include "core/base/host_device.h"

namespace cane::lm {

struct ShortlistShape {
  std::int64_t tokens = 0;
  std::int64_t token_candidates = 0;
  std::int64_t shared_candidates = 0;
  std::int64_t shared_noises = 0;
  std::int64_t token_noises = 0;

  CANE_HOST_DEVICE std::int64_t candidates() const { return token_candidates + shared_candidates; }
  CANE_HOST_DEVICE std::int64_t noises() const { return shared_noises + token_noises; }
  CANE_HOST_DEVICE std::int64_t label_column() const { return candidates(); }
  CANE_HOST_DEVICE std::int64_t columns() const { return candidates() + 1 + noises(); }

  /// Distance between rows of scores: whole vectors, as matrix products on a GPU require.
  CANE_HOST_DEVICE std::int64_t stride() const { return (columns() + 7) / 8 * 8; }

  /// The words that the batch shares: candidates, a place for the label, noises.
  CANE_HOST_DEVICE std::int64_t shared_words() const {
    return shared_candidates + 1 + shared_noises;
  }
  CANE_HOST_DEVICE std::int64_t first_shared_column() const { return token_candidates; }
  /// Columns of the product that scores them. It extends to the next row if no other column
  /// follows, since products of whole vectors are faster. Values beyond the words themselves have
  /// no meaning, and a gradient of zero.
  CANE_HOST_DEVICE std::int64_t shared_columns() const {
    return token_noises == 0 ? stride() - first_shared_column() : shared_words();
  }

  /// A token's own words: candidates, label, noises.
  CANE_HOST_DEVICE std::int64_t token_words() const { return token_candidates + 1 + token_noises; }
  CANE_HOST_DEVICE std::int64_t column_of_token_word(std::int64_t place) const {
    if (place < token_candidates) return place;
    if (place == token_candidates) return label_column();
    return place + shared_candidates + shared_noises;
  }
};

}  // namespace cane::lm
