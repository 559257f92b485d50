// Some rows of a view as the bytes of a message to another rank: their number, labels, weights and
// features, each kind together. Sparse rows have the number of values of each, all indices and all
// values; dense ones their elements as they are stored.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "core/parallel/communicator.h"
#include "data/rows/dataset_view.h"

namespace cane {

/// What the ranks know of each other's rows before they send any.
struct RowMessageShape {
  bool is_dense = false;
  bool has_weights = false;  // those of some rank have; the others send ones
};

/// The end of the examples from `begin` that fill about so many bytes; at least one, if any is
/// left.
std::size_t end_of_message(const DatasetView& data, std::size_t begin, std::uint64_t bytes);

/// Examples [begin, end).
Bytes pack_rows(const DatasetView& data, std::size_t begin, std::size_t end,
                const RowMessageShape& shape);

/// What is in a message, which must live as long; not aligned.
struct RowMessage {
  RowMessage(std::span<const std::byte> message, const RowMessageShape& shape);

  std::uint64_t rows = 0;
  std::span<const std::byte> labels;
  std::span<const std::byte> weights;
  std::span<const std::byte> counts;  // of the values of each row, if they are sparse
  std::span<const std::byte> indices;
  std::span<const std::byte> values;
};

}  // namespace cane
