// The gradient of a table of which a step touches few rows: these rows alone. Nothing here waits
// for a GPU: there the number of rows depends on sizes, not on data, and unused places have row -1.
#pragma once

#include <torch/types.h>

#include <cstdint>

namespace cane::lm {

/// Rows [R] (int64) of a table and the gradient of each [R, width]. The gradients of a repeated row
/// add up. A row of -1 is an unused place, whose gradient is zero.
struct RowGradient {
  torch::Tensor table;
  torch::Tensor rows;
  torch::Tensor values;
  bool distinct = false;  // no row stands there twice
};

/// Entry e adds scale[e] x source[from[e]] to row ids[e] of a table; an id of -1 is no entry.
struct RowEntries {
  torch::Tensor ids;     // [entries] int64, all below `table_rows`
  torch::Tensor source;  // [any, width] float32
  torch::Tensor from;    // [entries] int64
  torch::Tensor scale;   // [entries] float32; undefined: one
  std::int64_t table_rows = 0;
};

/// Distinct rows [R], unused places last, and their sums [R, width].
struct RowSums {
  torch::Tensor rows;
  torch::Tensor values;
};
RowSums sum_rows(const RowEntries& entries);

RowGradient with_distinct_rows(const RowGradient& gradient);

/// Row index[i] of a table times scale[i], summed for each of the consecutive, equally large bags
/// [bags, places] that the index consists of: [bags, width].
torch::Tensor scaled_row_sums(const torch::Tensor& table, const torch::Tensor& index,
                              const torch::Tensor& scale);
/// [bags, places]: the products of row index[b][p] of a table with row b of `factors`.
torch::Tensor row_products(const torch::Tensor& table, const torch::Tensor& index,
                           const torch::Tensor& factors);

}  // namespace cane::lm
