#include "lm/heads/row_gradient.h"

#include <ATen/ops/_embedding_bag_forward_only.h>
#include <ATen/ops/_embedding_bag_per_sample_weights_backward.h>

#include <algorithm>
#include <numeric>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

namespace cane::lm {
namespace {

using torch::Tensor;

constexpr std::int64_t kSum = 0;  // of the rows of a bag, as LibTorch numbers the ways

/// Bag b is index[offsets[b] .. offsets[b + 1]]. LibTorch's sums over bags read each row where it
/// lies: gathered rows of a batch would be many times the cache.
Tensor bag_sums(const Tensor& table, const Tensor& index, const Tensor& offsets,
                const Tensor& scale) {
  return std::get<0>(at::_embedding_bag_forward_only(table, index, offsets, false, kSum, false,
                                                     scale, /*include_last_offset=*/true));
}

/// Where the rows of an index begin, and where the last one ends.
Tensor equal_bags(const Tensor& index) {
  return torch::arange(index.size(0) + 1, index.options()).mul_(index.size(1));
}

/// LibTorch's sums over bags take contiguous tensors alone.
Tensor flat(const Tensor& tensor) {
  return tensor.reshape({-1}).contiguous();
}

/// Ids below `bound` in ascending order, and where each of them stood; those that are equal stay in
/// their order. Counting takes a tenth of the time of comparing, where there are many of few.
std::pair<Tensor, Tensor> in_order(const Tensor& ids, std::int64_t bound) {
  constexpr std::int64_t kMany = 16;
  if (!ids.is_cpu() || bound > kMany * ids.numel()) {
    const auto [sorted, order] = ids.sort(/*stable=*/true, 0, /*descending=*/false);
    return {sorted, order};
  }
  const Tensor sorted = torch::empty_like(ids);
  const Tensor order = torch::empty_like(ids);
  const std::span<const std::int64_t> values(ids.data_ptr<std::int64_t>(),
                                             static_cast<std::size_t>(ids.numel()));
  std::vector<std::int64_t> places(static_cast<std::size_t>(bound), 0);
  for (const std::int64_t id : values) ++places[static_cast<std::size_t>(id)];
  std::exclusive_scan(places.begin(), places.end(), places.begin(), std::int64_t{0});
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::int64_t place = places[static_cast<std::size_t>(values[i])]++;
    sorted.data_ptr<std::int64_t>()[place] = values[i];
    order.data_ptr<std::int64_t>()[place] = static_cast<std::int64_t>(i);
  }
  return {sorted, order};
}

}  // namespace

RowSums sum_rows(const RowEntries& entries) {
  const std::int64_t count = entries.ids.numel();
  const Tensor is_none = entries.ids < 0;
  const Tensor used = is_none.logical_not().sum();
  // What is no entry comes last, and belongs to no bag.
  const auto [sorted, order] =
      in_order(entries.ids.masked_fill(is_none, entries.table_rows), entries.table_rows + 1);
  const Tensor begins = (sorted.slice(0, 1) != sorted.slice(0, 0, -1)).to(torch::kInt64);
  const Tensor group = torch::constant_pad_nd(begins.cumsum(0), {1, 0});
  std::int64_t groups = std::min(count, entries.table_rows);
  if (group.is_cpu()) {
    const auto last = used.item<std::int64_t>() - 1;
    groups = last < 0 ? 0 : group[last].item<std::int64_t>() + 1;
  }
  // Groups that do not exist begin at the end, and are empty.
  const Tensor places =
      torch::minimum(torch::searchsorted(group, torch::arange(groups + 1, group.options())), used);
  const Tensor first = places.slice(0, 0, -1);
  const Tensor rows =
      torch::where(first < used, sorted.index_select(0, first.clamp_max(count - 1)), -1);
  Tensor scale;
  if (entries.scale.defined()) scale = entries.scale.index_select(0, order);
  return {rows, bag_sums(entries.source, entries.from.index_select(0, order), places, scale)};
}

RowGradient with_distinct_rows(const RowGradient& gradient) {
  if (gradient.distinct || gradient.rows.numel() == 0) return gradient;
  const RowSums sums = sum_rows({gradient.rows,
                                 gradient.values.contiguous(),
                                 torch::arange(gradient.rows.size(0), gradient.rows.options()),
                                 {},
                                 gradient.table.size(0)});
  return {gradient.table, sums.rows, sums.values, true};
}

Tensor scaled_row_sums(const Tensor& table, const Tensor& index, const Tensor& scale) {
  return bag_sums(table, flat(index), equal_bags(index), flat(scale));
}

Tensor row_products(const Tensor& table, const Tensor& index, const Tensor& factors) {
  const Tensor bags = torch::arange(index.size(0), index.options()).unsqueeze(1).expand_as(index);
  return at::_embedding_bag_per_sample_weights_backward(factors, table, flat(index),
                                                        equal_bags(index), flat(bags), kSum)
      .view_as(index);
}

}  // namespace cane::lm
